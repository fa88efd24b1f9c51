//! Rows, and the Arrow bodies that carry them.

use std::fmt;
use std::io::Cursor;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, Float32Array, Int32Array, Int64Array, RecordBatch,
    StringArray, UInt64Array,
};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use bytes::Bytes;
use serde_json::{Map, Value, json};

/// The content type of an Arrow IPC stream, which requests carry.
pub const STREAM: &str = "application/vnd.apache.arrow.stream";
/// The content type of an Arrow IPC file, which `QueryTable` answers.
pub const FILE: &str = "application/vnd.apache.arrow.file";

/// What an Arrow IPC file begins with.
const MAGIC: &[u8] = b"ARROW1";
/// How long the vectors of a [`Row`] are.
pub const DIMENSION: i32 = 4;

/// A row of the tables that scenarios fill: the columns `id`, `name` and `vector`.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The number that tells rows apart.
    pub id: i64,
    /// A text.
    pub name: String,
    /// A vector of length 1.
    pub vector: [f32; 4],
}

impl Row {
    /// The row of this number. The vectors of rows 0 to 100 turn further and further away from
    /// that of row 0, so that every usual metric puts them in the same order.
    #[must_use]
    pub fn new(id: i64) -> Self {
        let place = u16::try_from(id.rem_euclid(10_000)).unwrap_or_default();
        let angle = f32::from(place) * 0.015;
        Self {
            id,
            name: format!("row {id}"),
            vector: [angle.cos(), angle.sin(), 0.0, 0.0],
        }
    }

    /// The rows of these numbers.
    #[must_use]
    pub fn all(ids: impl IntoIterator<Item = i64>) -> Vec<Self> {
        ids.into_iter().map(Self::new).collect()
    }

    /// The row with another name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }
}

/// A table of values, as an Arrow body carries it. Numbers, texts, truth values and lists of them
/// are JSON values; anything else is the text `<type>`.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The columns: name and type.
    pub columns: Vec<(String, DataType)>,
    /// The rows, each with a value for every column.
    pub rows: Vec<Vec<Value>>,
}

/// Why an Arrow body cannot be read or made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// It is no Arrow body.
    #[error("not an Arrow IPC file or stream: {0}")]
    Unreadable(ArrowError),
    /// It is compressed, which this suite cannot read.
    #[error("compressed Arrow, which this suite does not read: {0}")]
    Compressed(ArrowError),
    /// A column has a type that cannot be written.
    #[error("a column of the type {0} cannot be written")]
    Type(DataType),
}

impl From<ArrowError> for FrameError {
    fn from(error: ArrowError) -> Self {
        let text = error.to_string();
        if ["lz4", "zstd"].iter().any(|codec| text.contains(codec)) {
            Self::Compressed(error)
        } else {
            Self::Unreadable(error)
        }
    }
}

/// The type of the column `vector`.
#[must_use]
pub fn vector_type() -> DataType {
    let item = Field::new("item", DataType::Float32, true);
    DataType::FixedSizeList(Arc::new(item), DIMENSION)
}

impl Frame {
    /// These rows.
    #[must_use]
    pub fn of(rows: &[Row]) -> Self {
        let columns = [
            ("id", DataType::Int64),
            ("name", DataType::Utf8),
            ("vector", vector_type()),
        ];
        Self {
            columns: columns.map(|(name, kind)| (name.to_owned(), kind)).to_vec(),
            rows: rows
                .iter()
                .map(|row| vec![json!(row.id), json!(row.name), json!(row.vector)])
                .collect(),
        }
    }

    /// Reads an Arrow IPC file or stream, told apart by how it begins.
    ///
    /// # Errors
    ///
    /// If it is neither, or is compressed.
    pub fn read(body: &[u8]) -> Result<Self, FrameError> {
        let body = Cursor::new(body);
        if body.get_ref().starts_with(MAGIC) {
            let reader = FileReader::try_new(body, None)?;
            let schema = reader.schema();
            Self::gather(&schema, reader)
        } else {
            // A length that is none makes the reader ask for as much memory as it says.
            if !begins_with_a_message(body.get_ref()) {
                let words = "it begins with no message".to_owned();
                return Err(ArrowError::IpcError(words).into());
            }
            let reader = StreamReader::try_new(body, None)?;
            let schema = reader.schema();
            Self::gather(&schema, reader)
        }
    }

    fn gather(
        schema: &Schema,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    ) -> Result<Self, FrameError> {
        let columns = schema
            .fields()
            .iter()
            .map(|field| (field.name().clone(), field.data_type().clone()))
            .collect();
        let mut rows = Vec::new();
        for batch in batches {
            let batch = batch?;
            rows.extend((0..batch.num_rows()).map(|row| {
                let columns = batch.columns().iter();
                columns.map(|column| value(column, row)).collect()
            }));
        }
        Ok(Self { columns, rows })
    }

    /// An Arrow IPC stream of it; without any batch if it has no rows.
    ///
    /// # Errors
    ///
    /// If a column has a type that cannot be written.
    pub fn stream(&self) -> Result<Bytes, FrameError> {
        let (schema, batch) = self.batch()?;
        let mut writer = StreamWriter::try_new(Vec::new(), &schema)?;
        if !self.rows.is_empty() {
            writer.write(&batch)?;
        }
        writer.finish()?;
        Ok(writer.into_inner()?.into())
    }

    /// An Arrow IPC file of it.
    ///
    /// # Errors
    ///
    /// If a column has a type that cannot be written.
    pub fn file(&self) -> Result<Bytes, FrameError> {
        let (schema, batch) = self.batch()?;
        let mut writer = FileWriter::try_new(Vec::new(), &schema)?;
        writer.write(&batch)?;
        writer.finish()?;
        Ok(writer.into_inner()?.into())
    }

    fn batch(&self) -> Result<(Schema, RecordBatch), FrameError> {
        let fields: Vec<Field> = self
            .columns
            .iter()
            .map(|(name, kind)| Field::new(name, kind.clone(), true))
            .collect();
        let schema = Schema::new(fields);
        let arrays = self
            .columns
            .iter()
            .enumerate()
            .map(|(at, (_, kind))| array(kind, self.rows.iter().map(|row| &row[at])))
            .collect::<Result<Vec<_>, _>>()?;
        let batch = RecordBatch::try_new(Arc::new(schema.clone()), arrays)?;
        Ok((schema, batch))
    }

    /// The names of the columns.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// The values of a column, row by row; none if there is no such column.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<Vec<&Value>> {
        let at = self.columns.iter().position(|(other, _)| other == name)?;
        Some(self.rows.iter().map(|row| &row[at]).collect())
    }

    /// The numbers in the column `id`, row by row.
    #[must_use]
    pub fn ids(&self) -> Vec<i64> {
        let ids = self.column("id").unwrap_or_default();
        ids.into_iter().filter_map(Value::as_i64).collect()
    }

    /// The rows, as objects.
    #[must_use]
    pub fn objects(&self) -> Vec<Value> {
        self.rows
            .iter()
            .map(|row| {
                let fields = self.names().into_iter().map(str::to_owned);
                Value::Object(fields.zip(row.iter().cloned()).collect::<Map<_, _>>())
            })
            .collect()
    }
}

impl fmt::Display for Frame {
    /// The first rows, and how many there are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 5;
        write!(
            f,
            "{} rows of ({})",
            self.rows.len(),
            self.names().join(", ")
        )?;
        for (at, row) in self.rows.iter().take(SHOWN).enumerate() {
            f.write_str(if at == 0 { ": " } else { ", " })?;
            let values: Vec<String> = row.iter().map(Value::to_string).collect();
            write!(f, "({})", values.join(", "))?;
        }
        if self.rows.len() > SHOWN {
            f.write_str(", …")?;
        }
        Ok(())
    }
}

/// Whether a stream begins with the length of a message that can be in it.
fn begins_with_a_message(body: &[u8]) -> bool {
    const CONTINUATION: u32 = u32::MAX;
    let number = |at: usize| {
        let bytes = body.get(at..at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let length = match number(0) {
        Some(CONTINUATION) => number(4),
        other => other,
    };
    length.is_some_and(|length| usize::try_from(length).is_ok_and(|length| length <= body.len()))
}

fn value(array: &ArrayRef, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Boolean => json!(array.as_boolean().value(row)),
        DataType::Int8 => json!(array.as_primitive::<Int8Type>().value(row)),
        DataType::Int16 => json!(array.as_primitive::<Int16Type>().value(row)),
        DataType::Int32 => json!(array.as_primitive::<Int32Type>().value(row)),
        DataType::Int64 => json!(array.as_primitive::<Int64Type>().value(row)),
        DataType::UInt8 => json!(array.as_primitive::<UInt8Type>().value(row)),
        DataType::UInt16 => json!(array.as_primitive::<UInt16Type>().value(row)),
        DataType::UInt32 => json!(array.as_primitive::<UInt32Type>().value(row)),
        DataType::UInt64 => json!(array.as_primitive::<UInt64Type>().value(row)),
        DataType::Float32 => json!(array.as_primitive::<Float32Type>().value(row)),
        DataType::Float64 => json!(array.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8 => json!(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => json!(array.as_string::<i64>().value(row)),
        DataType::Utf8View => json!(array.as_string_view().value(row)),
        DataType::FixedSizeList(..) => items(&array.as_fixed_size_list().value(row)),
        DataType::List(_) => items(&array.as_list::<i32>().value(row)),
        other => Value::String(format!("<{other}>")),
    }
}

fn items(array: &ArrayRef) -> Value {
    (0..array.len()).map(|item| value(array, item)).collect()
}

fn array<'a>(
    kind: &DataType,
    values: impl Iterator<Item = &'a Value>,
) -> Result<ArrayRef, FrameError> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the values of these columns came from f32 and i32"
    )]
    Ok(match kind {
        DataType::Int32 => Arc::new(
            values
                .map(|value| value.as_i64().map(|value| value as i32))
                .collect::<Int32Array>(),
        ),
        DataType::Int64 => Arc::new(values.map(Value::as_i64).collect::<Int64Array>()),
        DataType::UInt64 => Arc::new(values.map(Value::as_u64).collect::<UInt64Array>()),
        DataType::Float32 => Arc::new(
            values
                .map(|value| value.as_f64().map(|value| value as f32))
                .collect::<Float32Array>(),
        ),
        DataType::Utf8 => Arc::new(values.map(Value::as_str).collect::<StringArray>()),
        DataType::FixedSizeList(item, length) if *item.data_type() == DataType::Float32 => {
            let lists = values.map(|value| {
                let items = value.as_array()?.iter();
                Some(items.map(|item| item.as_f64().map(|item| item as f32)))
            });
            let lists: Vec<_> = lists.collect();
            Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(lists, *length))
        }
        other => return Err(FrameError::Type(other.clone())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_stream_and_file() {
        let frame = Frame::of(&Row::all([1, 2, 300]));
        for body in [frame.stream().unwrap(), frame.file().unwrap()] {
            assert_eq!(Frame::read(&body).unwrap(), frame);
        }
        let empty = Frame::of(&[]);
        for body in [empty.stream().unwrap(), empty.file().unwrap()] {
            assert_eq!(Frame::read(&body).unwrap(), empty);
        }
    }

    #[test]
    fn what_is_no_arrow_is_an_error() {
        let whole = Frame::of(&Row::all(0..50)).stream().unwrap();
        for body in [
            &b""[..],
            b"no arrow at all",
            b"ARROW1",
            &whole[..whole.len() / 2],
        ] {
            assert!(matches!(Frame::read(body), Err(FrameError::Unreadable(_))));
        }
    }

    #[test]
    fn vectors_turn_away_from_the_first_one() {
        let rows = Row::all(0..=100);
        let nearness = |row: &Row| row.vector[0];
        assert!(
            rows.windows(2)
                .all(|two| nearness(&two[0]) > nearness(&two[1]))
        );
    }
}
