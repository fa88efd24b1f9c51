//! What a requirement or a scenario is about.

use std::fmt::Write as _;

use crate::golden::golden;
use crate::requirement::catalogue;
use crate::scenarios;

use super::terminal::wrapped;

/// Explains a requirement, such as `VER-2`, or a scenario, by name; none if there is no such
/// thing.
#[must_use]
pub fn explain(id: &str) -> Option<String> {
    requirement(id).or_else(|| scenario(id))
}

fn requirement(id: &str) -> Option<String> {
    let requirement = catalogue().get(&id.to_uppercase())?;
    let stake = if requirement.data_at_stake {
        ", data at stake"
    } else {
        ""
    };
    let mut text = format!("{} ({}{stake})\n", requirement.id, requirement.level);
    let mut push = |line: &str| {
        // Writing to a String does not fail.
        let _ = writeln!(text, "{line}");
    };
    push(&wrapped(&requirement.statement, "  "));
    push(&format!("\nsource: {}", requirement.source));
    if let Some(why) = &requirement.why {
        push(&wrapped(&format!("why it matters: {why}"), ""));
    }
    if let Some(reading) = &requirement.reading {
        push(&wrapped(&format!("reading: {reading}"), ""));
    }
    if let Some(checked) = &requirement.checked {
        push(&wrapped(&format!("checked: {checked}"), ""));
    }
    if let Some(excluded) = &requirement.excluded {
        push(&wrapped(&format!("not checked: {excluded}"), ""));
    }
    if !requirement.scenarios.is_empty() {
        push("\nchecked by:");
        for id in &requirement.scenarios {
            let title = scenarios::find(id).map_or("", |(_, scenario)| scenario.title);
            push(&format!("  {id}\n{}", wrapped(title, "    ")));
        }
    }
    if !requirement.causes.is_empty() {
        push("\nhow servers come to break it:");
        for cause in &requirement.causes {
            push(&wrapped(&format!("- {cause}"), "  "));
        }
    }
    let mut shown = requirement.scenarios.iter();
    if let Some((id, golden)) = shown.find_map(|id| Some((id, golden(id)?))) {
        push(&format!("\nwhat {id} writes against an honest server:"));
        for line in golden.lines() {
            push(&format!("  {line}"));
        }
    }
    Some(text)
}

fn scenario(id: &str) -> Option<String> {
    let (_, scenario) = scenarios::find(id)?;
    let mut text = format!("{} (tier {})\n", scenario.id, scenario.tier);
    let mut push = |line: &str| {
        let _ = writeln!(text, "{line}");
    };
    push(&wrapped(scenario.title, "  "));
    push("\nchecks:");
    for id in scenario.requirements {
        if let Some(requirement) = catalogue().get(id) {
            let line = format!("{id} ({}): {}", requirement.level, requirement.statement);
            push(&wrapped(&line, "  "));
        }
    }
    if !scenario.needs.is_empty() {
        push(&wrapped(
            &format!("\nneeds: {}", scenario.needs.join(", ")),
            "",
        ));
    }
    if let Some(golden) = golden(scenario.id) {
        push("\nwhat it writes against an honest server:");
        for line in golden.lines() {
            push(&format!("  {line}"));
        }
    }
    Some(text)
}
