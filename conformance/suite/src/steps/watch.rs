//! Readers that look for half a change while it is made.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;

use crate::answer::Answer;
use crate::exchange::Exchange;
use crate::race::as_client;
use crate::scenario::{Flow, Stop};
use crate::stage::Stage;
use crate::steps::effect::Sight;
use crate::steps::{Change, Look, Rounds};

/// How long a reader waits for the first change, and a writer for readers, between two looks.
const IDLE: Duration = Duration::from_millis(1);

/// Readers that look at one change after the other, effect by effect, and never stop while writers
/// work.
pub struct Watch {
    shared: Arc<Shared>,
    readers: JoinSet<Vec<View>>,
}

#[derive(Default)]
struct Shared {
    changes: Mutex<Vec<Arc<Change>>>,
    /// How many reads there were since the last answer.
    reads: AtomicUsize,
    end: AtomicBool,
}

/// What readers saw of changes.
#[derive(Debug, Default)]
pub struct Views(Vec<(Arc<Change>, View)>);

/// What readers saw of one change.
#[derive(Clone, Debug, Default)]
struct View {
    /// The answer that was the first to show an effect.
    first_seen: Option<Sight>,
    /// The request that was the last to be sent of those that did not show one.
    last_missed: Option<Sight>,
}

impl Watch {
    /// Readers that wait for the first change.
    #[must_use]
    pub fn begin(s: &Stage, readers: usize, look: Look) -> Self {
        let shared: Arc<Shared> = Arc::default();
        let mut tasks = JoinSet::new();
        for reader in 0..readers {
            let (s, shared) = (s.clone(), Arc::clone(&shared));
            // The client that changes what they look at has the number 0.
            let number = u32::try_from(reader + 1).unwrap_or(u32::MAX);
            tasks.spawn(as_client(number, async move {
                read(&s, reader, look, &shared).await
            }));
        }
        Self {
            shared,
            readers: tasks,
        }
    }

    /// From now on the readers look at this change. It is sent, and they look on for a moment after
    /// its answer.
    pub async fn send(&self, s: &Stage, label: &str, change: &Change) -> Answer {
        self.look_at(change);
        let answer = s.ask(label, change.call()).await;
        self.look_on(change).await;
        answer
    }

    /// From now on the readers look at this change.
    pub(super) fn look_at(&self, change: &Change) {
        self.shared.changes().push(Arc::new(change.clone()));
    }

    /// Waits until the readers have looked at this change for a moment more.
    pub(super) async fn look_on(&self, change: &Change) {
        self.shared.reads.store(0, Ordering::Relaxed);
        while self.shared.reads.load(Ordering::Relaxed) < 2 * change.effects().len() {
            tokio::time::sleep(IDLE).await;
        }
    }

    /// What the readers saw of each change.
    ///
    /// # Panics
    ///
    /// If a reader panicked: its panic goes on here.
    pub async fn end(self) -> Views {
        self.shared.end.store(true, Ordering::Relaxed);
        let readers = self.readers.join_all().await;
        let changes = self.shared.changes();
        let mut views = Views::default();
        for (number, change) in changes.iter().enumerate() {
            let mut view = View::default();
            for seen in readers.iter().filter_map(|reader| reader.get(number)) {
                view.join(seen.clone());
            }
            views.0.push((Arc::clone(change), view));
        }
        views
    }
}

impl Shared {
    fn changes(&self) -> MutexGuard<'_, Vec<Arc<Change>>> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One reader, until the end.
async fn read(s: &Stage, reader: usize, look: Look, shared: &Shared) -> Vec<View> {
    let delimiter = s.session().target().delimiter();
    let mut views: Vec<View> = Vec::new();
    // Every reader begins elsewhere.
    let mut step = reader;
    while !shared.end.load(Ordering::Relaxed) {
        let (number, change) = {
            let changes = shared.changes();
            (changes.len(), changes.last().cloned())
        };
        let Some(change) = change else {
            tokio::time::sleep(IDLE).await;
            continue;
        };
        let effect = turn(reader, step, change.effects().len());
        step += 1;
        let asked = &change.effects()[effect];
        let exchange = s.exchange(asked.call(look)).await;
        shared.reads.fetch_add(1, Ordering::Relaxed);
        if let Some(seen) = asked.seen_in(look, &exchange, delimiter) {
            views.resize_with(views.len().max(number), View::default);
            views[number - 1].add(Sight {
                effect,
                seen,
                exchange,
            });
        }
    }
    views
}

/// Which effect a reader looks at: every other reader goes through all of them, forwards and
/// backwards, and the others go back and forth between the first and the last, which the longest time
/// lies between if they come about one after the other.
fn turn(reader: usize, step: usize, count: usize) -> usize {
    let last = count.saturating_sub(1);
    if reader.is_multiple_of(2) {
        return if step.is_multiple_of(2) { 0 } else { last };
    }
    let (pass, at) = (step / count.max(1), step % count.max(1));
    if pass.is_multiple_of(2) {
        at
    } else {
        last - at
    }
}

impl View {
    fn add(&mut self, sight: Sight) {
        let (kept, better): (_, fn(&Exchange, &Exchange) -> bool) = if sight.seen {
            (&mut self.first_seen, |new, old| new.ended() < old.ended())
        } else {
            (&mut self.last_missed, |new, old| {
                new.started() > old.started()
            })
        };
        if kept
            .as_ref()
            .is_none_or(|old| better(&sight.exchange, &old.exchange))
        {
            *kept = Some(sight);
        }
    }

    fn join(&mut self, other: Self) {
        for sight in [other.first_seen, other.last_missed].into_iter().flatten() {
            self.add(sight);
        }
    }

    /// The two answers that show half a change, if any do: one effect was seen, and a request that
    /// was sent after that did not find another.
    fn half(&self) -> Option<(&Sight, &Sight)> {
        let (seen, missed) = (self.first_seen.as_ref()?, self.last_missed.as_ref()?);
        (missed.exchange.started() > seen.exchange.ended()).then_some((seen, missed))
    }
}

impl Views {
    /// With what other readers saw of other changes.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Readers that no answer told anything have seen nothing wrong either.
    fn were_told(&self, label: &str) -> Flow {
        let told = |view: &View| view.first_seen.is_some() || view.last_missed.is_some();
        match self.0.iter().any(|(_, view)| told(view)) {
            true => Ok(()),
            false => Err(Stop::Inconclusive(format!(
                "{label}: no answer told anything"
            ))),
        }
    }

    /// Judges that no reader saw half a change.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if readers were told nothing.
    pub fn no_half(self, requirement: &'static str, label: &str, s: &Stage) -> Flow {
        self.were_told(label)?;
        let mut rounds = Rounds::new(requirement, label).demanding(
            "once one effect is seen, all are",
            "once any effect of a change is seen, a read that begins after that sees all of them",
        );
        for (change, view) in &self.0 {
            rounds.round();
            if let Some((seen, missed)) = view.half() {
                let at = format!(
                    "{} was seen, and {} was not seen by a read that began {} µs later",
                    change.effects()[seen.effect].describe(),
                    change.effects()[missed.effect].describe(),
                    (missed.exchange.started() - seen.exchange.ended()).as_micros()
                );
                let shown = [&seen.exchange, &missed.exchange].map(Arc::clone);
                rounds.fault("a reader saw half a change", &at, shown.into());
            }
        }
        rounds.end(s);
        Ok(())
    }

    /// Judges that no reader saw anything of changes that were refused.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if readers were told nothing.
    pub fn nothing(self, requirement: &'static str, label: &str, s: &Stage) -> Flow {
        self.were_told(label)?;
        let mut rounds = Rounds::new(requirement, label).demanding(
            "nothing of them is ever seen",
            "nothing of a change that is refused is seen, not even for a moment",
        );
        for (change, view) in &self.0 {
            rounds.round();
            if let Some(seen) = &view.first_seen {
                let at = format!("{} was seen", change.effects()[seen.effect].describe());
                let shown = vec![Arc::clone(&seen.exchange)];
                rounds.fault("a reader saw something of a refused change", &at, shown);
            }
        }
        rounds.end(s);
        Ok(())
    }
}
