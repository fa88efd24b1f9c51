//! Namespaces and tables looked for: by describe, and in the listing of their parent.

use std::sync::Arc;

use crate::answer::Reply;
use crate::call::Call;
use crate::calls;
use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::outcome::{Outcome, Refusal};
use crate::scenario::{Flow, Stop};
use crate::stage::{Namespace, Stage};
use crate::steps::{End, Listing};

/// A namespace or a table, there or not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Object {
    /// The namespace of this identifier.
    Namespace(Vec<String>),
    /// The table of this identifier.
    Table(Vec<String>),
}

impl Object {
    /// Its identifier, in parts.
    #[must_use]
    pub fn id(&self) -> &[String] {
        match self {
            Self::Namespace(id) | Self::Table(id) => id,
        }
    }

    /// The last part of its identifier.
    #[must_use]
    pub fn name(&self) -> &str {
        self.id().last().map(String::as_str).unwrap_or_default()
    }

    /// One of its kind beside it, of this name.
    #[must_use]
    pub fn renamed(&self, name: &str) -> Self {
        let mut id = self.id().to_vec();
        id.pop();
        id.push(name.to_owned());
        match self {
            Self::Namespace(_) => Self::Namespace(id),
            Self::Table(_) => Self::Table(id),
        }
    }

    /// What findings call it.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Namespace(_) => format!("namespace {}", self.name()),
            Self::Table(_) => format!("table {}", self.name()),
        }
    }

    /// The request that describes it.
    #[must_use]
    pub fn describe(&self) -> Call {
        match self {
            Self::Namespace(id) => calls::describe_namespace(id),
            Self::Table(id) => calls::describe_table(id),
        }
    }

    /// The request that makes it.
    #[must_use]
    pub fn make(&self) -> Call {
        match self {
            Self::Namespace(id) => calls::create_namespace(id),
            Self::Table(id) => calls::declare(id),
        }
    }

    /// The request that asks whether it exists.
    #[must_use]
    pub fn exists(&self) -> Call {
        match self {
            Self::Namespace(id) => calls::namespace_exists(id),
            Self::Table(id) => calls::table_exists(id),
        }
    }

    /// The request that removes it.
    #[must_use]
    pub fn remove(&self) -> Call {
        match self {
            Self::Namespace(id) => calls::drop_namespace(id),
            Self::Table(id) => calls::deregister(id),
        }
    }

    /// The listing that names it while it is there.
    #[must_use]
    pub fn listing(&self, s: &Stage) -> Listing {
        let parent = self.id().split_last().map_or(&[][..], |(_, parent)| parent);
        let parent = Namespace::at(parent.to_vec());
        match self {
            Self::Namespace(_) => Listing::namespaces(&parent),
            Self::Table(_) => Listing::tables(s, &parent),
        }
    }

    /// The codes of an error that it does not exist.
    fn codes(&self) -> &'static [i64] {
        match self {
            Self::Namespace(_) => &[1],
            Self::Table(_) => &[4, 1],
        }
    }

    /// How making it is refused where it exists.
    #[must_use]
    pub fn exists_already(&self) -> Refusal {
        match self {
            Self::Namespace(_) => Refusal::NAMESPACE_EXISTS,
            Self::Table(_) => Refusal::TABLE_EXISTS,
        }
    }
}

/// What looking for an object has shown.
struct Sight {
    /// By describe, and by its parent's listing.
    described: bool,
    listed: bool,
    outcome: Outcome,
    exchanges: Vec<Arc<Exchange>>,
}

impl Stage {
    /// Has the run's clean-up remove it, whoever makes it.
    pub fn will_make(&self, object: &Object) {
        match object {
            Object::Namespace(id) => self.session().made_namespace(id),
            Object::Table(id) => self.session().made_table(id),
        }
    }

    /// Makes it, if the server takes its name. What may be there afterwards, the run's clean-up
    /// removes.
    pub async fn try_to_make(&self, object: &Object) -> Arc<Exchange> {
        let made = self.exchange(object.make()).await;
        if !matches!(Outcome::of(&made), Outcome::Refused(..)) {
            self.will_make(object);
        }
        made
    }

    /// Makes it, as part of the set-up.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if it cannot be made.
    pub async fn made(&self, object: &Object) -> Flow<Reply> {
        self.will_make(object);
        let label = format!("make {}", object.label());
        self.ask(&label, object.make()).await.set_up()
    }

    /// Whether describe finds it. Writes no line.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the answer is neither 200 nor 404, nor the 400 of a name that the
    /// server refuses.
    pub async fn finds(&self, object: &Object) -> Flow<(bool, Arc<Exchange>)> {
        let exchange = self.exchange(object.describe()).await;
        match Outcome::of(&exchange) {
            Outcome::Ok => Ok((true, exchange)),
            Outcome::Refused(400 | 404, _) => Ok((false, exchange)),
            outcome => Err(Stop::Inconclusive(format!(
                "describe {}: {outcome}",
                object.label()
            ))),
        }
    }

    async fn look_for(&self, object: &Object) -> Flow<Sight> {
        let described = self.exchange(object.describe()).await;
        let outcome = Outcome::of(&described);
        if outcome.is_unknown() || outcome.is_throttled() {
            return Err(Stop::Inconclusive(format!(
                "describe {}: {outcome}",
                object.label()
            )));
        }
        let walk = object.listing(self).pages(self, None).await?;
        let listed = match walk.end {
            Some(End::Refused(Outcome::Failed(_))) => outcome == Outcome::Ok,
            _ => walk.items().contains(&object.name()),
        };
        let mut exchanges = vec![described];
        exchanges.extend(walk.exchanges.iter().take(3).cloned());
        Ok(Sight {
            described: outcome == Outcome::Ok,
            listed,
            outcome,
            exchanges,
        })
    }

    /// Judges that an object is there for describe and for the listing of its parent.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if it is not, [`Stop::Inconclusive`] if no answer came.
    pub async fn there(&self, requirement: &'static str, label: &str, object: &Object) -> Flow {
        let sight = self.look_for(object).await?;
        let held = match (sight.described, sight.listed) {
            (true, true) => Ok(()),
            (described, _) => {
                let actual = match described {
                    true => "it is described and not listed".to_owned(),
                    false => format!("describe answers {}", sight.outcome),
                };
                let expected = format!("{} is described and listed", object.label());
                Err(Deviation::new(expected, actual, sight.exchanges))
            }
        };
        match self.judge(requirement, label, "described and listed", held) {
            true => Ok(()),
            false => Err(Stop::Violated),
        }
    }

    /// Judges that an object is gone for describe, with a 404, and for the listing of its parent.
    /// The code is a should.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if no answer came.
    pub async fn gone(&self, requirement: &'static str, label: &str, object: &Object) -> Flow {
        let sight = self.look_for(object).await?;
        let codes = object.codes();
        let held = match (sight.outcome, sight.listed) {
            (Outcome::Refused(404, code), false) => {
                if !code.is_some_and(|code| codes.contains(&code)) {
                    let code = code.map_or_else(|| "no code".to_owned(), |code| code.to_string());
                    let expected =
                        format!("describe {}: 404 with code {}", object.label(), codes[0]);
                    let shown = sight.exchanges.iter().take(1).cloned();
                    self.warn(
                        requirement,
                        Deviation::new(expected, format!("404 with {code}"), shown),
                    );
                }
                Ok(())
            }
            (Outcome::Ok, _) => Err("describe finds it".to_owned()),
            (Outcome::Refused(404, _), true) => Err("it is listed".to_owned()),
            (outcome, _) => Err(format!("describe answers {outcome} in place of 404")),
        };
        let expected = format!("{} is neither described nor listed", object.label());
        let held = held.map_err(|actual| Deviation::new(expected, actual, sight.exchanges));
        self.judge(requirement, label, "neither described nor listed", held);
        Ok(())
    }

    /// Judges that objects are still described and listed as before, after something was done
    /// elsewhere; `shown` is what was done.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if no answer came.
    pub async fn untouched(
        &self,
        requirement: &'static str,
        label: &str,
        objects: &[Object],
        shown: impl IntoIterator<Item = Arc<Exchange>>,
    ) -> Flow {
        let mut held = Ok(());
        for object in objects {
            let sight = self.look_for(object).await?;
            if !(sight.described && sight.listed) {
                let actual = match sight.described {
                    true => format!("{} is not listed any more", object.label()),
                    false => format!("describe {} answers {}", object.label(), sight.outcome),
                };
                let expected = format!("{} is there as before", object.label());
                let exchanges = shown.into_iter().chain(sight.exchanges);
                held = Err(Deviation::new(expected, actual, exchanges));
                break;
            }
        }
        self.judge(requirement, label, "untouched", held);
        Ok(())
    }

    /// Judges that describe and exists agree on whether an object is there, and both say that it
    /// is, or is not, as `there` has it. Whether the codes are the same is a should.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if no answer came.
    pub async fn agrees(
        &self,
        requirement: &'static str,
        label: &str,
        object: &Object,
        there: bool,
    ) -> Flow {
        let described = self.ask(label, object.describe()).await;
        let exists = self.ask(label, object.exists()).await;
        described.answered()?;
        exists.answered()?;
        let status = |outcome: Outcome| match outcome {
            Outcome::Ok => Some(true),
            Outcome::Refused(404, _) => Some(false),
            _ => None,
        };
        let (by_describe, by_exists) = (described.outcome(), exists.outcome());
        let word = if there { "there" } else { "not there" };
        let shown = [described.exchange(), exists.exchange()];
        let held = match (status(by_describe), status(by_exists)) {
            (Some(one), Some(other)) if one == there && other == there => Ok(()),
            _ => Err(Deviation::new(
                format!(
                    "describe and exists both say that {} is {word}",
                    object.label()
                ),
                format!("describe answers {by_describe}, exists {by_exists}"),
                shown.clone(),
            )),
        };
        let held = self.judge(requirement, label, &format!("{word} for both"), held);
        if held && by_describe != by_exists {
            self.warn(
                requirement,
                Deviation::new(
                    "describe and exists answer one code",
                    format!("describe answers {by_describe}, exists {by_exists}"),
                    shown,
                ),
            );
        }
        Ok(())
    }

    /// Judges that this spelling of a choice is read as the `usual` one was.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if no answer came.
    pub async fn read_alike(&self, label: &str, usual: &Arc<Exchange>, call: Call) -> Flow {
        let answer = self.ask(label, call).await;
        answer.answered()?;
        let (one, other) = (usual.status(), answer.exchange().status());
        let held = match one == other {
            true => Ok(()),
            false => Err(Deviation::new(
                "the spelling makes no difference",
                format!(
                    "{label}: {}, and {} otherwise",
                    answer.outcome(),
                    Outcome::of(usual)
                ),
                [Arc::clone(usual), answer.exchange()],
            )),
        };
        self.judge("NS-2", label, "read alike", held);
        Ok(())
    }

    /// Judges that exists answers 200 without a body.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if it does not answer 200.
    pub async fn exists_has_no_body(&self, requirement: &'static str, call: Call) -> Flow {
        let reply = self.ask("exists", call).await.set_up()?;
        let exchange = reply.exchange;
        let length = exchange
            .answer
            .as_ref()
            .map_or(0, |answer| answer.body.len());
        let held = match (exchange.status(), length) {
            (Some(200), 0) => Ok(()),
            (status, length) => Err(Deviation::new(
                "exists answers 200 without a body",
                format!("{} with {length} bytes", status.unwrap_or_default()),
                [exchange],
            )),
        };
        self.judge(
            requirement,
            "the answer of exists",
            "200 without a body",
            held,
        );
        Ok(())
    }

    /// Judges that a listing holds nothing.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if it is not answered.
    pub async fn lists_nothing(&self, requirement: &'static str, listing: &Listing) -> Flow {
        let walk = listing.pages(self, None).await?;
        let held = match (walk.end, walk.items().as_slice()) {
            (Some(End::Refused(outcome)), _) => Err(format!("{outcome}")),
            (_, []) => Ok(()),
            (_, items) => Err(format!("{} items, such as {}", items.len(), items[0])),
        };
        let held = held.map_err(|actual| {
            let expected = format!("the list of {} is empty", listing.label);
            Deviation::new(expected, actual, walk.exchanges.iter().take(3).cloned())
        });
        self.judge(
            requirement,
            &format!("the {} inside", listing.label),
            "none",
            held,
        );
        Ok(())
    }
}
