//! The threads that sample: one for each CPU on which there is a target.
//!
//! A thread that would follow the targets from CPU to CPU pays more for each hop than another thread pays for
//! its wake-up, and without privileges it waits behind the target for the CPU. So the targets go round and
//! the threads stay: one whose target went to another CPU hands it to the thread there.

use super::{
    alarm::Alarm,
    schedule::Schedule,
    sight::Tools,
    target::{Here, Target, Then},
};
use remote::task::thread as own;
use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle, Thread},
    time::Duration,
};

/// The work of a sampling thread is shallow: it has no large locals, and calls nothing deep.
const THREAD_STACK: usize = 64 << 10;

/// Timers in turn ring whether they are waited for or not. Where ticks come so fast that one is often still at work
/// when the next is due, that costs more than it saves.
const IN_TURN_FROM_NS: u64 = 500_000;

/// All that the sampling threads share.
#[derive(Debug)]
pub struct Crew {
    pub schedule: Schedule,
    max_depth: u16,
    stopping: AtomicBool,
    /// No tick after this one is due.
    last_tick: AtomicU64,
    posts: Box<[Post]>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// How many threads run without priority over others.
    pub unprivileged: AtomicU32,
}

/// The place of one CPU.
#[derive(Debug, Default)]
struct Post {
    /// Whether this process may run there.
    reachable: AtomicBool,
    thread: OnceLock<Option<Sleeper>>,
    has_mail: AtomicBool,
    #[expect(clippy::vec_box, reason = "targets go from hand to hand, and are large")]
    inbox: Mutex<Vec<Box<Target>>>,
}

/// How a thread is woken, whatever it waits for.
#[derive(Clone, Debug)]
struct Sleeper {
    thread: Thread,
    alarm: Option<Arc<Alarm>>,
}

impl Sleeper {
    fn wake(&self) {
        if let Some(alarm) = &self.alarm {
            alarm.ring();
        }
        self.thread.unpark();
    }
}

impl Crew {
    pub fn new(schedule: Schedule, max_depth: u16) -> Arc<Self> {
        let posts: Box<[Post]> = (0..own::processors())
            .map(|processor| Post {
                reachable: AtomicBool::new(own::may_use(processor)),
                ..Post::default()
            })
            .collect();
        Arc::new(Self {
            schedule,
            max_depth,
            stopping: AtomicBool::new(false),
            last_tick: AtomicU64::new(u64::MAX),
            posts,
            threads: Mutex::default(),
            unprivileged: AtomicU32::new(0),
        })
    }

    /// Gives a target to the thread of that CPU, or of any if that one may not be used. Gives it back where
    /// there is no thread, and none can be started.
    pub fn hand_over(self: &Arc<Self>, processor: u32, target: Box<Target>) -> Result<(), Box<Target>> {
        let processors = 0..self.posts.len() as u32;
        let Some(processor) = std::iter::once(processor)
            .chain(processors)
            .find(|&processor| self.is_reachable(processor))
        else {
            return Err(target);
        };
        let post = &self.posts[processor as usize];
        let Some(thread) = post.thread.get_or_init(|| self.start_thread(processor).ok()) else {
            post.reachable.store(false, Ordering::Relaxed);
            return Err(target);
        };
        lock(&post.inbox).push(target);
        post.has_mail.store(true, Ordering::SeqCst);
        thread.wake();
        Ok(())
    }

    /// What is due after `until_ns` is not, however late [`Crew::stop`] comes.
    pub fn end_at(&self, until_ns: u64) {
        self.last_tick
            .store(self.schedule.tick_at(until_ns), Ordering::Relaxed);
    }

    /// The last tick that is due at this time.
    fn tick_at(&self, now_ns: u64) -> u64 {
        self.schedule
            .tick_at(now_ns)
            .min(self.last_tick.load(Ordering::Relaxed))
    }

    /// Whether the machine has CPUs that this process may not use.
    pub fn is_confined(&self) -> bool {
        self.posts
            .iter()
            .any(|post| !post.reachable.load(Ordering::Relaxed))
    }

    /// Ends all threads, and waits for them.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        for post in &self.posts {
            if let Some(Some(thread)) = post.thread.get() {
                thread.wake();
            }
        }
        for thread in lock(&self.threads).drain(..) {
            let _ = thread.join();
        }
        let tick = self.tick_at(own::now_ns());
        for post in &self.posts {
            for mut target in lock(&post.inbox).drain(..) {
                target.close(tick);
            }
        }
    }

    /// Whether this process may run on that CPU.
    pub fn is_reachable(&self, processor: u32) -> bool {
        self.posts
            .get(processor as usize)
            .is_some_and(|post| post.reachable.load(Ordering::Relaxed))
    }

    fn start_thread(self: &Arc<Self>, processor: u32) -> io::Result<Sleeper> {
        let crew = self.clone();
        let alarm = if self.schedule.period_ns() < IN_TURN_FROM_NS {
            None
        } else {
            Some(Arc::new(Alarm::new(
                self.schedule,
                self.schedule.tick_at(own::now_ns()),
            )?))
        };
        let clock = alarm.clone();
        let handle = thread::Builder::new()
            .name(format!("sampler/{processor}"))
            .stack_size(THREAD_STACK)
            .spawn(move || Member::new(crew, processor).run(clock.as_deref()))?;
        let thread = handle.thread().clone();
        lock(&self.threads).push(handle);
        Ok(Sleeper { thread, alarm })
    }
}

/// One sampling thread.
struct Member {
    crew: Arc<Crew>,
    processor: u32,
    pinned: bool,
    #[expect(clippy::vec_box, reason = "targets go from hand to hand, and are large")]
    targets: Vec<Box<Target>>,
    tools: Tools,
}

impl Member {
    fn new(crew: Arc<Crew>, processor: u32) -> Self {
        let pinned = own::pin(processor).is_ok();
        crew.posts[processor as usize]
            .reachable
            .store(pinned, Ordering::Relaxed);
        own::fine_timers();
        if own::go_first().is_err() {
            crew.unprivileged.fetch_add(1, Ordering::Relaxed);
        }
        Self {
            processor,
            pinned,
            targets: Vec::new(),
            tools: Tools::new(crew.max_depth),
            crew,
        }
    }

    fn run(mut self, alarm: Option<&Alarm>) {
        let crew = self.crew.clone();
        let post = &crew.posts[self.processor as usize];
        while !crew.stopping.load(Ordering::SeqCst) {
            if post.has_mail.swap(false, Ordering::SeqCst) {
                self.targets.append(&mut lock(&post.inbox));
            }
            let began = own::now_ns();
            self.visit_all(crew.tick_at(began));
            if self.targets.is_empty() {
                // Whoever brings mail leaves a token that ends this at once.
                thread::park();
                continue;
            }
            let ended = own::now_ns();
            let wake = crew.schedule.wake_ns(began, ended);
            let next = crew.schedule.tick_at(began) + 1;
            let Some(alarm) = alarm.filter(|_| wake == crew.schedule.due_ns(next)) else {
                thread::park_timeout(Duration::from_nanos(wake.saturating_sub(ended)));
                continue;
            };
            alarm.expect(next);
            if !post.has_mail.load(Ordering::SeqCst) && !crew.stopping.load(Ordering::SeqCst) {
                alarm.wait();
            }
        }
        let tick = crew.tick_at(own::now_ns());
        for target in &mut self.targets {
            target.close(tick);
        }
    }

    fn visit_all(&mut self, tick: u64) {
        let here = Here {
            processor: self.pinned.then_some(self.processor),
            crew: &self.crew,
        };
        // It has slept since.
        self.tools.presence.lasts();
        let mut index = 0;
        while let Some(target) = self.targets.get_mut(index) {
            if !target.is_due(tick) {
                index += 1;
                continue;
            }
            match target.visit(tick, here, &mut self.tools) {
                Then::Stay => index += 1,
                Then::Leave => drop(self.targets.swap_remove(index)),
                Then::Move(processor) => {
                    let target = self.targets.swap_remove(index);
                    if let Err(target) = self.crew.hand_over(processor, target) {
                        self.targets.push(target);
                    }
                }
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
