//! The map between requirements and scenarios holds in both directions.

use std::collections::BTreeSet;

use lance_namespace_suite::golden;
use lance_namespace_suite::requirement::catalogue;
use lance_namespace_suite::scenarios;

#[test]
fn every_requirement_is_checked_or_says_why_not() {
    for requirement in catalogue().iter() {
        let ways = [
            !requirement.scenarios.is_empty(),
            requirement.checked.is_some(),
            requirement.excluded.is_some(),
        ];
        let ways = ways.iter().filter(|way| **way).count();
        assert_eq!(
            ways, 1,
            "{}: scenarios, checked or excluded",
            requirement.id
        );
    }
}

#[test]
fn a_requirement_that_is_checked_says_how_servers_come_to_break_it() {
    for requirement in catalogue().iter() {
        let checked = !requirement.scenarios.is_empty() || requirement.checked.is_some();
        let causes = &requirement.causes;
        assert!(
            !checked || !causes.is_empty(),
            "{}: no causes",
            requirement.id
        );
        // A list item of a report, to be read at a glance.
        for cause in causes {
            let words = cause.split(' ').count();
            assert!((4..=25).contains(&words), "{}: {cause}", requirement.id);
            assert!(!cause.ends_with('.'), "{}: {cause}", requirement.id);
        }
    }
}

#[test]
fn requirements_name_the_scenarios_that_check_them_and_no_others() {
    let said: BTreeSet<(&str, &str)> = catalogue()
        .iter()
        .flat_map(|requirement| {
            let scenarios = requirement.scenarios.iter();
            scenarios.map(|scenario| (requirement.id.as_str(), scenario.as_str()))
        })
        .collect();
    let done: BTreeSet<(&str, &str)> = scenarios::all()
        .flat_map(|(_, scenario)| {
            let requirements = scenario.requirements.iter();
            requirements.map(|requirement| (*requirement, scenario.id))
        })
        .collect();
    let untrue: Vec<_> = said.difference(&done).collect();
    let unsaid: Vec<_> = done.difference(&said).collect();
    assert!(untrue.is_empty(), "in requirements.toml only: {untrue:?}");
    assert!(unsaid.is_empty(), "in scenarios only: {unsaid:?}");
}

#[test]
fn ids_are_unique() {
    let requirements: Vec<&str> = catalogue().iter().map(|r| r.id.as_str()).collect();
    let unique: BTreeSet<&str> = requirements.iter().copied().collect();
    assert_eq!(unique.len(), requirements.len());
    let ids: Vec<&str> = scenarios::all().map(|(_, scenario)| scenario.id).collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(unique.len(), ids.len());
}

#[test]
fn every_scenario_has_a_golden_transcript_and_no_other_is_kept() {
    let recorded: BTreeSet<&str> = golden::recorded().collect();
    let ids: BTreeSet<&str> = scenarios::all().map(|(_, scenario)| scenario.id).collect();
    assert_eq!(recorded, ids);
}
