//! Histories judged.

use std::sync::Arc;

use lance_namespace_history::{Verdict, Violation, check, timeline};

use super::entries::{self, Recording};
use super::names::Names;
use super::translate;
use crate::log::{Deviation, Observation};
use crate::stage::Stage;

/// What the transcript says of a history that holds.
const HELD: &str = "every answer fits into one order";

impl Stage {
    /// Judges all that the stage's clients asked and were told so far, as one history: there is an
    /// order, consistent with real time, in which every operation takes effect at one point and every
    /// answer is explained. Writes one line of the transcript; answers whether that held.
    ///
    /// What writes alone break is ORD-6, what reads have a part in is ORD-7; if that one is not among
    /// `requirements`, the first of these is. A history that is too hard to judge breaks nothing: that
    /// becomes an observation.
    ///
    /// What each client asks must be asked [as that client](crate::race::as_client), and everything
    /// that changes the tables must go through the stage.
    pub async fn judge_history(&self, label: &str, requirements: &[&'static str]) -> bool {
        for requirement in requirements {
            self.cite(requirement);
        }
        let recording = Arc::new(self.recording().await);
        let judged = Arc::clone(&recording);
        let verdict = tokio::task::spawn_blocking(move || check(&judged.history)).await;
        let violation = match verdict {
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
        };
        let Some(violation) = violation else {
            self.line(format!("{label}: {HELD}"));
            return true;
        };
        self.line(format!("{label}: no order explains every answer"));
        self.keep_recording(Arc::clone(&recording));
        let requirement = broken(&violation);
        let is_asked = requirements.contains(&requirement);
        let requirement = match requirements.first() {
            Some(first) if !is_asked => first,
            _ => requirement,
        };
        let exchanges = violation.places.iter();
        let exchanges = exchanges.filter_map(|place| recording.exchanges.get(*place)?.clone());
        let expected = format!("{label}: {HELD}");
        let deviation = Deviation::new(expected, violation.to_string(), exchanges);
        self.violates_with_timeline(requirement, deviation, timeline(&violation));
        false
    }

    /// Forgets what was asked so far: a history that is judged later is about tables that are declared
    /// from now on. For those who play so long that the whole would be too much.
    pub fn forget_history(&self) {
        self.recorder().forget();
    }

    /// All that was asked so far, as a history.
    pub(crate) async fn recording(&self) -> Recording {
        let recorder = self.recorder();
        let names = Names::within(self.home_id());
        let session = self.session();
        let drafts = translate::drafts(recorder, &names, session.target().delimiter());
        entries::settle(drafts, &recorder.storage(), &names).await
    }
}

/// The requirement that a violation breaks.
fn broken(violation: &Violation) -> &'static str {
    let reads =
        |operation: &lance_namespace_history::operation::Operation| !operation.call.changes();
    match violation.operations.iter().any(reads) {
        true => "ORD-7",
        false => "ORD-6",
    }
}
