//! What is seen of a thread.

use super::values::{self, Values};
use anyhow::Result;
use profile::Label;
use remote::{
    Memory, Process, ReadError,
    wait::{Kind, Wait, Waits, lock_holder},
};
use sampler::{Asked, Parts, Peeks};
use std::time::{SystemTime, UNIX_EPOCH};
use zend::{Fibers, Interpreter, Stack, request::Request};

/// What is shown of a thread.
pub struct Shown {
    /// What the thread is.
    pub header: String,
    /// What it waits for, where it waits and that is known.
    pub wait: Option<Wait>,
    /// Who holds the lock on a file that it waits for.
    pub holder: Option<u32>,
    /// Its stack.
    pub stack: Stack,
    /// Its fibers, where they are asked for.
    pub fibers: Result<Fibers, ReadError>,
    /// What variables held, where that was asked.
    pub values: Values,
    /// What else was asked for, a line each.
    pub circumstances: Vec<String>,
}

/// What a thread does now; `None` where it has nothing to do with PHP, or has ended.
pub fn stack(thread: &Process, interpreter: &Interpreter, max_depth: u16) -> Result<Option<Shown>> {
    let look = || -> Result<Option<Shown>> {
        let Some(own) = interpreter.of_thread(thread)? else {
            return Ok(None);
        };
        let mut waits = Waits::default();
        // What cannot be told of the wait is no reason to keep back the stack.
        let before = waits.look(thread).ok().flatten();
        let stack = zend::stack_now(thread, &own, max_depth.into())?;
        // If it is still the same wait, the stack is that which waits.
        let wait = before.filter(|before| {
            let after = waits.look(thread).ok().flatten();
            after.is_some_and(|after| after.times == before.times)
        });
        let command = sampler::title(&thread.command_line()?);
        let number = if interpreter.threads.is_some() {
            format!("{}/{}", thread.group(), thread.pid())
        } else {
            thread.pid().to_string()
        };
        let wait = wait.map(|look| look.wait);
        let is_lock = wait.as_ref().is_some_and(|wait| wait.kind == Kind::Lock);
        Ok(Some(Shown {
            header: format!("{number} {command} (PHP {})", own.described()),
            holder: is_lock.then(|| lock_holder(thread)).flatten(),
            wait,
            stack,
            fibers: Ok(Fibers::default()),
            values: Values::default(),
            circumstances: Vec::new(),
        }))
    };
    match look() {
        Err(_) if interpreter.threads.is_some() && !thread.is_alive() => Ok(None),
        looked => looked,
    }
}

/// How often it is looked again, where one request ended and another began meanwhile.
const LOOKS: u32 = 5;

/// What is to be read besides the stack.
pub struct Besides {
    /// Request and memory.
    pub circumstances: Asked,
    /// Variables.
    pub peeks: Peeks,
}

/// The same with what else was asked for: what was so before and after the stack was read.
pub fn look(
    thread: &Process,
    interpreter: &Interpreter,
    max_depth: u16,
    besides: &Besides,
) -> Result<Option<Shown>> {
    let asked = besides.circumstances;
    let is_fastcgi = interpreter.is_fastcgi(thread);
    let Some(own) = interpreter.of_thread(thread)? else {
        return Ok(None);
    };
    let memory = thread.memory();
    let read = || zend::request::read(&memory, &own, is_fastcgi, asked.request);
    for look in 1.. {
        let before = read();
        let shown = if besides.peeks.is_empty() {
            stack(thread, interpreter, max_depth)?
        } else {
            values::with_stack(thread, &own, &besides.peeks, || {
                stack(thread, interpreter, max_depth)
            })?
        };
        let Some(mut shown) = shown else {
            return Ok(None);
        };
        let is_same = before == read();
        if !is_same && look < LOOKS {
            continue;
        }
        let lines = &mut shown.circumstances;
        match before {
            // Between two requests there is what is left of the last one.
            _ if asked.request.is_empty() || shown.stack.frames.is_empty() => {}
            Ok(request) if is_same => lines.extend(served_lines(&request)),
            Ok(_) => lines.push("(its request changed each time it was read)".into()),
            Err(error) => lines.push(format!("(its request cannot be read: {error})")),
        }
        if asked.memory {
            lines.push(memory_line(&memory, &own));
        }
        if !shown.stack.frames.is_empty() {
            shown.fibers = zend::fibers(&memory, &own, max_depth.into());
        }
        return Ok(Some(shown));
    }
    Ok(None)
}

/// The same of what does not move.
pub fn kept(memory: &impl Memory, own: &Interpreter, is_fastcgi: bool, asked: Asked) -> Vec<String> {
    let mut lines = Vec::new();
    if !asked.request.is_empty() {
        match zend::request::read(memory, own, is_fastcgi, asked.request) {
            Ok(request) => lines.extend(request_lines(&request)),
            Err(error) => lines.push(format!("(its request cannot be read: {error})")),
        }
    }
    if asked.memory {
        lines.push(memory_line(memory, own));
    }
    lines
}

/// The same, and for how long the request has been there, unless its parts were named.
pub fn with_age(asked: Asked) -> Asked {
    if asked.request != Parts::PLAIN {
        return asked;
    }
    Asked {
        request: asked.request.and(Label::Began),
        ..asked
    }
}

fn request_lines(request: &Request) -> impl Iterator<Item = String> {
    let labels = request.labels().into_iter();
    labels.map(|(label, text)| format!("{} {}", label.name(), text.replace(char::is_control, "?")))
}

/// The same of a request that is served now.
fn served_lines(request: &Request) -> impl Iterator<Item = String> {
    let began = request
        .labels()
        .into_iter()
        .find(|(label, _)| *label == Label::Began);
    let age = began.and_then(|(_, seconds)| age(&seconds));
    let told = Request {
        began: 0,
        ..request.clone()
    };
    let told: Vec<String> = request_lines(&told).collect();
    told.into_iter()
        .chain(age.map(|age| format!("began {age:.1} s ago")))
}

/// How long ago these seconds since 1970 are, where they are past.
fn age(seconds: &str) -> Option<f64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let age = now.as_secs_f64() - seconds.parse::<f64>().ok()?;
    (age >= 0.0).then_some(age)
}

fn memory_line(memory: &impl Memory, own: &Interpreter) -> String {
    match zend::heap::memory(memory, own) {
        Ok(Some(held)) => format!("memory {} bytes, at most {}", held.used, held.peak),
        Ok(None) => "(memory is not known: PHP does not use its own allocator, or it was not found)".into(),
        Err(error) => format!("(memory cannot be read: {error})"),
    }
}
