//! What scenarios ask: a call and its answer, and the reads that many of them do.

use std::sync::Arc;

use super::{Stage, Table, lock};
use crate::answer::Answer;
use crate::call::Call;
use crate::entry::{Entry, Manifest};
use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::pages::Pages;
use crate::proxy::Fault;
use crate::scenario::{Flow, Stop};
use crate::{calls, sdk, validity};

impl Stage {
    /// Sends a call and waits for its answer, which the transcript calls `label`.
    pub async fn ask(&self, label: &str, call: Call) -> Answer {
        let exchange = self.exchange(call).await;
        Answer::new(self.clone(), label.to_owned(), exchange)
    }

    /// Sends a call and waits for its answer, which no line of the transcript is about. What the
    /// protocol says of every answer is checked all the same.
    pub async fn exchange(&self, call: Call) -> Arc<Exchange> {
        self.ends_if_not_allowed(&call).await;
        let call = Arc::new(call);
        // Histories are about what operations do.
        if call.is_astray() {
            return Arc::new(self.session().send(call).await);
        }
        let recorded = self.0.recorder.begins(&call);
        let exchange = Arc::new(self.session().send(Arc::clone(&call)).await);
        self.0.recorder.ended(recorded, &exchange);
        self.check(&exchange);
        exchange
    }

    /// Sends a call once over a connection that breaks in this way, and waits for what comes back;
    /// the transcript calls it `label`.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the connection cannot be broken in this way.
    pub async fn ask_through(&self, label: &str, fault: Fault, call: Call) -> Flow<Answer> {
        let exchange = self.exchange_through(fault, call).await?;
        Ok(Answer::new(self.clone(), label.to_owned(), exchange))
    }

    /// Sends a call once over a connection that breaks in this way, and waits for what comes back,
    /// which no line of the transcript is about.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the connection cannot be broken in this way.
    pub async fn exchange_through(&self, fault: Fault, call: Call) -> Flow<Arc<Exchange>> {
        self.ends_if_not_allowed(&call).await;
        let call = Arc::new(call);
        let recorded = self.0.recorder.begins(&call);
        let exchange = Arc::new(self.session().send_through(fault, call).await?);
        self.0.recorder.ended(recorded, &exchange);
        // Another answer is not the server's.
        if fault.passes_the_answer() {
            self.check(&exchange);
        }
        Ok(exchange)
    }

    /// Checks what the protocol says of every answer.
    fn check(&self, exchange: &Arc<Exchange>) {
        lock(&self.0.log).answers.came(exchange);
        let deviations = validity::deviations(exchange);
        if deviations.is_empty() {
            sdk::check(exchange);
        }
        for (requirement, level, deviation) in deviations {
            self.find(requirement, level, deviation);
        }
    }

    /// Creates a version of a table.
    pub async fn create_version(&self, table: &Table, version: i64, manifest: &Manifest) -> Answer {
        let label = format!(
            "create version {version} of {} with {}",
            table.label, manifest.label
        );
        let call = calls::create_version(table, version, manifest);
        self.ask(&label, call).await
    }

    /// Describes a version of a table, or its latest.
    pub async fn describe_version(&self, table: &Table, version: Option<i64>) -> Answer {
        let label = match version {
            Some(version) => format!("describe version {version} of {}", table.label),
            None => format!("describe the latest version of {}", table.label),
        };
        self.ask(&label, calls::describe_version(table, version))
            .await
    }

    /// The entry of a version as it is now, by describe; none if there is no such version. Writes
    /// no line.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the answer is neither an entry nor a 404.
    pub async fn entry(&self, table: &Table, version: i64) -> Flow<Option<Entry>> {
        let exchange = self
            .exchange(calls::describe_version(table, Some(version)))
            .await;
        match Outcome::of(&exchange) {
            Outcome::Ok => {
                let entry = exchange
                    .json()
                    .and_then(|body| Entry::read(body.get("version")?));
                Ok(entry)
            }
            Outcome::Refused(404, _) => Ok(None),
            outcome => Err(Stop::Inconclusive(format!(
                "describe version {version} of {}: {outcome}",
                table.label
            ))),
        }
    }

    /// Every entry of a table as it is now, page by page, in the order of the answers. Writes no
    /// line.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if a page is not answered, or the pages do not end.
    pub async fn all_entries(&self, table: &Table) -> Flow<Vec<Entry>> {
        let label = format!("list the versions of {}", table.label);
        let mut pages = Pages::of(calls::list_versions(table));
        let first = self.ask(&label, pages.first()).await.set_up()?;
        let mut entries = first.entries();
        let mut page = first.exchange;
        while let Some(call) = pages.next(&label, &page)? {
            let reply = self.ask(&label, call).await.set_up()?;
            entries.extend(reply.entries());
            page = reply.exchange;
        }
        Ok(entries)
    }

    /// Whether a table exists, by its exists operation. Writes no line.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the answer is neither 200 nor 404.
    pub async fn table_exists(&self, id: &[String]) -> Flow<bool> {
        let exchange = self.exchange(calls::table_exists(id)).await;
        match Outcome::of(&exchange) {
            Outcome::Ok => Ok(true),
            Outcome::Refused(404, _) => Ok(false),
            outcome => Err(Stop::Inconclusive(format!("table exists: {outcome}"))),
        }
    }
}
