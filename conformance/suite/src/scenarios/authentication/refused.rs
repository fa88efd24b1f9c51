//! Requests without credentials, or with bad ones, of every operation.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::{HeaderMap, HeaderValue};

use super::requests;
use crate::call::{Call, Caller};
use crate::calls;
use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::outcome::{Fit, Outcome, Refusal};
use crate::requirement::Level;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use crate::target::{first_half, secret_of};

scenarios! {
    /// Every operation refuses a request without a credential.
    "authentication/no-credential-is-refused" => no_credential {
        tier: Basic,
        checks: ["AUTH-1"],
        needs: [],
        given: [Credentials],
    }
    /// Every operation refuses a bad credential, and does not repeat it.
    "authentication/a-bad-credential-is-refused" => bad_credential {
        tier: Basic,
        checks: ["AUTH-1", "AUTH-2"],
        needs: [],
        given: [Credentials],
    }
    /// A credential that is empty, a part of the good one or more than it is refused.
    "authentication/a-part-of-a-credential-is-refused" => part_of_a_credential {
        tier: Basic,
        checks: ["AUTH-1"],
        needs: [],
        given: [Credentials],
    }
}

async fn no_credential(s: Stage) -> Flow {
    let exchanges = every_operation(&s, &Caller::Nobody).await?;
    judge(&s, "without a credential", &exchanges);
    Ok(())
}

async fn bad_credential(s: Stage) -> Flow {
    let exchanges = every_operation(&s, &Caller::Stranger).await?;
    judge(&s, "with a bad credential", &exchanges);
    let secrets: Vec<String> = secrets(s.target().bad_credentials()).collect();
    let repeating: Vec<Arc<Exchange>> = exchanges
        .into_iter()
        .filter(|exchange| repeats(exchange, &secrets))
        .collect();
    repeats_none(&s, "the answers", repeating);
    Ok(())
}

async fn part_of_a_credential(s: Stage) -> Flow {
    let home = s.home().await?;
    let good = s.target().credentials();
    for (what, part) in [
        ("an empty credential", empty as fn(&str) -> String),
        ("the first half of the credential", first_half),
        ("the credential twice", twice),
    ] {
        let headers = good.iter().filter_map(|(name, value)| {
            let value = value.to_str().ok()?;
            let secret = secret_of(value);
            let scheme = value.strip_suffix(secret).unwrap_or_default();
            // What a user and a password are made of may be read with what does not belong to it.
            if !(scheme.is_empty() || scheme.eq_ignore_ascii_case("bearer ")) {
                return None;
            }
            let mut value = HeaderValue::try_from(format!("{scheme}{}", part(secret))).ok()?;
            value.set_sensitive(true);
            Some((name.clone(), value))
        });
        let headers: HeaderMap = headers.collect();
        let mut exchanges = Vec::new();
        for call in [
            Call::new("DescribeNamespace").id(&home.id),
            calls::list_tables(&home.id),
        ] {
            let call = call.by(Caller::With(headers.clone()));
            let answer = s.ask(what, call).await;
            answer.answered()?;
            exchanges.push(answer.exchange());
        }
        judge(&s, &format!("with {what}"), &exchanges);
    }
    Ok(())
}

fn empty(_: &str) -> String {
    String::new()
}

fn twice(secret: &str) -> String {
    format!("{secret}{secret}")
}

/// Asks for every operation as this caller.
async fn every_operation(s: &Stage, caller: &Caller) -> Flow<Vec<Arc<Exchange>>> {
    let mut exchanges = Vec::new();
    for call in requests::of_every_operation(s).await? {
        let label = call.operation.id.as_str();
        let answer = s.ask(label, call.by(caller.clone())).await;
        answer.answered()?;
        exchanges.push(answer.exchange());
    }
    Ok(exchanges)
}

/// Judges that none of the requests was carried out, and that each was refused as that of a caller
/// who is not known: one finding at most for each way to go wrong.
fn judge(s: &Stage, caller: &str, exchanges: &[Arc<Exchange>]) {
    s.cite("AUTH-1");
    let mut wrong: BTreeMap<String, Vec<&Arc<Exchange>>> = BTreeMap::new();
    for exchange in exchanges {
        let outcome = Outcome::of(exchange);
        let fits = |refusal: Refusal| refusal.fits(outcome) == Fit::Whole;
        if !fits(Refusal::UNAUTHENTICATED) && !fits(Refusal::DENIED) && !lacks(outcome) {
            let answer = match (outcome, exchange.code()) {
                (Outcome::Ok, _) => CARRIED_OUT.to_owned(),
                (_, Some(code)) => format!("{} with code {code}", exchange.status().unwrap_or(0)),
                (_, None) => format!("{} without a code", exchange.status().unwrap_or(0)),
            };
            wrong.entry(answer).or_default().push(exchange);
        }
    }
    let label = format!("{} requests {caller}", exchanges.len());
    if wrong.is_empty() {
        s.line(format!("{label}: refused"));
    }
    // What weighs most comes first.
    let carried_out = wrong.remove_entry(CARRIED_OUT);
    for (answer, of) in carried_out.into_iter().chain(wrong) {
        let names: Vec<&str> = of.iter().map(|e| e.operation.id.as_str()).collect();
        s.line(format!("{label}: {answer} for {}", of.len()));
        let (level, expected) = match answer == CARRIED_OUT {
            true => (
                Level::Must,
                "refused: 401 with code 16, or 403 with code 15",
            ),
            false => (Level::Should, "401 with code 16, or 403 with code 15"),
        };
        let deviation = Deviation::new(
            format!("every operation, asked {caller}: {expected}"),
            format!("{answer}: {}", names.join(", ")),
            of.into_iter().cloned(),
        );
        s.violated("AUTH-1", level, deviation);
    }
}

const CARRIED_OUT: &str = "carried out";

/// Whether a server may say so of an operation that it lacks, before it looks who asks.
fn lacks(outcome: Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Refused(406, Some(0)) | Outcome::Refused(404 | 405, None) | Outcome::Failed(501)
    )
}

/// The secrets in these headers.
pub(super) fn secrets(headers: &HeaderMap) -> impl Iterator<Item = String> {
    let values = headers.values().filter_map(|value| value.to_str().ok());
    values.map(|value| secret_of(value).to_owned())
}

/// Whether an answer has one of these secrets in its body.
pub(super) fn repeats(exchange: &Exchange, secrets: &[String]) -> bool {
    let Ok(answer) = &exchange.answer else {
        return false;
    };
    let body = String::from_utf8_lossy(&answer.body);
    // What is shorter may stand there for another reason.
    let long = secrets.iter().filter(|secret| secret.len() >= 8);
    long.into_iter()
        .any(|secret| body.contains(secret.as_str()))
}

/// Judges that no answer repeats a credential, where these do.
pub(super) fn repeats_none(s: &Stage, label: &str, repeating: Vec<Arc<Exchange>>) {
    let held = match repeating.len() {
        0 => Ok(()),
        count => Err(Deviation::new(
            "no error repeats a credential, which then stands in logs and reports",
            format!("{count} answers repeat one"),
            repeating,
        )),
    };
    let held_words = "repeat no credential";
    s.judge_at("AUTH-2", Level::Should, label, held_words, held);
}
