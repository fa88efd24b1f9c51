//! From what was sent and what came back to the operations of a history.

use std::collections::BTreeMap;
use std::sync::Arc;

use lance_namespace_history::operation::{Answer, Call, Operation, Outcome as Told, Refusal};
use serde_json::Value;

use super::names::Names;
use super::recorder::{Recorded, Recorder};
use super::refusals;
use super::request::{Asked, Request};
use super::scope::{Judged, within};
use crate::entry::Entry;
use crate::exchange::Exchange;
use crate::outcome::Outcome;

/// An operation, before it is settled what stands for its entries.
pub(super) struct Draft {
    /// What stands for a manifest is its path; what was read is not in it yet.
    pub(super) operation: Operation,
    /// What was read.
    pub(super) found: Found,
    /// Status and code of a refusal that may claim something.
    pub(super) refused: Option<(u16, Option<i64>)>,
    /// The exchange; none if it has not come to an end.
    pub(super) exchange: Option<Arc<Exchange>>,
}

/// What an answer says of entries.
#[derive(Default)]
pub(super) enum Found {
    #[default]
    Nothing,
    Entry(Entry),
    Page {
        entries: Vec<Entry>,
        more: bool,
    },
    /// The entries that a create or batch answered, in the order of the request; what they say tells
    /// how the server calls them.
    Created(Vec<Entry>),
}

/// A page that was answered: who asked, the listing, and the token that leads on.
struct Before {
    client: u32,
    query: Vec<(&'static str, String)>,
    ended: u64,
    /// When the listing's first page was asked for, and the last version so far.
    since: u64,
    after: Option<i64>,
    /// Whether it is known where in its listing the page stands.
    is_certain: bool,
}

/// Puts what was recorded into the words of histories, in the order of the starts.
pub(super) fn drafts(recorder: &Recorder, names: &Names, delimiter: &str) -> Vec<Draft> {
    let mut judged = Judged::default();
    let mut drafts = Vec::new();
    for recorded in recorder.calls() {
        let (request, exchange) = match &recorded {
            Recorded::Begun { call, .. } => (Request::of_call(call, delimiter), None),
            Recorded::Ended(exchange) => (
                Request::of_exchange(exchange, delimiter),
                Some(Arc::clone(exchange)),
            ),
        };
        let odd = exchange.as_ref().is_some_and(|exchange| exchange.odd);
        match request.asked(names) {
            Asked::Harmless => {}
            Asked::Strange(scopes) => {
                if may_have_happened(exchange.as_deref()) {
                    judged.strange(scopes);
                }
            }
            Asked::Call(call, _) if odd && !call.changes() => {}
            Asked::Call(call, is_part) => {
                judged.called(&call);
                let (client, start) = match &recorded {
                    Recorded::Begun {
                        client, started, ..
                    } => (*client, recorder.time(*started)),
                    Recorded::Ended(exchange) => (exchange.client, recorder.time(exchange.started)),
                };
                let end = exchange.as_ref().map(|each| recorder.time(each.ended));
                let mut draft = Draft {
                    operation: Operation {
                        client,
                        start,
                        end: end.unwrap_or(start),
                        call,
                        outcome: Told::Unknown,
                    },
                    found: Found::Nothing,
                    refused: None,
                    exchange,
                };
                draft.is_told(&request, is_part);
                drafts.push(draft);
            }
        }
    }
    let tables = judged.tables(names);
    let within = |mut draft: Draft| {
        let (call, is_part) = within(&tables, draft.operation.call)?;
        draft.operation.call = call;
        if is_part {
            draft.refused = None;
        }
        Some(draft)
    };
    let mut drafts: Vec<Draft> = drafts.into_iter().filter_map(within).collect();
    drafts.sort_by_key(|draft| draft.operation.start);
    follow_pages(&mut drafts);
    refusals::claim(&mut drafts);
    drafts
}

/// Whether a request may have been carried out.
fn may_have_happened(exchange: Option<&Exchange>) -> bool {
    match exchange.map(Outcome::of) {
        None | Some(Outcome::Ok | Outcome::Lost | Outcome::Failed(_)) => true,
        Some(Outcome::Refused(status, _)) => !is_refusal(status),
    }
}

/// Whether the status says that nothing was done: a redirect or a timeout does not.
fn is_refusal(status: u16) -> bool {
    status >= 400 && status != 408
}

impl Draft {
    /// What the answer says, but for entries and for what refusals claim.
    fn is_told(&mut self, request: &Request<'_>, is_part: bool) {
        let Some(exchange) = &self.exchange else {
            return;
        };
        let outcome = Outcome::of(exchange);
        if !may_have_happened(Some(exchange)) && !exchange.repeated {
            self.operation.outcome = Told::Refused(Refusal::Other);
            if let (Outcome::Refused(status, code), false) = (outcome, is_part) {
                let of_more = match self.operation.call {
                    Call::TableExists(_) | Call::DescribeTable(_) => request.names_more(),
                    _ => false,
                };
                self.refused = (!of_more).then_some((status, code));
            }
            return;
        }
        if outcome != Outcome::Ok {
            return;
        }
        let body = exchange.json().unwrap_or_default();
        let answer = match &mut self.operation.call {
            Call::DescribeVersion { .. } => {
                let entry = body.get("version").and_then(Entry::read);
                self.found = entry.map_or(Found::Nothing, Found::Entry);
                None
            }
            Call::ListVersions { page, .. } => {
                if let Some(entries) = entries(&body) {
                    let limit = request.query("limit").map(str::parse::<usize>);
                    let is_cut = match limit {
                        None => false,
                        Some(Ok(limit)) => entries.len() >= limit,
                        Some(Err(_)) => true,
                    };
                    // An order that was not kept says nothing of what is not there.
                    page.descending &= entries
                        .windows(2)
                        .all(|pair| pair[0].version > pair[1].version);
                    let more = is_cut || token(&body).is_some();
                    self.found = Found::Page { entries, more };
                }
                None
            }
            Call::DeleteVersions { .. } => {
                let count = body.get("deleted_count").and_then(Value::as_u64);
                Some(Answer::Deleted(count.filter(|_| !exchange.repeated)))
            }
            Call::CreateVersion(_) => {
                let entry = body.get("version").and_then(Entry::read);
                self.found = Found::Created(entry.into_iter().collect());
                Some(Answer::Done)
            }
            Call::BatchCreate(puts) => {
                let entries = entries(&body).unwrap_or_default();
                if entries.len() == puts.len() && !is_part {
                    self.found = Found::Created(entries);
                }
                Some(Answer::Done)
            }
            _ => Some(Answer::Done),
        };
        self.operation.outcome = match answer {
            Some(answer) => Told::Ok(answer),
            // Nothing is claimed until it is settled what was read.
            None => Told::Refused(Refusal::Other),
        };
    }
}

fn entries(body: &Value) -> Option<Vec<Entry>> {
    let versions = body.get("versions")?.as_array()?;
    versions.iter().map(Entry::read).collect()
}

fn token(body: &Value) -> Option<&str> {
    let token = body.get("page_token")?.as_str()?;
    (!token.is_empty()).then_some(token)
}

/// Finds for each page that was asked for with a token which page that token came with.
fn follow_pages(drafts: &mut [Draft]) {
    let mut answered: BTreeMap<(String, String), Vec<Before>> = BTreeMap::new();
    for draft in drafts {
        let Operation {
            client,
            start,
            end,
            call: Call::ListVersions { ledger, page },
            ..
        } = &mut draft.operation
        else {
            continue;
        };
        let Some(exchange) = &draft.exchange else {
            continue;
        };
        let mut query = exchange.query.clone();
        let was_asked = |name: &str, value: &str| {
            let mut query = exchange.query.iter();
            query.any(|(own, other)| *own == name && other == value)
        };
        let asked = query.iter().position(|(name, _)| *name == "page_token");
        let asked = asked.map(|at| query.remove(at).1);
        let mut is_certain = page.descending || !was_asked("descending", "true");
        if let Some(asked) = asked {
            let key = (ledger.table.clone(), asked);
            let all = answered.get(&key).map_or(&[][..], Vec::as_slice);
            let fits = |before: &&Before| before.ended <= *start && before.query == query;
            let mut own = all.iter().filter(fits);
            let own = own.rfind(|before| before.client == *client && before.is_certain);
            match own {
                Some(before) => {
                    page.since = Some(before.since);
                    page.after = before.after;
                }
                None => {
                    // A token of unknown origin: what is on the page is there, or was.
                    let since = all.iter().map(|before| before.since).min();
                    page.since = Some(since.unwrap_or(0));
                    is_certain = false;
                }
            }
        }
        if !is_certain {
            page.descending = false;
        }
        let Found::Page { entries, more } = &mut draft.found else {
            continue;
        };
        *more |= !is_certain;
        let body = exchange.json().unwrap_or_default();
        if let Some(token) = token(&body) {
            let last = entries.last().map(|entry| entry.version);
            let before = Before {
                client: *client,
                query,
                ended: *end,
                since: page.since.unwrap_or(*start),
                after: last.or(page.after),
                is_certain,
            };
            let key = (ledger.table.clone(), token.to_owned());
            answered.entry(key).or_default().push(before);
        }
    }
}
