//! How a run begins: with a namespace of its own, or in the parent where the server allows none.

use std::sync::Arc;

use super::Session;
use crate::call::Call;
use crate::calls;
use crate::cleanup;
use crate::exchange::Exchange;
use crate::names::NamesError;
use crate::outcome::Outcome;
use crate::target::Target;
use crate::wire::ClientError;

/// Why a run cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The HTTP client cannot be set up.
    #[error("the HTTP client cannot be set up: {0}")]
    Client(#[from] ClientError),
    /// What is declared of names leaves no room for the run.
    #[error(transparent)]
    Names(#[from] NamesError),
    /// Nothing answers at the URL.
    #[error("nothing answers at {url}: {reason}; is the server running there?")]
    Unreachable {
        /// The server's URL.
        url: String,
        /// What went wrong.
        reason: String,
    },
    /// The run's namespace is there already, or a table that bears its name.
    #[error(
        "{namespace} is there already: an earlier run with this seed left it; remove \
         it with `lance-namespace-conformance cleanup {run}` or choose another seed"
    )]
    Taken {
        /// The identifier of the namespace or table, joined.
        namespace: String,
        /// The run.
        run: String,
    },
    /// The tables cannot be listed among which those of the run are to be.
    #[error(
        "the tables of the namespace {parent:?} cannot be listed: {answer}; check the credentials"
    )]
    NotListed {
        /// The namespace, joined.
        parent: String,
        /// What the server answered.
        answer: String,
    },
    /// The run's namespace cannot be made.
    #[error(
        "the namespace {namespace} cannot be made: {answer}; check the credentials and the parent \
         namespace"
    )]
    Refused {
        /// The namespace, joined.
        namespace: String,
        /// What the server answered.
        answer: String,
    },
}

impl Session {
    /// Makes the run's namespace on the server.
    ///
    /// # Errors
    ///
    /// If nothing answers, the namespace is there already, or it cannot be made.
    pub async fn open(target: Target, seed: u64) -> Result<Arc<Self>, OpenError> {
        Self::open_as(target, seed, format!("{seed:x}")).await
    }

    /// The same for a run of this name: parts of one run have one seed and names of their own, so that
    /// they can be played against one server at once.
    pub(crate) async fn open_as(
        target: Target,
        seed: u64,
        run: String,
    ) -> Result<Arc<Self>, OpenError> {
        let session = Self::over(target, seed, run)?;
        let Some(namespace) = session.namespace() else {
            return session.open_in_the_parent().await;
        };
        session.made_namespace(namespace);
        let call = Call::new("CreateNamespace").id(namespace);
        let exchange = session.send(call).await;
        session.replicas_answer().await?;
        let namespace = namespace.join(session.target().delimiter());
        match Outcome::of(&exchange) {
            Outcome::Ok => {
                session.make_levels().await?;
                Ok(session.settled().await)
            }
            Outcome::Lost => Err(OpenError::Unreachable {
                url: session.target().display_url(),
                reason: exchange.answer.err().unwrap_or_default(),
            }),
            Outcome::Refused(409, _) => Err(OpenError::Taken {
                namespace,
                run: session.run,
            }),
            _ => Err(OpenError::Refused {
                namespace,
                answer: words_of(&exchange),
            }),
        }
    }

    /// Begins a run that has no namespace of its own.
    async fn open_in_the_parent(self) -> Result<Arc<Self>, OpenError> {
        let call = calls::list_tables(&self.layout.homes);
        let exchange = self.send(call).await;
        self.replicas_answer().await?;
        match Outcome::of(&exchange) {
            Outcome::Ok => {}
            Outcome::Lost => {
                return Err(OpenError::Unreachable {
                    url: self.target().display_url(),
                    reason: exchange.answer.err().unwrap_or_default(),
                });
            }
            _ => {
                return Err(OpenError::NotListed {
                    parent: self.layout.homes.join(self.target().delimiter()),
                    answer: words_of(&exchange),
                });
            }
        }
        let parent = &self.layout.homes;
        let tables = cleanup::children(&self, "ListTables", "tables", parent).await;
        match tables.into_iter().find(|id| self.layout.whole().holds(id)) {
            Some(left) => Err(OpenError::Taken {
                namespace: left.join(self.target().delimiter()),
                run: self.run,
            }),
            None => Ok(self.settled().await),
        }
    }

    async fn settled(self) -> Arc<Self> {
        let session = Arc::new(self);
        session.set_canary().await;
        session
    }

    /// Makes the namespaces between the run's own and those of the scenarios, if tables live so deep.
    async fn make_levels(&self) -> Result<(), OpenError> {
        let own = self.namespace().map_or(usize::MAX - 1, <[String]>::len);
        for depth in own + 1..=self.layout.homes.len() {
            let id = &self.layout.homes[..depth];
            self.made_namespace(id);
            let exchange = self.send(calls::create_namespace(id)).await;
            if Outcome::of(&exchange) != Outcome::Ok {
                return Err(OpenError::Refused {
                    namespace: id.join(self.target().delimiter()),
                    answer: words_of(&exchange),
                });
            }
        }
        Ok(())
    }

    async fn replicas_answer(&self) -> Result<(), OpenError> {
        for replica in &self.replicas {
            let call = Call::new("ListNamespaces").id(&[]).query("limit", 1);
            if let Err(reason) = replica.send(call).await.answer {
                return Err(OpenError::Unreachable {
                    url: replica.target().display_url(),
                    reason,
                });
            }
        }
        Ok(())
    }
}

/// The status of an answer, and what it says in words.
fn words_of(exchange: &Exchange) -> String {
    let words = exchange
        .json()
        .and_then(|body| Some(body.get("error")?.as_str()?.to_owned()));
    let words = words.unwrap_or_else(|| Outcome::of(exchange).to_string());
    match exchange.status() {
        Some(status) => format!("{status}, {words}"),
        None => words,
    }
}
