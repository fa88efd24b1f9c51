//! Histories judged.

use std::sync::Arc;

use lance_namespace_history::{Verdict, Violation, check, timeline};

use super::entries::{self, Recording};
use super::names::Names;
use super::{loose, translate};
use crate::exchange::Exchange;
use crate::log::{Deviation, Observation};
use crate::requirement::Level;
use crate::stage::Stage;

/// What the transcript says of a history that holds.
const HELD: &str = "every answer fits into one order";

impl Stage {
    /// Judges all that the stage's clients asked and were told so far, as one history: there is an
    /// order, consistent with real time, in which every operation takes effect at one point and every
    /// answer is explained. Writes one line of the transcript; answers whether that held.
    ///
    /// What writes alone break is ORD-6, what reads have a part in is ORD-7; if that one is not among
    /// `requirements`, the first of these is. What is explained if a delete of several versions need
    /// not be done at one point is a warning only. A history that is too hard to judge breaks nothing:
    /// that becomes an observation.
    ///
    /// What each client asks must be asked [as that client](crate::race::as_client), and everything
    /// that changes the tables must go through the stage.
    pub async fn judge_history(&self, label: &str, requirements: &[&'static str]) -> bool {
        for requirement in requirements {
            self.cite(requirement);
        }
        let recording = Arc::new(self.recording().await);
        let Some(violation) = self.judged(&recording, label, requirements).await else {
            self.line(format!("{label}: {HELD}"));
            return true;
        };
        self.keep_recording(Arc::clone(&recording));
        // What breaks a must breaks it although deletes may take their time.
        let (recording, violation, level) = match loose::loosened(&recording).map(Arc::new) {
            None => (recording, violation, Level::Must),
            Some(loose) => match self.judged(&loose, label, requirements).await {
                Some(violation) => (loose, violation, Level::Must),
                None => (recording, violation, Level::Should),
            },
        };
        let broken = match level {
            Level::Must => "no order explains every answer",
            _ => "no order explains every answer, unless deletes are done bit by bit",
        };
        self.line(format!("{label}: {broken}"));
        let requirement = requirement(&violation);
        let is_asked = requirements.contains(&requirement);
        let requirement = match requirements.first() {
            Some(first) if !is_asked => first,
            _ => requirement,
        };
        let mut exchanges: Vec<Arc<Exchange>> = Vec::new();
        for exchange in violation.places.iter().map(|at| &recording.exchanges[*at]) {
            let new = exchange.as_ref();
            let new = new.filter(|new| !exchanges.iter().any(|old| Arc::ptr_eq(old, new)));
            exchanges.extend(new.cloned());
        }
        let expected = format!("{label}: {HELD}");
        let deviation = Deviation::new(expected, violation.to_string(), exchanges);
        self.violated_in_time(requirement, level, deviation, timeline(&violation));
        false
    }

    /// The smallest part of a history that nothing explains, if it is broken.
    async fn judged(
        &self,
        recording: &Arc<Recording>,
        label: &str,
        requirements: &[&'static str],
    ) -> Option<Box<Violation>> {
        let judged = Arc::clone(recording);
        let verdict = tokio::task::spawn_blocking(move || check(&judged.history)).await;
        match verdict {
            Ok(Verdict::Consistent { .. }) => None,
            Ok(Verdict::Violation(violation)) => Some(violation),
            Ok(Verdict::Inconclusive { why }) => {
                if let Some(requirement) = requirements.first() {
                    let choice = format!("{label}: too hard to judge: {why}");
                    self.observe(Observation {
                        requirement,
                        choice,
                    });
                }
                None
            }
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        }
    }

    /// Forgets what was asked so far: a history that is judged later is about tables that are declared
    /// from now on. For those who play so long that the whole would be too much.
    pub fn forget_history(&self) {
        self.recorder().forget();
    }

    /// All that was asked so far, as a history.
    pub(crate) async fn recording(&self) -> Recording {
        let recorder = self.recorder();
        let names = Names::within(self.place());
        let session = self.session();
        let drafts = translate::drafts(recorder, &names, session.target().delimiter());
        entries::settle(drafts, &recorder.storage(), &names).await
    }
}

/// The requirement that a violation breaks.
fn requirement(violation: &Violation) -> &'static str {
    let reads =
        |operation: &lance_namespace_history::operation::Operation| !operation.call.changes();
    match violation.operations.iter().any(reads) {
        true => "ORD-7",
        false => "ORD-6",
    }
}
