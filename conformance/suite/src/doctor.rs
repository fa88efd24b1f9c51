//! Looking at a server before a run: can it be reached, does it know who asks, does its clock agree,
//! and can what a run needs be made there? Each answer says what to change.

use std::time::{Duration, SystemTime};

use crate::call::{Call, Caller};
use crate::calls;
use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::scenario::{Given, Stop};
use crate::session::{Session, random_seed};
use crate::stage::Stage;
use crate::target::Target;

/// How far two clocks may be apart.
const APART: Duration = Duration::from_secs(5);

/// What was found of one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was looked at.
    pub subject: &'static str,
    /// How it is.
    pub state: State,
    /// What was found, and what to change.
    pub says: String,
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// As it should be.
    Good,
    /// A run goes on, and says less.
    Odd,
    /// No run can go on.
    Bad,
}

/// Looks at a server; what it makes there it removes.
pub async fn examine(target: &Target) -> Vec<Check> {
    let mut found = Vec::new();
    let mut say = |subject, state, says: String| {
        found.push(Check {
            subject,
            state,
            says,
        });
        state != State::Bad
    };
    let session = match Session::over(target.clone(), 0, "doctor".to_owned()) {
        Ok(session) => session,
        Err(error) => {
            say("server", State::Bad, error.to_string());
            return found;
        }
    };
    let call = Call::new("ListNamespaces")
        .id(target.parent())
        .query("limit", 1);
    let answer = session.send(call.clone()).await;
    let (state, says) = reached(target, &answer);
    if !say("server", state, says) {
        return found;
    }
    let (state, says) = tls(target);
    say("tls", state, says);
    let (state, says) = clock(&answer);
    say("clock", state, says);
    let (state, says) = credentials(target, &session, call, &answer).await;
    if !say("credentials", state, says) {
        return found;
    }
    let session = match Session::open(target.clone(), random_seed()).await {
        Ok(session) => session,
        Err(error) => {
            say("namespace", State::Bad, error.to_string());
            return found;
        }
    };
    let says = match session.namespace() {
        Some(own) => format!("{} can be made", own.join(target.delimiter())),
        None => "tables are made in the parent, as max_depth or table_depth says".to_owned(),
    };
    say("namespace", State::Good, says);
    let (state, says) = match storage(session.backstage().await).await {
        Ok(found) => found,
        Err(Stop::Inconclusive(reason)) => (
            State::Bad,
            format!("{reason}; see `max_depth`, `table_depth` and [storage] of conformance.toml"),
        ),
        Err(Stop::Unsupported { answer, .. }) => (State::Bad, answer),
        Err(Stop::Violated) => (State::Bad, "it breaks a requirement".to_owned()),
        Err(Stop::NotOffered) => (State::Odd, "it lacks a choice that it may lack".to_owned()),
    };
    say("storage", state, says);
    let leftovers = session.clean_up().await;
    let (state, says) = match leftovers.left.as_slice() {
        [] => (State::Good, "what was made is removed".to_owned()),
        left => (
            State::Odd,
            format!(
                "these stay behind: {}; try `lance-namespace-conformance cleanup {}`",
                left.join(", "),
                session.run()
            ),
        ),
    };
    say("clean-up", state, says);
    found
}

/// Whether a server of this protocol answers.
fn reached(target: &Target, answer: &Exchange) -> (State, String) {
    let url = target.display_url();
    let status = match (&answer.answer, answer.status()) {
        (Err(error), _) => {
            let words = error.to_lowercase();
            let advice = if words.contains("certificate") || words.contains("tls") {
                "trust its certificate on this machine, or name the URL that the certificate is for"
            } else if words.contains("dns") || words.contains("resolve") {
                "is the host's name right?"
            } else if words.contains("timed out") || words.contains("timeout") {
                "is there a firewall between, or does the server hang?"
            } else {
                "is the server running there?"
            };
            return (
                State::Bad,
                format!("nothing answers at {url}: {error}; {advice}"),
            );
        }
        (Ok(_), status) => status.unwrap_or_default(),
    };
    let body = answer.json().unwrap_or_default();
    match status {
        200..=299 if body["namespaces"].is_array() => (State::Good, format!("{url} answers")),
        200..=299 => (
            State::Bad,
            format!(
                "{url} answers {status} and no list of namespaces; is this the base URL, before /v1?"
            ),
        ),
        // Of these the credentials tell.
        401 | 403 => (State::Good, format!("{url} answers")),
        404 if body["code"].is_number() => (
            State::Bad,
            format!(
                "{url} does not know the parent namespace {}; make it, or name another by \
                 --namespace",
                target.parent().join(target.delimiter())
            ),
        ),
        404 => (
            State::Bad,
            format!("{url} has no such route; is this the base URL, before /v1?"),
        ),
        status => (
            State::Bad,
            format!("{url} answers {status} when its namespaces are listed; see its log"),
        ),
    }
}

fn tls(target: &Target) -> (State, String) {
    let url = target.url();
    if url.scheme() == "https" {
        return (State::Good, "the certificate is accepted".to_owned());
    }
    let host = url.host_str().unwrap_or_default();
    let here = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    match here || !target.carries_headers() {
        true => (State::Good, "none is used".to_owned()),
        false => (
            State::Odd,
            format!("credentials go to {host} in the clear; name an https URL"),
        ),
    }
}

/// Whether the server's clock and this machine's agree.
fn clock(answer: &Exchange) -> (State, String) {
    let received = answer.answer.as_ref().ok();
    let date = received.and_then(|received| received.headers.get(http::header::DATE));
    let date = date.and_then(|date| httpdate::parse_http_date(date.to_str().ok()?).ok());
    let Some(theirs) = date else {
        return (
            State::Odd,
            "the server does not say what time it is".to_owned(),
        );
    };
    let ours = SystemTime::now();
    let (apart, which) = match ours.duration_since(theirs) {
        Ok(behind) => (behind, "behind"),
        Err(ahead) => (ahead.duration(), "ahead of"),
    };
    match apart <= APART {
        true => (
            State::Good,
            "the server's agrees with this machine's".to_owned(),
        ),
        false => (
            State::Odd,
            format!(
                "the server's is {} s {which} this machine's: expiry of tokens and times of versions \
                 will look wrong; set one of them",
                apart.as_secs()
            ),
        ),
    }
}

async fn credentials(
    target: &Target,
    session: &Session,
    call: Call,
    answer: &Exchange,
) -> (State, String) {
    if let Some(status @ (401 | 403)) = answer.status() {
        let says = match target.carries_headers() {
            true => {
                format!("{status}: the server refuses those that were given; are they expired?")
            }
            false => format!(
                "{status}: the server asks for some; give --api-key, --bearer-token or --header, or \
                 name their environment variables under [credentials]"
            ),
        };
        return (State::Bad, says);
    }
    if target.given().contains(&Given::Credentials) {
        let refused = session.send(call.by(Caller::Stranger)).await;
        return match refused.status() {
            Some(401 | 403) => (
                State::Good,
                "good ones are accepted, a bad one is not".to_owned(),
            ),
            _ => (
                State::Odd,
                format!(
                    "the bad one that was given is accepted: {}",
                    Outcome::of(&refused)
                ),
            ),
        };
    }
    match target.carries_headers() {
        true => (
            State::Good,
            "accepted; with --bad-credential it would be seen that others are not".to_owned(),
        ),
        false => (State::Good, "the server asks for none".to_owned()),
    }
}

/// Whether a version can be created with a manifest that is staged where the server says.
async fn storage(stage: &Stage) -> Result<(State, String), Stop> {
    let table = stage.table("doctor").await?;
    let manifest = stage.manifest(&table, "m1").await?;
    let place = match table.staging.out_of_reach() {
        Some(reason) => format!("manifests are paths without a file ({reason})"),
        None => format!("a staging manifest was written to {}", manifest.path),
    };
    let created = stage.exchange(calls::create_version(&table, 1, &manifest));
    let reachable = table.staging.out_of_reach().is_none();
    Ok(match Outcome::of(&*created.await) {
        Outcome::Ok => (
            State::Good,
            format!("{place}, and a version created from it"),
        ),
        Outcome::Refused(406, _) => (State::Good, format!("{place}; the server has no versions")),
        outcome if reachable => (
            State::Odd,
            format!("{place}, but no version can be created from it: {outcome}"),
        ),
        outcome => (
            State::Bad,
            format!(
                "{place}, and no version can be created so: {outcome}; say under [storage] of \
                 conformance.toml where its storage can be reached from here"
            ),
        ),
    })
}
