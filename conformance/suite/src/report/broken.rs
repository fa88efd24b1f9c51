//! Which requirements are broken, in the order in which to mend them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::play::Status;
use crate::requirement::{Level, catalogue};
use crate::result::RunResult;

/// A requirement that findings cite.
pub(super) struct Broken<'a> {
    pub(super) requirement: &'a str,
    pub(super) level: Level,
    /// Whether data is lost or mixed up by it.
    pub(super) data_at_stake: bool,
    /// The scenarios that show it.
    pub(super) shown_by: BTreeSet<&'a str>,
}

/// The broken requirements: demanded ones first, of those the ones that cost data, and of those the ones that
/// most scenarios show.
pub(super) fn broken(result: &RunResult) -> Vec<Broken<'_>> {
    let mut broken: BTreeMap<(&str, Level), BTreeSet<&str>> = BTreeMap::new();
    for scenario in &result.scenarios {
        // What a server lacks is told at its tier.
        if scenario.status == Status::Unsupported {
            continue;
        }
        for finding in &scenario.findings {
            let shown_by = broken.entry((finding.requirement.as_str(), finding.level));
            shown_by.or_default().insert(scenario.id.as_str());
        }
    }
    let broken = broken.into_iter();
    let mut broken: Vec<Broken<'_>> = broken
        .map(|((requirement, level), shown_by)| Broken {
            requirement,
            level,
            data_at_stake: catalogue()
                .get(requirement)
                .is_some_and(|known| known.data_at_stake && level == known.level),
            shown_by,
        })
        .collect();
    broken.sort_by_key(|broken| {
        let weight = Reverse((broken.level, broken.data_at_stake, broken.shown_by.len()));
        (weight, place(broken.requirement))
    });
    broken
}

/// A requirement's place in the catalogue.
pub(super) fn place(id: &str) -> usize {
    let mut requirements = catalogue().iter();
    requirements
        .position(|requirement| requirement.id == id)
        .unwrap_or(usize::MAX)
}

/// A requirement's sentence.
pub(super) fn statement(requirement: &str) -> &str {
    catalogue()
        .get(requirement)
        .map_or("", |requirement| requirement.statement.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture::result;

    #[test]
    fn what_costs_data_is_told_before_what_many_scenarios_show() {
        let mut result = result();
        let [lost, form, code] = ["VER-2", "REST-9", "REST-15"].map(|requirement| {
            let mut finding = result.scenarios[0].findings[0].clone();
            requirement.clone_into(&mut finding.requirement);
            finding
        });
        let mut doubt = code;
        doubt.level = Level::Should;
        for scenario in &mut result.scenarios {
            scenario.findings = vec![doubt.clone(), form.clone()];
        }
        result.scenarios[0].findings.push(lost);
        let order: Vec<(&str, bool)> = broken(&result)
            .iter()
            .map(|broken| (broken.requirement, broken.data_at_stake))
            .collect();
        assert_eq!(
            order,
            [("VER-2", true), ("REST-9", false), ("REST-15", false)]
        );
    }
}
