//! What a run makes of its expectations.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Date, Entry, Fails};
use crate::log::Finding;
use crate::plan::LeftOut;
use crate::play::{Played, Status};
use crate::requirement::{Level, catalogue};
use crate::scenario::{Scenario, Tier};
use crate::scenarios;

/// What a run is expected to fail in.
#[derive(Clone, Debug)]
pub struct Expectations {
    entries: Vec<Entry>,
    tiers: Vec<Tier>,
    today: Date,
}

/// What came of the expectations.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// The scenarios that failed as it was expected.
    pub known: Vec<Known>,
    /// The scenarios whose failure was accepted until a day that is over.
    pub lapsed: Vec<&'static str>,
    /// The entries that must be taken out or changed.
    pub stale: Vec<Stale>,
}

/// A scenario that failed as it was expected.
#[derive(Clone, Debug)]
pub struct Known {
    /// The scenario.
    pub scenario: &'static str,
    /// The entries that say so.
    pub entries: Vec<Entry>,
}

/// An entry that must be taken out or changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stale {
    /// The entry.
    pub entry: Entry,
    /// What is the matter with it.
    pub why: Why,
}

/// What is the matter with an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// The suite has no such scenario or requirement, or the one does not check the other.
    MatchesNothing,
    /// What it names was played and does not fail.
    Passes,
    /// What it names cannot fail: the server lacks what that needs.
    Unsupported,
    /// Its last day is over.
    Expired,
}

impl Why {
    /// The same in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::MatchesNothing => "it matches nothing that the suite checks; correct it",
            Self::Passes => "it does not fail any more; take it out",
            Self::Unsupported => {
                "it cannot fail, since the server lacks what it needs; take it out"
            }
            Self::Expired => "its last day is over; mend what fails, or accept it for longer",
        }
    }
}

impl Default for Expectations {
    fn default() -> Self {
        Self::new(Vec::new(), Vec::new())
    }
}

/// What can be said of a failure.
enum Excuse<'a> {
    /// All of it is accepted, by these.
    Live(Vec<&'a Entry>),
    /// All of it was accepted once.
    Lapsed,
    /// Some of it never was.
    None,
}

impl Expectations {
    /// These entries, of a server that is declared to have these tiers; none are all.
    #[must_use]
    pub fn new(entries: Vec<Entry>, tiers: Vec<Tier>) -> Self {
        Self {
            entries,
            tiers,
            today: Date::today(),
        }
    }

    /// The entries.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn is_over(&self, entry: &Entry) -> bool {
        let until = entry.expectation.until;
        until.is_some_and(|until| until < self.today)
    }

    fn excuse(&self, played: &Played) -> Excuse<'_> {
        let mut live: Vec<&Entry> = Vec::new();
        let mut lapsed = false;
        for finding in broken(played) {
            let mut covering = self
                .entries
                .iter()
                .filter(|entry| covers(entry, played, finding));
            let found: Vec<&Entry> = covering.by_ref().collect();
            // One that may always fail excuses more than one that may not.
            let of_today = found.iter().filter(|entry| !self.is_over(entry));
            match of_today.min_by_key(|entry| entry.expectation.fails.is_some()) {
                Some(entry) if live.contains(entry) => {}
                Some(entry) => live.push(entry),
                None if found.is_empty() => return Excuse::None,
                None => lapsed = true,
            }
        }
        match (lapsed, live.is_empty()) {
            (true, _) => Excuse::Lapsed,
            (false, false) => Excuse::Live(live),
            (false, true) => Excuse::None,
        }
    }

    /// How often a scenario that came out so is to be played in all, and may fail; none if it need not
    /// be played again.
    pub(crate) fn patience(&self, played: &Played) -> Option<Fails> {
        if played.status != Status::Fail {
            return None;
        }
        let Excuse::Live(entries) = self.excuse(played) else {
            return None;
        };
        let fails = entries.iter().filter_map(|entry| entry.expectation.fails);
        fails.min_by_key(|fails| fails.times)
    }

    /// Whether a scenario that was played alone failed as it was expected, and why that is accepted.
    #[must_use]
    pub fn accepts(&self, played: &Played) -> Option<String> {
        let judgement = self.judge(std::slice::from_ref(played), &[]);
        let known = judgement.known.first()?;
        let reasons = known
            .entries
            .iter()
            .map(|entry| entry.expectation.reason.as_str());
        Some(reasons.collect::<Vec<_>>().join("; "))
    }

    /// What a run makes of them.
    pub(crate) fn judge(&self, played: &[Played], left_out: &[LeftOut]) -> Judgement {
        let mut judgement = Judgement::default();
        for played in played.iter().filter(|played| played.status == Status::Fail) {
            match self.excuse(played) {
                Excuse::Live(entries) if is_patient(&entries, played) => {
                    judgement.known.push(Known {
                        scenario: played.scenario.id,
                        entries: entries.into_iter().cloned().collect(),
                    });
                }
                Excuse::Lapsed => judgement.lapsed.push(played.scenario.id),
                Excuse::Live(_) | Excuse::None => {}
            }
        }
        let stale = self.entries.iter().filter_map(|entry| {
            let why = self.stale(entry, played, left_out)?;
            Some(Stale {
                entry: entry.clone(),
                why,
            })
        });
        judgement.stale = stale.collect();
        judgement
    }

    fn stale(&self, entry: &Entry, played: &[Played], left_out: &[LeftOut]) -> Option<Why> {
        let about: Vec<&Scenario> = scenarios::all()
            .map(|(_, scenario)| scenario)
            .filter(|scenario| is_about(entry, scenario))
            .collect();
        if about.is_empty() {
            return Some(Why::MatchesNothing);
        }
        if self.is_over(entry) {
            return Some(Why::Expired);
        }
        let is_hit = |played: &Played| broken(played).any(|broken| covers(entry, played, broken));
        // What fails now and then passes now and then.
        if entry.expectation.fails.is_some() || played.iter().any(is_hit) {
            return None;
        }
        let statuses: BTreeMap<&str, Status> = played
            .iter()
            .map(|played| (played.scenario.id, played.status))
            .collect();
        // What the run cannot be about, as it is declared, says nothing either way.
        let is_out = |scenario: &Scenario| {
            let other_tier = !self.tiers.is_empty() && !self.tiers.contains(&scenario.tier);
            let mut left_out = left_out.iter().map(|left_out| left_out.scenario.id);
            other_tier || left_out.any(|id| id == scenario.id)
        };
        let about = about.into_iter().filter(|scenario| !is_out(scenario));
        let told: Vec<Option<Status>> = about
            .map(|scenario| statuses.get(scenario.id).copied())
            .collect();
        let is_told = |status: &Option<Status>| !matches!(status, None | Some(Status::Error));
        if told.is_empty() || !told.iter().all(is_told) {
            return None;
        }
        let lacking = |status: &Option<Status>| *status == Some(Status::Unsupported);
        Some(match told.iter().all(lacking) {
            true => Why::Unsupported,
            false => Why::Passes,
        })
    }
}

/// The findings that fail a certification.
fn broken(played: &Played) -> impl Iterator<Item = &Finding> {
    let findings = played.findings.iter();
    findings.filter(|finding| finding.level == Level::Must)
}

fn covers(entry: &Entry, played: &Played, finding: &Finding) -> bool {
    let expectation = &entry.expectation;
    expectation.names(played.scenario.id) && expectation.cites(finding.requirement)
}

/// Whether it failed no more often than each of these accepts.
fn is_patient(entries: &[&Entry], played: &Played) -> bool {
    let failed = |status: &&Status| **status == Status::Fail;
    let failures = 1 + played.again.iter().filter(failed).count();
    let fails = entries.iter().filter_map(|entry| entry.expectation.fails);
    fails
        .into_iter()
        .all(|fails| failures <= usize::from(fails.times))
}

/// Whether an entry's failure can come about in a scenario.
fn is_about(entry: &Entry, scenario: &Scenario) -> bool {
    let expectation = &entry.expectation;
    if !expectation.names(scenario.id) {
        return false;
    }
    let Some(id) = &expectation.requirement else {
        return true;
    };
    // Some are checked with every answer, whatever the scenario.
    let of_all = catalogue().get(&id.to_uppercase());
    let of_all = of_all.is_some_and(|requirement| requirement.checked.is_some());
    of_all
        || scenario
            .requirements
            .iter()
            .any(|own| expectation.cites(own))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::Expectation;
    use super::*;
    use crate::log::Deviation;

    const SCENARIO: &str = "put-if-not-exists/second-create-is-refused";

    fn entry(change: impl FnOnce(&mut Expectation)) -> Entry {
        let mut expectation = Expectation {
            scenario: Some(SCENARIO.to_owned()),
            reason: "it is known".to_owned(),
            ..Expectation::default()
        };
        change(&mut expectation);
        Entry {
            place: "conformance.toml, line 1".to_owned(),
            expectation,
        }
    }

    fn played(status: Status, breaks: &[&'static str]) -> Played {
        let (_, scenario) = scenarios::find(SCENARIO).unwrap();
        let deviation = || Deviation::new("one", "another", []);
        let findings = breaks.iter();
        Played {
            scenario,
            status,
            transcript: String::new(),
            findings: findings
                .map(|id| Finding::new(id, Level::Must, deviation()))
                .collect(),
            observations: Vec::new(),
            cited: Vec::new(),
            answers: Default::default(),
            reason: None,
            lacking: Vec::new(),
            lacks: None,
            again: Vec::new(),
            seed: 1,
            history: None,
            took: Duration::ZERO,
        }
    }

    fn judged(entry: Entry, played: Played) -> (usize, Vec<Why>) {
        let judgement = Expectations::new(vec![entry], Vec::new()).judge(&[played], &[]);
        let stale = judgement.stale.iter().map(|stale| stale.why);
        (judgement.known.len(), stale.collect())
    }

    #[test]
    fn a_failure_is_known_by_scenario_or_by_all_that_it_breaks() {
        let fails = || played(Status::Fail, &["VER-2", "VER-3"]);
        let of = |requirement: &str, scenario: Option<&str>| {
            entry(|known| {
                known.requirement = Some(requirement.to_owned());
                known.scenario = scenario.map(str::to_owned);
            })
        };
        assert_eq!(judged(entry(|_| ()), fails()), (1, vec![]));
        assert_eq!(judged(of("VER-2", Some(SCENARIO)), fails()), (0, vec![]));
        let two = vec![of("VER-2", None), of("ver-3", Some("put-*"))];
        let judgement = Expectations::new(two, Vec::new()).judge(&[fails()], &[]);
        assert_eq!(judgement.known[0].entries.len(), 2);
        assert!(judgement.stale.is_empty());
    }

    #[test]
    fn what_does_not_fail_is_stale_and_what_was_not_told_is_not() {
        for (status, why) in [
            (Status::Pass, vec![Why::Passes]),
            (Status::Warn, vec![Why::Passes]),
            (Status::Unsupported, vec![Why::Unsupported]),
            (Status::Error, vec![]),
        ] {
            assert_eq!(judged(entry(|_| ()), played(status, &[])), (0, why));
        }
        let wider = entry(|known| known.scenario = Some("put-if-not-exists/*".to_owned()));
        assert_eq!(judged(wider, played(Status::Pass, &[])), (0, vec![]));
        let none = entry(|known| known.requirement = Some("NOPE-1".to_owned()));
        let passes = played(Status::Pass, &[]);
        assert_eq!(judged(none, passes), (0, vec![Why::MatchesNothing]));
    }

    #[test]
    fn an_expired_one_excuses_nothing_any_more() {
        let (year, month, day) = (2020, 1, 31);
        let expired = entry(|known| known.until = Some(Date { year, month, day }));
        let fails = played(Status::Fail, &["VER-2"]);
        let expectations = Expectations::new(vec![expired], Vec::new());
        let judgement = expectations.judge(&[fails], &[]);
        assert!(judgement.known.is_empty());
        assert_eq!(judgement.lapsed, [SCENARIO]);
        assert_eq!(judgement.stale[0].why, Why::Expired);
    }

    #[test]
    fn what_fails_now_and_then_may_do_so_and_no_more() {
        let flaky = || entry(|known| known.fails = Some("1 of 3".parse().unwrap()));
        let fails = |again: &[Status]| Played {
            again: again.to_vec(),
            ..played(Status::Fail, &["VER-2"])
        };
        let expectations = Expectations::new(vec![flaky()], Vec::new());
        let patience = expectations.patience(&fails(&[]));
        assert_eq!(patience.map(|fails| fails.of), Some(3));
        assert_eq!(judged(flaky(), fails(&[Status::Pass, Status::Pass])).0, 1);
        assert_eq!(judged(flaky(), fails(&[Status::Fail])), (0, vec![]));
        assert_eq!(judged(flaky(), played(Status::Pass, &[])), (0, vec![]));
    }
}
