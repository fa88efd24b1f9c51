//! A table as it is in one version.

use std::collections::BTreeMap;

use arrow_schema::DataType;
use lance_namespace_suite::rows::Frame;
use serde_json::Value;

use super::Problem;

/// A table as it is in one version.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    pub(super) columns: Vec<(String, DataType)>,
    pub(super) rows: Vec<Stored>,
    /// The row id that the next row gets.
    pub(super) next: u64,
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) field_metadata: BTreeMap<String, BTreeMap<String, String>>,
    pub(super) indexes: BTreeMap<String, Index>,
    /// The expressions of computed columns.
    pub(super) computed: BTreeMap<String, String>,
}

/// A row, with its row id.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) row_id: u64,
    pub(super) values: Vec<Value>,
}

/// An index.
#[derive(Clone, Debug)]
pub(super) struct Index {
    pub(super) column: String,
    pub(super) kind: String,
    pub(super) rows: usize,
}

impl Snapshot {
    /// A table of a frame's columns and rows.
    pub(super) fn of(frame: Frame) -> Self {
        let mut snapshot = Self {
            columns: frame.columns,
            ..Self::default()
        };
        snapshot.append(frame.rows);
        snapshot
    }

    /// Adds rows, with new row ids.
    pub(super) fn append(&mut self, rows: Vec<Vec<Value>>) {
        for values in rows {
            self.rows.push(Stored {
                row_id: self.next,
                values,
            });
            self.next += 1;
        }
    }

    /// The place of a column.
    pub(super) fn column(&self, name: &str) -> Result<usize, Problem> {
        self.columns
            .iter()
            .position(|(column, _)| column == name)
            .ok_or_else(|| Problem::no_column(name))
    }

    /// The rows of a frame in the order of this table's columns; a column that the frame lacks
    /// reads null.
    pub(super) fn fit(&self, frame: Frame) -> Result<Vec<Vec<Value>>, Problem> {
        let mut places = Vec::new();
        for (name, kind) in &frame.columns {
            let place = self.column(name).map_err(|_| {
                Problem::invalid(format!("the table has no column {name} to insert into"))
            })?;
            if self.columns[place].1 != *kind {
                return Err(Problem::invalid(format!("{name} is no {kind} here")));
            }
            places.push(place);
        }
        let rows = frame.rows.into_iter().map(|row| {
            let mut values = vec![Value::Null; self.columns.len()];
            for (place, value) in places.iter().zip(row) {
                values[*place] = value;
            }
            values
        });
        Ok(rows.collect())
    }
}
