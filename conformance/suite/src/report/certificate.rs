//! What a run certifies, tier by tier, and what it does not; and what came of the expectations.

use std::fmt::Write as _;

use crate::play::{Played, Status};
use crate::run::{Run, TierOutcome, Verdict};
use crate::scenario::Tier;
use crate::scenarios;

use super::terminal::{push, wrapped};

/// How a server stands in one tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// All that is demanded holds.
    Holds,
    /// So it does, except for so many failures that are known and accepted.
    Excepted(usize),
    /// Something demanded does not hold.
    Broken,
    /// Something could not be told.
    NotTold,
    /// Nothing is certified, for this reason.
    NotCertified(String),
}

/// How a server stands in each tier.
#[must_use]
pub fn certificate(run: &Run) -> Vec<(Tier, Standing)> {
    let outcomes = run.tiers();
    let standing = |tier: Tier| match outcomes.get(&tier) {
        None => Standing::NotCertified(why_not_played(run, tier)),
        Some(TierOutcome::Violation) => Standing::Broken,
        Some(TierOutcome::Inconclusive) => Standing::NotTold,
        Some(TierOutcome::Unsupported) => Standing::NotCertified("the server lacks it".to_owned()),
        Some(TierOutcome::Partial) => {
            Standing::NotCertified("the server lacks a part of it".to_owned())
        }
        Some(TierOutcome::Conformant | TierOutcome::Excepted) => whole(run, tier),
    };
    Tier::ALL.map(|tier| (tier, standing(tier))).to_vec()
}

/// How a tier stands of which all that was played holds or is known.
fn whole(run: &Run, tier: Tier) -> Standing {
    let of_tier = |scenario: &&crate::scenario::Scenario| scenario.tier == tier;
    let all = scenarios::all().map(|(_, scenario)| scenario);
    let all = all.filter(of_tier).count();
    let out = run.left_out.iter().map(|left_out| left_out.scenario);
    let out = out.filter(of_tier).count();
    let played = run
        .played
        .iter()
        .filter(|played| played.scenario.tier == tier);
    let known = played.clone().filter(|played| run.known(played).is_some());
    let (played, known) = (played.count(), known.count());
    if let Some(part) = run.part_words() {
        return Standing::NotCertified(format!("{part}: {played} of {all} scenarios"));
    }
    if played + out < all {
        let reason = format!("{played} of {all} scenarios played");
        return Standing::NotCertified(reason);
    }
    match known {
        0 => Standing::Holds,
        known => Standing::Excepted(known),
    }
}

fn why_not_played(run: &Run, tier: Tier) -> String {
    let mut left_out = run.left_out.iter();
    if !run.claimed.is_empty() && !run.claimed.contains(&tier) {
        "not claimed".to_owned()
    } else if left_out.any(|left_out| left_out.scenario.tier == tier) {
        "its scenarios were left out".to_owned()
    } else {
        "not played".to_owned()
    }
}

/// The verdict in a few words.
#[must_use]
pub fn verdict_words(run: &Run) -> String {
    let number = |count: usize, one: &str, many: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    };
    let verdict = match run.verdict() {
        Verdict::Conformant => "conformant".to_owned(),
        Verdict::Excepted => {
            let known = run.judgement.known.len();
            let known = number(known, "known failure", "known failures");
            format!("conformant except {known}")
        }
        Verdict::Stale => {
            let stale = run.judgement.stale.len();
            number(stale, "stale expectation", "stale expectations")
        }
        Verdict::Violation => "violation".to_owned(),
        Verdict::Inconclusive if run.interrupted => "inconclusive: interrupted".to_owned(),
        Verdict::Inconclusive => "inconclusive".to_owned(),
    };
    match run.part_words() {
        Some(part) => format!("{part}: {verdict}"),
        None => verdict,
    }
}

/// The verdict, and what it speaks of and what not.
#[must_use]
pub fn told(run: &Run) -> String {
    let mut text = String::new();
    push(&mut text, &format!("verdict: {}", verdict_words(run)));
    let certifies =
        run.part.is_none() && matches!(run.verdict(), Verdict::Conformant | Verdict::Excepted);
    let standings = certificate(run);
    type Words = fn(&(Tier, Standing)) -> Option<String>;
    let groups: [(&str, Words); 5] = [
        (
            if certifies { "certified" } else { "holds" },
            |(tier, standing)| (*standing == Standing::Holds).then(|| tier.to_string()),
        ),
        (
            "holds except known failures",
            |(tier, standing)| match standing {
                Standing::Excepted(known) => Some(format!("{tier} ({known})")),
                _ => None,
            },
        ),
        ("broken", |(tier, standing)| {
            (*standing == Standing::Broken).then(|| tier.to_string())
        }),
        ("not told", |(tier, standing)| {
            (*standing == Standing::NotTold).then(|| tier.to_string())
        }),
        ("not certified", |(tier, standing)| match standing {
            Standing::NotCertified(reason) => Some(format!("{tier} ({reason})")),
            _ => None,
        }),
    ];
    for (words, of) in groups {
        let tiers: Vec<String> = standings.iter().filter_map(of).collect();
        if !tiers.is_empty() {
            push(
                &mut text,
                &wrapped(&format!("{words}: {}", tiers.join(", ")), "  "),
            );
        }
    }
    for (tier, standing) in &standings {
        let without: Vec<&Played> = run.without(*tier).collect();
        if matches!(standing, Standing::Holds | Standing::Excepted(_)) && !without.is_empty() {
            let mut lacking: Vec<&str> = without
                .iter()
                .flat_map(|played| &played.lacking)
                .map(String::as_str)
                .collect();
            lacking.sort_unstable();
            lacking.dedup();
            let count = without.len();
            let scenarios = if count == 1 { "scenario" } else { "scenarios" };
            let line = format!(
                "{tier} without {count} {scenarios}, for want of {}, which belongs to another tier",
                lacking.join(", ")
            );
            push(&mut text, &wrapped(&line, "  "));
        }
    }
    if run.part.is_some() {
        let line = "a part certifies nothing: `merge` puts the results of all parts together";
        push(&mut text, &wrapped(line, "  "));
    }
    text
}

/// The failures that are known, and the expectations that have to be changed.
#[must_use]
pub fn expectations(run: &Run) -> String {
    let mut text = String::new();
    for known in &run.judgement.known {
        push(&mut text, &format!("\nKNOWN FAILURE  {}", known.scenario));
        for entry in &known.entries {
            let mut line = entry.expectation.reason.clone();
            let _ = write!(line, " ({}", entry.place);
            for (words, said) in [
                (
                    "until ",
                    entry.expectation.until.map(|until| until.to_string()),
                ),
                ("", entry.expectation.link.clone()),
            ] {
                if let Some(said) = said {
                    let _ = write!(line, ", {words}{said}");
                }
            }
            push(&mut text, &wrapped(&format!("{line})"), "  "));
        }
        let played = run
            .played
            .iter()
            .find(|played| played.scenario.id == known.scenario);
        let Some(played) = played else {
            continue;
        };
        for finding in &played.findings {
            let line = format!(
                "{} ({}): {}",
                finding.requirement, finding.level, finding.actual
            );
            push(&mut text, &wrapped(&line, "  "));
        }
        if !played.again.is_empty() {
            let failed = |status: &&Status| **status == Status::Fail;
            let failures = 1 + played.again.iter().filter(failed).count();
            let plays = 1 + played.again.len();
            push(
                &mut text,
                &format!("  it failed {failures} of {plays} times"),
            );
        }
    }
    for stale in &run.judgement.stale {
        let (place, subject) = (&stale.entry.place, stale.entry.expectation.subject());
        push(
            &mut text,
            &format!("\nSTALE EXPECTATION  {subject} ({place})"),
        );
        push(&mut text, &wrapped(stale.why.words(), "  "));
    }
    text
}
