//! Whether a result is complete and unaltered, and what it does not speak of.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::play::Status;
use crate::result::digest::{parts, whole};
use crate::result::{ReadError, RunResult, Suite, read};
use crate::scenarios;

/// What was found of a result.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The result.
    pub result: RunResult,
    /// What is altered or missing, in words; nothing if the result is complete and as it was written.
    pub faults: Vec<String>,
    /// The scenarios of the suite that were not asked for. None can be named if the result is another
    /// suite's.
    pub not_asked_for: Vec<String>,
}

impl Verified {
    /// Whether the suite that made it is the one that this program is built of.
    #[must_use]
    pub fn by_this_suite(&self) -> bool {
        self.result.suite == Suite::this()
    }

    /// How many scenarios the suite has that were not asked for.
    #[must_use]
    pub fn count_not_asked_for(&self) -> usize {
        let RunResult { suite, plan, .. } = &self.result;
        suite.scenarios.saturating_sub(plan.len())
    }

    /// The scenarios that came out so.
    pub fn of(&self, status: Status) -> impl Iterator<Item = &str> {
        let scenarios = self.result.scenarios.iter();
        scenarios
            .filter(move |scenario| scenario.status == status)
            .map(|scenario| scenario.id.as_str())
    }

    /// Whether every scenario of the suite was asked for, and played against what the server has.
    #[must_use]
    pub fn whole_suite(&self) -> bool {
        self.count_not_asked_for() == 0
            && self.result.part.is_none()
            && self.result.left_out.is_empty()
            && self.of(Status::Unsupported).next().is_none()
            && self.of(Status::Error).next().is_none()
    }
}

impl RunResult {
    /// Looks whether a result that was written is complete and unaltered.
    ///
    /// # Errors
    ///
    /// If it is no result of this [`SCHEMA`](crate::result::SCHEMA).
    pub fn verify(text: &str) -> Result<Verified, ReadError> {
        let value = read::value(text)?;
        let result = Self::of_value(value.clone())?;
        let mut faults = altered(&value, &result);
        faults.extend(missing(&result));
        let asked_for: BTreeSet<&str> = result.plan.iter().map(String::as_str).collect();
        let of_this_suite = result.suite == Suite::this();
        let not_asked_for = scenarios::all()
            .map(|(_, scenario)| scenario.id)
            .filter(|id| of_this_suite && !asked_for.contains(id))
            .map(str::to_owned)
            .collect();
        Ok(Verified {
            result,
            faults,
            not_asked_for,
        })
    }
}

/// The parts that are not what they were when the result was written.
fn altered(value: &Value, result: &RunResult) -> Vec<String> {
    if whole(value) == result.digest {
        return Vec::new();
    }
    let (now, then) = (parts(value), &result.digests);
    let names: BTreeSet<&String> = now.keys().chain(then.keys()).collect();
    let mut altered = Vec::new();
    for name in names {
        match (now.get(name), then.get(name)) {
            (Some(now), Some(then)) if now == then => {}
            (Some(_), Some(_)) => altered.push(format!("altered: {name}")),
            (Some(_), None) => altered.push(format!("added: {name}")),
            (None, _) => altered.push(format!("removed: {name}")),
        }
    }
    if altered.is_empty() {
        altered.push("altered: the digests themselves, or the order of the scenarios".to_owned());
    }
    altered
}

/// The scenarios of the plan of which nothing is said, and what else does not add up.
fn missing(result: &RunResult) -> Vec<String> {
    let mut told: BTreeMap<&str, usize> = BTreeMap::new();
    let played = result.scenarios.iter().map(|scenario| scenario.id.as_str());
    let left_out = result.left_out.iter().map(|left_out| left_out.id.as_str());
    for id in played.chain(left_out) {
        *told.entry(id).or_default() += 1;
    }
    let plan: BTreeSet<&str> = result.own_plan().iter().map(String::as_str).collect();
    let mut faults = Vec::new();
    for id in &plan {
        match told.get(id) {
            Some(1) => {}
            Some(_) => faults.push(format!("told more than once: scenario {id}")),
            None => faults.push(format!("missing: scenario {id} of the plan")),
        }
    }
    let unplanned = told.keys().filter(|id| !plan.contains(*id));
    faults.extend(unplanned.map(|id| format!("not of the plan: scenario {id}")));
    let in_plan = result
        .own_plan()
        .len()
        .saturating_sub(result.left_out.len());
    let ended = result.scenarios.iter();
    let ended = ended.filter(|scenario| scenario.status != Status::Error);
    for (what, said, counted) in [
        ("planned", result.planned, in_plan),
        ("executed", result.executed, ended.count()),
    ] {
        if said != counted {
            faults.push(format!("`{what}` says {said}, and there are {counted}"));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::fixture;

    #[track_caller]
    fn tampered(tamper: impl FnOnce(&mut Value), says: &str) {
        let mut value: Value = serde_json::from_str(&fixture::result().json()).unwrap();
        tamper(&mut value);
        let verified = RunResult::verify(&value.to_string()).unwrap();
        assert!(
            verified.faults.iter().any(|fault| fault == says),
            "{:?}",
            verified.faults
        );
    }

    #[test]
    fn a_result_as_it_was_written_has_no_fault() {
        let verified = RunResult::verify(&fixture::result().json()).unwrap();
        assert_eq!(verified.faults, [""; 0]);
        assert!(!verified.by_this_suite() && !verified.whole_suite());
        assert_eq!(verified.count_not_asked_for(), 1);
    }

    #[test]
    fn spaces_and_the_order_of_names_do_not_matter() {
        let result: RunResult = serde_json::from_str(&fixture::result().json()).unwrap();
        let by_name: BTreeMap<String, Value> =
            serde_json::from_str(&serde_json::to_string(&result).unwrap()).unwrap();
        let text = serde_json::to_string(&by_name).unwrap();
        assert_eq!(RunResult::verify(&text).unwrap().faults, [""; 0]);
    }

    #[test]
    fn numbers_of_any_length_are_the_same_when_they_are_read_again() {
        let mut result = fixture::result();
        result.seconds = 0.1 + 0.2;
        let body = json!({ "v": [f64::from(0.1_f32), 1.797_693_134_862_315_7e308, 5e-324] });
        let exchange = &mut result.scenarios[0].findings[0].exchanges[0];
        exchange.response.as_mut().unwrap().body = Some(body);
        let text = result.sealed().json();
        assert_eq!(RunResult::verify(&text).unwrap().faults, [""; 0]);
    }

    #[test]
    fn what_was_tampered_with_is_named() {
        tampered(
            |value| value["verdict"] = json!("conformant"),
            "altered: verdict",
        );
        tampered(
            |value| value["scenarios"][0]["status"] = json!("pass"),
            "altered: scenario a/b",
        );
        tampered(
            |value| value["digest"] = json!("0"),
            "altered: the digests themselves, or the order of the scenarios",
        );
        tampered(|value| value["note"] = json!("good"), "added: note");
        let without_the_first = |value: &mut Value| {
            value["scenarios"].as_array_mut().unwrap().remove(0);
        };
        tampered(without_the_first, "removed: scenario a/b");
        tampered(without_the_first, "missing: scenario a/b of the plan");
        tampered(without_the_first, "`executed` says 4, and there are 3");
    }

    #[test]
    fn a_scenario_that_is_not_told_is_missed_though_the_digest_is_right() {
        let mut result = fixture::result();
        result.scenarios.remove(0);
        let verified = RunResult::verify(&result.sealed().json()).unwrap();
        assert_eq!(
            verified.faults,
            [
                "missing: scenario a/b of the plan",
                "`executed` says 4, and there are 3"
            ]
        );
    }
}
