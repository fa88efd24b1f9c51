//! `MergeInsertIntoTable`.

use serde_json::{Value, json};

use super::expression::Filter;
use super::tables::Tables;
use super::writes::{first_rows, frame};
use super::{Answered, Problem};
use crate::interpose::{Honest, Received, ok};

pub(super) async fn merge(
    tables: &mut Tables,
    honest: &Honest,
    received: &Received,
    id: &[String],
) -> Answered {
    let source = frame(received)?;
    let flag = |name: &str| received.query(name).as_deref() == Some("true");
    let branch = received.query("branch").unwrap_or_default();
    let on = received
        .query("on")
        .ok_or_else(|| Problem::invalid("on is missing"))?;
    let count = source.rows.len();
    if let Some(version) = first_rows(tables, honest, id, &branch, &source).await? {
        return Ok(ok(&counts([0, count, 0], version)));
    }
    let mut snapshot = tables.at(id, &branch, None)?.clone();
    let key = snapshot.column(&on)?;
    let delete_where = received.query("when_not_matched_by_source_delete_filt");
    let deletes = flag("when_not_matched_by_source_delete");
    let filter = Filter::read(&snapshot, delete_where.as_deref())?;
    let rows = snapshot.fit(source)?;
    let keys: Vec<Value> = rows.iter().map(|row| row[key].clone()).collect();
    let (mut updated, mut new) = (0, Vec::new());
    for row in rows {
        let matched = snapshot
            .rows
            .iter_mut()
            .find(|stored| stored.values[key] == row[key]);
        match matched {
            Some(stored) if flag("when_matched_update_all") => {
                stored.values = row;
                updated += 1;
            }
            Some(_) => {}
            None => new.push(row),
        }
    }
    let before = snapshot.rows.len();
    if deletes {
        snapshot
            .rows
            .retain(|stored| keys.contains(&stored.values[key]) || !filter.matches(stored));
    }
    let deleted = before - snapshot.rows.len();
    if !flag("when_not_matched_insert_all") {
        new.clear();
    }
    let inserted = new.len();
    snapshot.append(new);
    let version = tables.commit(honest, id, &branch, snapshot).await?;
    Ok(ok(&counts([updated, inserted, deleted], version)))
}

fn counts([updated, inserted, deleted]: [usize; 3], version: i64) -> Value {
    json!({
        "num_updated_rows": updated,
        "num_inserted_rows": inserted,
        "num_deleted_rows": deleted,
        "version": version,
    })
}
