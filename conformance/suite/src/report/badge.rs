//! A badge for a README: the verdict and the tiers that hold, as a small picture.

use maud::{PreEscaped, html};

use crate::report::terminal::verdict_name;
use crate::result::RunResult;
use crate::run::{TierOutcome, Verdict};

const LABEL: &str = "Lance Namespace";

/// How wide ten characters of the badge are, as a rule, and the space on both sides of a text: in pixels.
const TEN_CHARACTERS: usize = 62;
const SPACE: usize = 16;

/// The badge of a result, as SVG.
#[must_use]
pub fn badge(result: &RunResult) -> String {
    let words = words(result);
    // White is read well on each of them.
    let colour = match result.verdict {
        Verdict::Conformant => "#1a7f37",
        Verdict::Violation => "#cf222e",
        Verdict::Excepted | Verdict::Stale | Verdict::Inconclusive => "#9a6700",
    };
    let width = |text: &str| text.chars().count() * TEN_CHARACTERS / 10 + SPACE;
    let (left, right) = (width(LABEL), width(&words));
    let text = |from: usize, width: usize, text: &str| {
        html! {
            text x=(from + SPACE / 2) y="14" textLength=(width - SPACE) { (text) }
        }
    };
    let title = format!("{LABEL}: {words}");
    html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(left + right) height="20" role="img"
            aria-label=(title) {
            title { (title) }
            rect width=(left + right) height="20" rx="3" fill=(colour) {}
            path d=(format!("M3 0h{}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z", left - 3)) fill="#444c56" {}
            g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" {
                (text(0, left, LABEL))
                (text(left, right, &words))
            }
        }
        (PreEscaped("\n"))
    }
    .into_string()
}

/// The verdict and what it is about.
fn words(result: &RunResult) -> String {
    let named = |wanted: TierOutcome| {
        let tiers = result.server.tiers.iter();
        let tiers = tiers.filter(|(_, outcome)| **outcome == wanted);
        let names: Vec<&str> = tiers.map(|(tier, _)| tier.name()).collect();
        names.join(", ")
    };
    if let Some(part) = result.part_words() {
        return format!("{part}: {}", verdict_name(result.verdict));
    }
    match result.verdict {
        Verdict::Conformant => match named(TierOutcome::Conformant).as_str() {
            "" => "conformant in part".to_owned(),
            tiers => format!("conformant: {tiers}"),
        },
        Verdict::Excepted => match result.expectations.known.len() {
            1 => "conformant except 1 known failure".to_owned(),
            known => format!("conformant except {known} known failures"),
        },
        Verdict::Stale => "stale expectations".to_owned(),
        Verdict::Violation => format!("not conformant: {}", named(TierOutcome::Violation)),
        Verdict::Inconclusive => "inconclusive".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture::result;
    use crate::scenario::Tier;

    #[test]
    fn it_says_the_verdict_and_the_tiers() {
        let mut result = result();
        assert_eq!(words(&result), "not conformant: versions");
        result.verdict = Verdict::Conformant;
        result.server.tiers = [
            (Tier::Basic, TierOutcome::Conformant),
            (Tier::Versions, TierOutcome::Conformant),
            (Tier::Batch, TierOutcome::Unsupported),
        ]
        .into();
        let picture = badge(&result);
        let said = "Lance Namespace: conformant: basic, versions";
        assert!(
            picture.contains(&format!("<title>{said}</title>")),
            "{picture}"
        );
        assert!(picture.contains(&format!("aria-label=\"{said}\"")));
        result.server.tiers = [(Tier::Basic, TierOutcome::Partial)].into();
        assert_eq!(words(&result), "conformant in part");
    }
}
