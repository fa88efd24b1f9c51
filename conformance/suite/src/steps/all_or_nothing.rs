//! Sending a change, and judging that readers see the whole of it or nothing.

use std::sync::Arc;

use crate::answer::{Answer, Reply};
use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::outcome::{Outcome, Refusal};
use crate::requirement::Level;
use crate::scenario::Flow;
use crate::stage::Stage;
use crate::steps::effect::{Look, Sight};
use crate::steps::{Change, Rounds};

/// The most reads that a finding shows.
const SHOWN: usize = 4;

/// What readers may see of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    Whole,
    Nothing,
    /// Either of them.
    WholeOrNothing,
}

impl Extent {
    /// What readers may see of a change that was answered so.
    fn answered(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Ok => Self::Whole,
            Outcome::Refused(..) => Self::Nothing,
            Outcome::Failed(_) | Outcome::Lost => Self::WholeOrNothing,
        }
    }
}

impl Rounds {
    /// Judges that a change is seen as it was answered, whole or not at all.
    ///
    /// # Errors
    ///
    /// [`crate::scenario::Stop::Inconclusive`] if it cannot be read.
    pub async fn as_answered(
        &mut self,
        s: &Stage,
        change: &Change,
        exchange: &Arc<Exchange>,
    ) -> Flow {
        self.round();
        let extent = Extent::answered(Outcome::of(exchange));
        let sights = s.look(change, Look::Describe).await?;
        if let Some(found) = deviation(change, extent, &sights, Look::Describe, exchange) {
            let what = "a change was not seen as it was answered";
            self.fault(what, &found.actual, found.exchanges);
        }
        Ok(())
    }
}

impl Stage {
    /// Sends a change that must be carried out; then readers must see the whole of it.
    ///
    /// # Errors
    ///
    /// [`crate::scenario::Stop::Violated`] if it is not carried out, [`crate::scenario::Stop::Inconclusive`] if no answer came.
    pub async fn done(
        &self,
        requirement: &'static str,
        label: &str,
        change: &Change,
    ) -> Flow<Reply> {
        let answer = self.ask(label, change.call()).await;
        let (outcome, exchange) = (answer.outcome(), answer.exchange());
        let reply = answer.ok(requirement);
        // A broken promise to carry it out is one thing, half of it done another.
        let extent = Extent::answered(outcome);
        self.extent(requirement, change, extent, &exchange).await?;
        reply
    }

    /// Sends a change that must be refused in this way; then readers must see nothing of it.
    ///
    /// # Errors
    ///
    /// [`crate::scenario::Stop::Inconclusive`] if no answer came.
    pub async fn refused(
        &self,
        requirement: &'static str,
        label: &str,
        change: &Change,
        refusal: Refusal,
    ) -> Flow<Arc<Exchange>> {
        self.without_effect(requirement, label, change, |answer| {
            answer.refused(requirement, refusal)
        })
        .await
    }

    /// Sends a change that must be refused, best in one of these ways; then readers must see
    /// nothing of it.
    ///
    /// # Errors
    ///
    /// [`crate::scenario::Stop::Inconclusive`] if no answer came.
    pub async fn refused_best_as(
        &self,
        requirement: &'static str,
        label: &str,
        change: &Change,
        refusals: &[Refusal],
    ) -> Flow<Arc<Exchange>> {
        self.without_effect(requirement, label, change, |answer| {
            answer.refused_best_as(requirement, refusals)
        })
        .await
    }

    /// Sends a change that must not be carried out, whatever the error, best of these; then readers
    /// must see nothing of it.
    ///
    /// # Errors
    ///
    /// [`crate::scenario::Stop::Inconclusive`] if no answer came.
    pub async fn not_done(
        &self,
        requirement: &'static str,
        label: &str,
        change: &Change,
        refusals: &[Refusal],
    ) -> Flow<Arc<Exchange>> {
        self.without_effect(requirement, label, change, |answer| {
            answer.not_done(requirement, refusals)
        })
        .await
    }

    /// What readers see is judged even where the answer itself tells nothing.
    async fn without_effect(
        &self,
        requirement: &'static str,
        label: &str,
        change: &Change,
        judge: impl FnOnce(Answer) -> Flow,
    ) -> Flow<Arc<Exchange>> {
        let answer = self.ask(label, change.call()).await;
        let exchange = answer.exchange();
        let judged = judge(answer);
        self.extent(requirement, change, Extent::Nothing, &exchange)
            .await?;
        judged.map(|()| exchange)
    }

    /// Sends a change that the specification lets a server take or refuse: which it was becomes an
    /// observation, and a failure with a 5xx weighs this much. Readers must see the whole of it, or
    /// nothing.
    ///
    /// # Errors
    ///
    /// [`crate::scenario::Stop::Violated`] if the server failed, [`crate::scenario::Stop::Inconclusive`] if no answer came.
    pub async fn done_or_refused(
        &self,
        requirement: &'static str,
        label: &str,
        change: &Change,
        failure: Level,
    ) -> Flow<Option<Reply>> {
        let answer = self.ask(label, change.call()).await;
        let exchange = answer.exchange();
        let reply = answer.open_weighing(requirement, failure);
        self.as_answered(requirement, change, &exchange, &Look::BOTH)
            .await?;
        reply
    }

    /// Judges that readers who look there see as much of a change as its answer says: the whole of
    /// it or nothing, where the specification leaves open which.
    ///
    /// # Errors
    ///
    /// [`crate::scenario::Stop::Inconclusive`] if it cannot be read.
    pub async fn as_answered(
        &self,
        requirement: &'static str,
        change: &Change,
        exchange: &Arc<Exchange>,
        looks: &[Look],
    ) -> Flow {
        let extent = Extent::answered(Outcome::of(exchange));
        let held = "seen as answered, whole or not at all";
        self.judge_extent(requirement, change, extent, held, exchange, looks)
            .await
    }

    /// Judges that readers see the whole of a change.
    ///
    /// # Errors
    ///
    /// [`crate::scenario::Stop::Inconclusive`] if it cannot be read.
    pub async fn seen_whole(
        &self,
        requirement: &'static str,
        change: &Change,
        exchange: &Arc<Exchange>,
    ) -> Flow {
        self.extent(requirement, change, Extent::Whole, exchange)
            .await
    }

    /// Judges that the answer to a change without parts, if it was carried out, has an empty result
    /// in this field.
    pub fn has_empty_result(&self, requirement: &'static str, field: &str, reply: Option<Reply>) {
        let results = reply
            .as_ref()
            .and_then(|reply| reply.body[field].as_array().map(Vec::len));
        let held = match (results, reply) {
            (Some(1..), Some(reply)) => Err(Deviation::new(
                "an empty result",
                format!("a result in {field}"),
                [reply.exchange],
            )),
            _ => Ok(()),
        };
        self.cite(requirement);
        let label = "its result";
        match held {
            Ok(()) => self.line(format!("{label}: empty, if it has one")),
            Err(deviation) => {
                self.line(format!("{label}: {}", deviation.actual));
                self.violated(requirement, Level::Should, deviation);
            }
        }
    }

    /// What is seen of a change that leaves nothing, if anything is. Writes no line.
    ///
    /// # Errors
    ///
    /// [`crate::scenario::Stop::Inconclusive`] if it cannot be read.
    pub async fn left_over(
        &self,
        change: &Change,
        exchange: &Arc<Exchange>,
    ) -> Flow<Option<Deviation>> {
        for look in Look::BOTH {
            let sights = self.look(change, look).await?;
            if let Some(left) = deviation(change, Extent::Nothing, &sights, look, exchange) {
                return Ok(Some(left));
            }
        }
        Ok(None)
    }

    async fn extent(
        &self,
        requirement: &'static str,
        change: &Change,
        extent: Extent,
        exchange: &Arc<Exchange>,
    ) -> Flow {
        let held = match extent {
            Extent::Whole => "seen whole",
            Extent::Nothing => "not seen at all",
            Extent::WholeOrNothing => "seen whole or not at all",
        };
        self.judge_extent(requirement, change, extent, held, exchange, &Look::BOTH)
            .await
    }

    /// Half a change is a must, whatever the level of the requirement that asked for it.
    async fn judge_extent(
        &self,
        requirement: &'static str,
        change: &Change,
        extent: Extent,
        held: &str,
        exchange: &Arc<Exchange>,
        looks: &[Look],
    ) -> Flow {
        self.cite(requirement);
        let mut held = Ok(held);
        for &look in looks {
            let sights = self.look(change, look).await?;
            if let Some(deviation) = deviation(change, extent, &sights, look, exchange) {
                held = Err(deviation);
                break;
            }
        }
        match held {
            Ok(held) => self.line(format!("{}: {held}", change.name())),
            Err(deviation) => {
                self.line(format!("{}: {}", change.name(), deviation.actual));
                self.violated(requirement, Level::Must, deviation);
            }
        }
        Ok(())
    }
}

fn deviation(
    change: &Change,
    extent: Extent,
    sights: &[Sight],
    look: Look,
    exchange: &Arc<Exchange>,
) -> Option<Deviation> {
    let (seen, missed): (Vec<&Sight>, Vec<&Sight>) = sights.iter().partition(|sight| sight.seen);
    let (expected, odd) = match extent {
        Extent::Whole if !missed.is_empty() => ("the whole of it is seen", &missed),
        Extent::Nothing if !seen.is_empty() => ("nothing of it is seen", &seen),
        Extent::WholeOrNothing if !seen.is_empty() && !missed.is_empty() => {
            ("the whole of it is seen, or nothing", &seen)
        }
        _ => return None,
    };
    let names = |sights: &[&Sight]| -> String {
        let names = sights.iter().take(SHOWN);
        let mut names: Vec<String> = names
            .map(|sight| change.effects()[sight.effect].describe())
            .collect();
        if sights.len() > SHOWN {
            names.push(format!("{} more", sights.len() - SHOWN));
        }
        match names.is_empty() {
            true => "none".to_owned(),
            false => names.join(", "),
        }
    };
    let answered = Outcome::of(exchange);
    let actual = format!(
        "answered {answered}, and of its {} effects {} are seen by {} ({}) and {} are not ({})",
        sights.len(),
        seen.len(),
        match look {
            Look::Describe => "describing",
            Look::List => "listing",
        },
        names(&seen),
        missed.len(),
        names(&missed),
    );
    let mut exchanges = vec![Arc::clone(exchange)];
    // Where both are there, one of each shows the half.
    exchanges.extend(odd.iter().take(2).map(|sight| Arc::clone(&sight.exchange)));
    let other = if extent == Extent::Whole {
        seen
    } else {
        missed
    };
    exchanges.extend(
        other
            .iter()
            .take(1)
            .map(|sight| Arc::clone(&sight.exchange)),
    );
    Some(Deviation::new(
        format!("{}: {expected}", change.name()),
        actual,
        exchanges,
    ))
}
