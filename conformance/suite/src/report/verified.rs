//! What the command `verify` says of a result.

use crate::play::Status;
use crate::report::terminal::{push, result_verdict, wrapped};
use crate::result::{Suite, Verified};

/// What was found of a result, as plain text.
#[must_use]
pub fn verified(verified: &Verified) -> String {
    let mut text = String::new();
    let result = &verified.result;
    let environment = &result.environment;
    push(
        &mut text,
        &format!(
            "server        {}\nverdict       {}\nplayed        {} on {} {}, seed {}",
            result.server.url,
            result_verdict(result),
            environment.began,
            environment.os,
            environment.arch,
            result.seed
        ),
    );
    suite(&mut text, &result.suite);
    push(
        &mut text,
        &format!(
            "plan          {} of the suite's {} scenarios; {} left out, {} played",
            result.own_plan().len(),
            result.suite.scenarios,
            result.left_out.len(),
            result.scenarios.len()
        ),
    );
    if let Some(part) = result.part_words() {
        let line = format!(
            "part          {part}: a result of the whole, of {} scenarios, is made by `merge`",
            result.plan.len()
        );
        push(&mut text, &line);
    }
    if !result.merged.is_empty() {
        let count = result.merged.len();
        push(&mut text, &format!("merged        of {count} parts"));
    }
    push(&mut text, &format!("digest        {}", result.digest));
    let left_out = result.left_out.iter().map(|left_out| left_out.id.as_str());
    let not_asked_for = verified.not_asked_for.iter().map(String::as_str);
    for (what, scenarios) in [
        ("not asked for", not_asked_for.collect::<Vec<_>>()),
        ("left out", left_out.collect()),
        ("unsupported", verified.of(Status::Unsupported).collect()),
        ("not told", verified.of(Status::Error).collect()),
    ] {
        if !scenarios.is_empty() {
            let count = scenarios.len();
            push(&mut text, &format!("\n{what}: {count} scenarios"));
            push(&mut text, &wrapped(&scenarios.join(", "), "  "));
        }
    }
    push(&mut text, "");
    if verified.faults.is_empty() {
        push(&mut text, "complete, and as it was written");
    } else {
        push(&mut text, "not as it was written, or not complete:");
        for fault in &verified.faults {
            push(&mut text, &format!("  {fault}"));
        }
    }
    text
}

/// Which suite made it, and how that differs from this one.
fn suite(text: &mut String, suite: &Suite) {
    let this = Suite::this();
    let same = |same: bool, own: &str| match same {
        true => "that of this program".to_owned(),
        false => format!("this program has {own}"),
    };
    let lines = [
        ("suite", &suite.version, &this.version),
        ("protocol", &suite.protocol, &this.protocol),
        (
            "requirements",
            &suite.requirements_sha256,
            &this.requirements_sha256,
        ),
        ("openapi.yml", &suite.openapi_sha256, &this.openapi_sha256),
    ];
    for (what, theirs, own) in lines {
        // Of a digest the beginning tells it apart.
        let short = |text: &str| text.chars().take(16).collect::<String>();
        let same = same(theirs == own, &short(own));
        push(text, &format!("{what:<13} {} ({same})", short(theirs)));
    }
}
