//! Tables with rows: making them, and reading them back.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::answer::Reply;
use crate::call::Call;
use crate::calls;
use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::outcome::Outcome;
use crate::rows::{FILE, Frame, FrameError, Row, STREAM};
use crate::scenario::{Flow, Stop};
use crate::stage::{Namespace, Stage, Table};

/// What says how rows are to be answered.
const ANSWERED: &str = "DATA-6";

/// What every server has, so that nobody asks: scenarios make their set-up of it.
const BASIC: [&str; 7] = [
    "CreateNamespace",
    "ListNamespaces",
    "DescribeNamespace",
    "DropNamespace",
    "DeclareTable",
    "ListTables",
    "DescribeTable",
];

impl Stage {
    /// Creates a table of this name with these rows in the scenario's own namespace.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if it cannot be created.
    pub async fn table_of(&self, name: &str, rows: &[Row]) -> Flow<Table> {
        let home = self.home().await?;
        self.table_of_in(&home, name, rows).await
    }

    /// Creates a table of this name with these rows in a namespace.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if it cannot be created.
    pub async fn table_of_in(
        &self,
        namespace: &Namespace,
        name: &str,
        rows: &[Row],
    ) -> Flow<Table> {
        let id = namespace.child(name);
        self.session().made_table(&id);
        let call = calls::data::create(&id, rows);
        let label = format!("create table {name}");
        let reply = self.ask(&label, call).await.set_up()?;
        Ok(self.declared(id, &reply.body))
    }

    /// A table that nobody has made, so far.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the scenario's namespace cannot be made.
    pub async fn no_table(&self, name: &str) -> Flow<Table> {
        let id = self.unmade_table(name).await?;
        Ok(self.declared_nowhere(id))
    }

    /// The query for every row, without a vector, in the form that the server takes.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if no answer tells which form that is.
    pub async fn scan(&self, table: &Table) -> Flow<Call> {
        let form = self.session().scan_vector().get_or_try_init(async || {
            // Neither is said to be the way to ask for no vector; a vector always is one.
            for form in [Value::Null, json!({})] {
                let call = calls::data::query(table, &form, 1);
                let exchange = self.session().send(call).await;
                match Outcome::of(&exchange) {
                    Outcome::Ok => return Ok(form),
                    Outcome::Refused(404, _) | Outcome::Failed(502..=504) | Outcome::Lost => {
                        return Err(Stop::Inconclusive(format!(
                            "how to query {} without a vector cannot be told: {}",
                            table.label,
                            Outcome::of(&exchange)
                        )));
                    }
                    _ => {}
                }
            }
            Ok(json!({ "single_vector": [1.0, 0.0, 0.0, 0.0] }))
        });
        Ok(calls::data::query(table, form.await?, calls::data::ALL))
    }

    /// Sends a query that must be answered with rows. No line says that it was.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if it was not, [`Stop::Inconclusive`] if no answer came or it cannot be
    /// read here.
    pub async fn rows(
        &self,
        requirement: &'static str,
        label: &str,
        call: Call,
    ) -> Flow<(Frame, Arc<Exchange>)> {
        let reply = self.ask(label, call).await.ok_as_ever(requirement)?;
        let frame = self.framed(requirement, label, &reply)?;
        Ok((frame, reply.exchange))
    }

    /// The rows in an answer.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if it is no Arrow, [`Stop::Inconclusive`] if it cannot be read here.
    pub fn framed(&self, requirement: &'static str, label: &str, reply: &Reply) -> Flow<Frame> {
        let exchange = &reply.exchange;
        let frame = match exchange.frame() {
            Ok(frame) => frame,
            Err(error @ FrameError::Compressed(_)) => {
                return Err(Stop::Inconclusive(format!("{label}: {error}")));
            }
            Err(error) => {
                let expected = "a body that is an Arrow IPC file";
                self.line(format!("{label}: no Arrow"));
                self.violates(
                    requirement,
                    Deviation::new(expected, error.to_string(), [Arc::clone(exchange)]),
                );
                return Err(Stop::Violated);
            }
        };
        if requirement == ANSWERED && exchange.content_type() != Some(FILE) {
            let actual = match exchange.content_type() {
                Some(STREAM) => format!("{STREAM}, which the description allows too"),
                Some(other) => other.to_owned(),
                None => "none".to_owned(),
            };
            self.warn(
                requirement,
                Deviation::new(
                    format!("QueryTable answers the content type {FILE}"),
                    format!("the content type is {actual}"),
                    [Arc::clone(exchange)],
                ),
            );
        }
        Ok(frame)
    }

    /// Every row of a table as it is now, in no order. Writes no line.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if the table cannot be queried, [`Stop::Inconclusive`] if no answer came.
    pub async fn all_rows(
        &self,
        requirement: &'static str,
        table: &Table,
    ) -> Flow<(Frame, Arc<Exchange>)> {
        let scan = self.scan(table).await?;
        let label = format!("the rows of {}", table.label);
        self.rows(requirement, &label, scan).await
    }

    /// Judges that a table holds these rows and no others, each once. Answers whether it does.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if the table cannot be queried, [`Stop::Inconclusive`] if no answer came.
    pub async fn holds(
        &self,
        requirement: &'static str,
        held: &str,
        table: &Table,
        rows: &[Row],
        because: impl IntoIterator<Item = Arc<Exchange>>,
    ) -> Flow<bool> {
        let scan = self.scan(table).await?;
        self.answers(requirement, held, table, scan, rows, because)
            .await
    }

    /// Judges that a query answers these rows of a table and no others, each once.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if the table cannot be queried, [`Stop::Inconclusive`] if no answer came.
    pub async fn answers(
        &self,
        requirement: &'static str,
        held: &str,
        table: &Table,
        query: Call,
        rows: &[Row],
        because: impl IntoIterator<Item = Arc<Exchange>>,
    ) -> Flow<bool> {
        let label = format!("rows of {}", table.label);
        let (frame, exchange) = self.rows(requirement, &label, query).await?;
        let exchanges = because.into_iter().chain([exchange]);
        let held_so = compared(&frame, rows, exchanges);
        Ok(self.judge(requirement, &label, held, held_so))
    }

    /// Judges that a count answers this number.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if the rows cannot be counted, [`Stop::Inconclusive`] if no answer came.
    pub async fn counts(
        &self,
        requirement: &'static str,
        label: &str,
        call: Call,
        count: usize,
        because: impl IntoIterator<Item = Arc<Exchange>>,
    ) -> Flow<bool> {
        let reply = self.ask(label, call).await.ok_as_ever(requirement)?;
        let held = match reply.body.as_u64() {
            Some(counted) if usize::try_from(counted) == Ok(count) => Ok(()),
            _ => Err(Deviation::new(
                format!("{label}: {count}"),
                format!("counted {}", reply.body),
                because.into_iter().chain([reply.exchange]),
            )),
        };
        Ok(self.judge(requirement, label, "counted right", held))
    }

    /// The version that a write made: as its answer says, or the latest one as the table is
    /// described now. Writes no line.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the server says it nowhere.
    pub async fn version_of(&self, table: &Table, write: &Reply) -> Flow<i64> {
        if let Some(version) = write.body["version"].as_i64() {
            return Ok(version);
        }
        let described = calls::describe_table(&table.id).query("load_detailed_metadata", true);
        for call in [described, calls::describe_version(table, None)] {
            let body = self.exchange(call).await.json().unwrap_or_default();
            let version = &body["version"];
            let version = version.as_i64().or(version["version"].as_i64());
            if let Some(version) = version {
                return Ok(version);
            }
        }
        Err(Stop::Inconclusive(format!(
            "which version of {} was written, the server says nowhere",
            table.label
        )))
    }

    /// Whether the server has an operation that a scenario can do without.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if that cannot be told.
    pub async fn has(&self, operation: &'static str) -> Flow<bool> {
        Ok(self.session().lacks(&[operation]).await?.is_empty())
    }

    /// As [`has`](Self::has), and true of the operations that every server has.
    pub(crate) async fn has_or_is_basic(&self, operation: &'static str) -> Flow<bool> {
        Ok(BASIC.contains(&operation) || self.has(operation).await?)
    }
}

/// Whether a frame holds these rows and no others, each once, in any order.
pub(crate) fn compared(
    frame: &Frame,
    rows: &[Row],
    exchanges: impl IntoIterator<Item = Arc<Exchange>>,
) -> Result<(), Deviation> {
    let differences = differences(frame, rows);
    if differences.is_empty() {
        return Ok(());
    }
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    Err(Deviation::new(
        format!("{} rows, with the ids {}", rows.len(), listed(&ids)),
        shortened(&differences),
        exchanges,
    ))
}

/// How a frame differs from these rows, one sentence each.
fn differences(frame: &Frame, rows: &[Row]) -> Vec<String> {
    let mut found = Vec::new();
    let expected = Frame::of(rows);
    for name in expected.names() {
        if frame.column(name).is_none() {
            found.push(format!("the column {name} is missing"));
        }
    }
    if !found.is_empty() {
        return found;
    }
    let mut actual: BTreeMap<i64, Vec<Value>> = BTreeMap::new();
    for (id, object) in frame.ids().into_iter().zip(frame.objects()) {
        actual.entry(id).or_default().push(object);
    }
    for object in expected.objects() {
        let id = object["id"].as_i64().unwrap_or_default();
        match actual.remove(&id).as_deref() {
            None => found.push(format!("row {id} is missing")),
            Some([row]) => {
                for name in expected.names() {
                    if row[name] != object[name] {
                        let (is, should) = (&row[name], &object[name]);
                        found.push(format!("row {id} has the {name} {is} and not {should}"));
                    }
                }
            }
            Some(several) => found.push(format!("row {id} is there {} times", several.len())),
        }
    }
    let unknown = actual.keys();
    found.extend(unknown.map(|id| format!("row {id} is there and should not be")));
    if frame.ids().len() != frame.rows.len() {
        found.push("some rows have no id".to_owned());
    }
    found
}

/// Numbers, as many as one reads.
pub(crate) fn listed(ids: &[i64]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<String> = ids.iter().take(SHOWN).map(i64::to_string).collect();
    match ids.len() {
        0 => "(none)".to_owned(),
        len if len > SHOWN => format!("{} … ({len} in all)", shown.join(", ")),
        _ => shown.join(", "),
    }
}

/// Sentences, as many as one reads.
pub(crate) fn shortened(sentences: &[String]) -> String {
    const SHOWN: usize = 4;
    let mut text = sentences[..sentences.len().min(SHOWN)].join("; ");
    if sentences.len() > SHOWN {
        text.push_str(&format!("; and {} more", sentences.len() - SHOWN));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_rows_is_no_difference() {
        let frame = Frame::of(&Row::all([3, 1, 2]));
        assert_eq!(differences(&frame, &Row::all(1..=3)), Vec::<String>::new());
    }

    #[test]
    fn each_difference_is_named() {
        let mut rows = Row::all([1, 1, 3, 9]);
        rows[2] = rows[2].clone().named("other");
        let found = differences(&Frame::of(&rows), &Row::all(1..=3));
        assert_eq!(
            found,
            [
                "row 1 is there 2 times",
                "row 2 is missing",
                "row 3 has the name \"other\" and not \"row 3\"",
                "row 9 is there and should not be",
            ]
        );
    }
}
