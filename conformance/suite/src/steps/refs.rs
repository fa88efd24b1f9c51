//! Tags and branches of a table: what they name, and many clients that create one at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::call::Call;
use crate::calls;
use crate::entry::Entry;
use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::outcome::Outcome;
use crate::pages::Pages;
use crate::race::Tally;
use crate::requirement::Level;
use crate::scenario::{Flow, Stop};
use crate::stage::{Stage, Table};
use crate::steps::Rounds;

/// Names that a server may refuse, and must tell apart where it takes them.
pub const ODD_NAMES: [&str; 17] = [
    "a",
    "A",
    "a b",
    "a/b",
    "a%2Fb",
    "a$b",
    "a.b",
    "a..b",
    "..",
    "1",
    "latest",
    "it's",
    "it''s",
    "\u{e9}",
    "e\u{301}",
    "日本",
    "a\u{2028}b",
];

/// The tags or the branches of a table, as a listing names them.
#[derive(Clone, Debug)]
pub struct Named {
    /// What the listing says of each, by name.
    pub contents: BTreeMap<String, Value>,
    /// The listing's last page.
    pub exchange: Arc<Exchange>,
}

impl Named {
    /// Their names.
    #[must_use]
    pub fn names(&self) -> BTreeSet<&str> {
        self.contents.keys().map(String::as_str).collect()
    }
}

impl Stage {
    /// The tags of a table, from all pages of their listing. Writes no line.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if the listing is refused, against this requirement;
    /// [`Stop::Inconclusive`] if it is not answered, or its pages do not end.
    pub async fn tags(&self, requirement: &'static str, table: &Table) -> Flow<Named> {
        self.named(requirement, table, "ListTableTags", "tags")
            .await
    }

    /// The branches of a table but the main one, from all pages of their listing. Writes no line.
    ///
    /// # Errors
    ///
    /// As [`tags`](Self::tags).
    pub async fn branches(&self, requirement: &'static str, table: &Table) -> Flow<Named> {
        let mut named = self
            .named(requirement, table, "ListTableBranches", "branches")
            .await?;
        named.contents.remove("main");
        Ok(named)
    }

    async fn named(
        &self,
        requirement: &'static str,
        table: &Table,
        operation: &str,
        field: &str,
    ) -> Flow<Named> {
        let label = format!("list the {field} of {}", table.label);
        let mut pages = Pages::of(Call::new(operation).id(&table.id));
        let mut call = pages.first();
        let mut contents = BTreeMap::new();
        loop {
            let reply = self.ask(&label, call).await.ok_as_ever(requirement)?;
            let items = reply.body[field].as_object().into_iter().flatten();
            contents.extend(items.map(|(name, contents)| (name.clone(), contents.clone())));
            let exchange = reply.exchange;
            match pages.next(&label, &exchange)? {
                Some(next) => call = next,
                None => return Ok(Named { contents, exchange }),
            }
        }
    }

    /// Judges that a tag names this version, for get and in the listing, whatever its branch.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if the listing is refused, [`Stop::Inconclusive`] if no answer came.
    pub async fn tag_is(
        &self,
        requirement: &'static str,
        table: &Table,
        tag: &str,
        version: i64,
    ) -> Flow<bool> {
        let label = format!("tag {tag} of {}", table.label);
        let answer = self.ask(&label, calls::tag_version(table, tag)).await;
        answer.answered()?;
        let get = answer.exchange();
        let list = self.tags(requirement, table).await?;
        let got = version_of(get.json().as_ref());
        let listed = version_of(list.contents.get(tag));
        let said = |version: Option<i64>, otherwise: String| match version {
            Some(version) => format!("version {version}"),
            None => otherwise,
        };
        let result = match (got, listed) {
            _ if got == Some(version) && listed == Some(version) => Ok(()),
            _ => Err(Deviation::new(
                format!("tag {tag} of {} names version {version}", table.label),
                format!(
                    "get answers {}; the listing has {}",
                    said(got, Outcome::of(&get).to_string()),
                    said(listed, "no such tag".to_owned()),
                ),
                [get, list.exchange],
            )),
        };
        Ok(self.judge(requirement, &label, &format!("version {version}"), result))
    }

    /// Judges that there is no tag of this name, neither for get nor in the listing.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if the listing is refused, [`Stop::Inconclusive`] if no answer came.
    pub async fn no_tag(&self, requirement: &'static str, table: &Table, tag: &str) -> Flow<bool> {
        let label = format!("tag {tag} of {}", table.label);
        let answer = self.ask(&label, calls::tag_version(table, tag)).await;
        answer.answered()?;
        let get = answer.exchange();
        let list = self.tags(requirement, table).await?;
        let listed = list.contents.contains_key(tag);
        let result = match Outcome::of(&get) {
            Outcome::Ok => Err("get answers a version"),
            _ if listed => Err("the listing has it"),
            _ => Ok(()),
        };
        let result = result.map_err(|found| {
            let expected = format!("there is no tag {tag} of {}", table.label);
            Deviation::new(expected, found, [get, list.exchange])
        });
        Ok(self.judge(requirement, &label, "not there", result))
    }

    /// The latest entry of a branch; none if it has no version of its own. Writes no line.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the answer is neither an entry nor says that no version is there.
    pub async fn latest_of_branch(&self, table: &Table, branch: &str) -> Flow<Option<Entry>> {
        let call = calls::describe_version(table, None).field("branch", Value::from(branch));
        Ok(self.branch_entry(call).await?.0)
    }

    /// What a describe of a version on a branch answers: the entry, or none where there is no such
    /// version. Writes no line.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the answer is neither an entry nor a 404.
    pub async fn branch_entry(&self, describe: Call) -> Flow<(Option<Entry>, Arc<Exchange>)> {
        let exchange = self.exchange(describe).await;
        let entry = match Outcome::of(&exchange) {
            Outcome::Ok => exchange
                .json()
                .and_then(|body| Entry::read(body.get("version")?)),
            Outcome::Refused(404, _) => None,
            outcome => {
                let reason = format!("describe a version on a branch: {outcome}");
                return Err(Stop::Inconclusive(reason));
            }
        };
        Ok((entry, exchange))
    }

    /// Creates odd names, the one at `index` on version `version(index)`: each is taken or refused
    /// with a 4xx. Answers those that were taken. Writes no line.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if no answer came.
    pub async fn create_odd_names(
        &self,
        requirement: &'static str,
        create: impl Fn(&str, i64) -> Call,
        version: impl Fn(usize) -> i64,
    ) -> Flow<BTreeMap<&'static str, i64>> {
        let mut taken = BTreeMap::new();
        for (index, name) in ODD_NAMES.into_iter().enumerate() {
            let version = version(index);
            let label = format!("create {name:?}");
            let answer = self.ask(&label, create(name, version)).await;
            answer.answered()?;
            match answer.outcome() {
                Outcome::Ok => {
                    taken.insert(name, version);
                }
                Outcome::Failed(status) => self.violated(
                    requirement,
                    Level::Should,
                    Deviation::new(
                        format!("{label}: done, or refused with a 4xx"),
                        format!("server error {status}"),
                        [answer.exchange()],
                    ),
                ),
                Outcome::Refused(..) | Outcome::Lost => {}
            }
        }
        Ok(taken)
    }
}

/// What there is after a race for a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// Nothing of this name.
    Nobody,
    /// What one client asked for, by its number from 0.
    By(usize),
    /// Something that tells of none of them.
    Unclear,
}

impl Claimed {
    /// What racers have claimed that asked for versions 1, 2, 3 and so on, where this is the version
    /// that is there.
    #[must_use]
    pub fn by_version(version: Option<u64>, racers: usize) -> Self {
        let racer = version.and_then(|version| usize::try_from(version.checked_sub(1)?).ok());
        match racer {
            Some(racer) if racer < racers => Self::By(racer),
            _ => Self::Unclear,
        }
    }
}

/// Judges a round in which each client created the same tag or branch: one was told that it had
/// won, the others were refused with a 409, and what is there is the winner's.
pub fn one_claim(rounds: &mut Rounds, name: &str, exchanges: &[Arc<Exchange>], claimed: Claimed) {
    rounds.round();
    let outcomes: Vec<Outcome> = exchanges.iter().map(|e| Outcome::of(e)).collect();
    let at = format!("{name}: {}", Tally::of(exchanges));
    let unclear = |outcome: Outcome| outcome.is_unknown() || outcome.is_throttled();
    let won = |outcome: Outcome| outcome == Outcome::Ok;
    let odd = |outcome: Outcome| !won(outcome) && !outcome.is_conflict() && !unclear(outcome);
    let shown = |chosen: &dyn Fn(Outcome) -> bool| -> Vec<Arc<Exchange>> {
        let chosen = (0..exchanges.len()).filter(|&racer| chosen(outcomes[racer]));
        chosen
            .take(4)
            .map(|at| Arc::clone(&exchanges[at]))
            .collect()
    };
    let count = |chosen: &dyn Fn(Outcome) -> bool| {
        let chosen = outcomes.iter().filter(|outcome| chosen(**outcome));
        chosen.count()
    };
    if count(&won) > 1 {
        let what = "more than one client was told that it had won";
        rounds.fault(what, &at, shown(&won));
    }
    if count(&odd) > 0 {
        let what = "a client that lost was not answered 409";
        rounds.fault(what, &at, shown(&odd));
    }
    if count(&won) + count(&unclear) == 0 {
        rounds.fault("nobody won", &at, shown(&|_| true));
    }
    match claimed {
        Claimed::Nobody if count(&won) > 0 => {
            let what = "nothing is there although a client won";
            rounds.fault(what, &at, shown(&won));
        }
        Claimed::By(owner) if !won(outcomes[owner]) && !unclear(outcomes[owner]) => {
            let what = "what is there is that of a client that was refused";
            rounds.fault(what, &at, vec![Arc::clone(&exchanges[owner])]);
        }
        Claimed::Unclear => rounds.cannot_tell(),
        Claimed::Nobody | Claimed::By(_) => {}
    }
}

fn version_of(value: Option<&Value>) -> Option<i64> {
    value?.get("version")?.as_i64()
}
