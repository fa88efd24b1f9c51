//! The few filters and expressions that the data plane understands.

use std::cmp::Ordering;

use serde_json::{Value, json};

use super::Problem;
use super::snapshot::{Snapshot, Stored};

const COMPARISONS: [&str; 6] = ["<=", ">=", "!=", "<", ">", "="];

/// A filter: `true`, or a column compared with a number or a text.
#[derive(Clone, Debug)]
pub(super) enum Filter {
    All,
    Compared(usize, &'static str, Value),
}

impl Filter {
    /// Reads a filter; none is all rows.
    pub(super) fn read(snapshot: &Snapshot, filter: Option<&str>) -> Result<Self, Problem> {
        let Some(filter) = filter.map(str::trim).filter(|filter| *filter != "true") else {
            return Ok(Self::All);
        };
        let junk = || Problem::invalid(format!("{filter:?} is no filter"));
        let compared = COMPARISONS
            .into_iter()
            .filter_map(|sign| Some((filter.find(sign)?, sign)))
            .min_by_key(|(at, sign)| (*at, usize::MAX - sign.len()))
            .ok_or_else(junk)?;
        let (at, sign) = compared;
        let name = filter[..at].trim();
        let value = literal(&filter[at + sign.len()..]).ok_or_else(junk)?;
        Ok(Self::Compared(snapshot.column(name)?, sign, value))
    }

    /// Whether a row matches.
    pub(super) fn matches(&self, row: &Stored) -> bool {
        let Self::Compared(column, sign, value) = self else {
            return true;
        };
        let Some(ordering) = compare(&row.values[*column], value) else {
            return false;
        };
        match *sign {
            "<=" => ordering != Ordering::Greater,
            ">=" => ordering != Ordering::Less,
            "!=" => ordering != Ordering::Equal,
            "<" => ordering == Ordering::Less,
            ">" => ordering == Ordering::Greater,
            _ => ordering == Ordering::Equal,
        }
    }
}

fn compare(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        _ => Some(one.as_i64()?.cmp(&other.as_i64()?)),
    }
}

/// A number, or a text in quotes.
fn literal(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Ok(number) = text.parse::<i64>() {
        return Some(json!(number));
    }
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    Some(json!(inner.replace("''", "'")))
}

/// An expression: a literal, a column, or a column and a number with a sign between them.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    Literal(Value),
    Column(usize),
    Computed(usize, char, i64),
}

impl Expression {
    pub(super) fn read(snapshot: &Snapshot, text: &str) -> Result<Self, Problem> {
        if let Some(value) = literal(text) {
            return Ok(Self::Literal(value));
        }
        let junk = || Problem::invalid(format!("{text:?} is no expression"));
        for sign in ['+', '*'] {
            if let Some((column, number)) = text.split_once(sign) {
                let number = number.trim().parse().map_err(|_| junk())?;
                return Ok(Self::Computed(
                    snapshot.column(column.trim())?,
                    sign,
                    number,
                ));
            }
        }
        Ok(Self::Column(snapshot.column(text.trim())?))
    }

    pub(super) fn value(&self, row: &Stored) -> Value {
        match self {
            Self::Literal(value) => value.clone(),
            Self::Column(column) => row.values[*column].clone(),
            Self::Computed(column, sign, number) => {
                let value = row.values[*column].as_i64();
                let computed = value.map(|value| match sign {
                    '*' => value * number,
                    _ => value + number,
                });
                computed.map_or(Value::Null, |value| json!(value))
            }
        }
    }
}
