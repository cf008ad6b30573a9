//! Where in its `task_struct` the kernel keeps a thread's pointer, without the kernel's BTF.
//!
//! A thread of this process that knows its own pointer ends, and a program that runs at its end looks for that number in
//! the thread's `task_struct`. A second thread with another pointer must give the same place.

use super::{
    Refusal,
    config::{ThreadPointer, ThreadPointerBytes},
    load,
};
use aya::{
    Ebpf,
    maps::{Array, MapData},
    programs::RawTracePoint,
};
use std::{sync::mpsc, thread};
use zerocopy::transmute;

const PROGRAM: &str = "find_thread_pointer";

/// The place, in bytes from the start of a `task_struct`.
pub fn place(bpf: &mut Ebpf) -> Result<u32, Refusal> {
    let mut answers: Array<MapData, ThreadPointerBytes> = load::map(bpf, "THREAD_POINTER")?;
    let program: &mut RawTracePoint = bpf
        .program_mut(PROGRAM)
        .and_then(|program| program.try_into().ok())
        .ok_or_else(|| Refusal::Failed(format!("the object has no program {PROGRAM}")))?;
    program.load().map_err(load::refused)?;
    let link = program.attach("sched_process_exit").map_err(load::refused)?;
    // Both live at the same time, so that their pointers differ.
    let threads = [Asking::start(), Asking::start()];
    let mut places = [0; 2];
    for (place, asking) in places.iter_mut().zip(threads) {
        *place = asking.and_then(|asking| asking.answer(&mut answers)).unwrap_or(0);
    }
    program.detach(link).map_err(load::refused)?;
    let _ = program.unload();
    match places {
        [0, _] | [_, 0] => Err(Refusal::Failed(
            "it does not show where it keeps the thread pointer".into(),
        )),
        [first, second] if first == second => Ok(first),
        _ => Err(Refusal::Failed(
            "it shows two places for the thread pointer".into(),
        )),
    }
}

/// A thread that waits to end.
struct Asking {
    handle: thread::JoinHandle<()>,
    end: mpsc::Sender<()>,
    tid: u32,
    value: u64,
}

impl Asking {
    fn start() -> Option<Self> {
        let (tell, told) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        let handle = thread::Builder::new()
            .spawn(move || {
                let tid = rustix::thread::gettid().as_raw_pid().cast_unsigned();
                let _ = tell.send((tid, remote::own_thread_pointer()));
                let _ = ended.recv();
            })
            .ok()?;
        let (tid, value) = told.recv().ok()?;
        Some(Self {
            handle,
            end,
            tid,
            value: value?,
        })
    }

    fn answer(self, answers: &mut Array<MapData, ThreadPointerBytes>) -> Option<u32> {
        let question = ThreadPointer {
            value: self.value,
            tid: self.tid,
            place: 0,
        };
        let bytes: ThreadPointerBytes = transmute!(question);
        answers.set(0, bytes, 0).ok()?;
        self.end.send(()).ok()?;
        self.handle.join().ok()?;
        // A thread is joined when its memory is free; the tracepoint comes before that.
        let answer: ThreadPointer = transmute!(answers.get(&0, 0).ok()?);
        (answer.place != 0).then_some(answer.place)
    }
}
