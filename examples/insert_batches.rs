//! Creates a table from record batches, and inserts more of them.
//!
//! ```sh
//! cargo run --example insert_batches --features arrow -- http://127.0.0.1:2333 measurements
//! ```

use std::error::Error;
use std::ops::Range;
use std::sync::Arc;

use futures::Stream;
use lance_namespace_client::arrow_array::{Float64Array, Int64Array, RecordBatch};
use lance_namespace_client::arrow_schema::{ArrowError, DataType, Field, Schema};
use lance_namespace_client::models::{
    CountTableRowsRequest, CreateTableRequest, InsertIntoTableRequest,
};
use lance_namespace_client::{ArrowBody, Client};

/// Rows of a batch. Only one batch at a time is in memory.
const ROWS: i64 = 1_000;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(url), Some(table)) = (arguments.next(), arguments.next()) else {
        return Err("usage: insert_batches URL TABLE".into());
    };
    let client = Client::new(url)?;
    let table = client.table(table.split(client.delimiter()));

    let schema = Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int64, false),
        Field::new("value", DataType::Float64, false),
    ]));
    // Made as they are sent. A batch that cannot be made breaks the call off.
    let body = ArrowBody::batch_stream(schema.clone(), batches(&schema, 0..3));
    table.create(CreateTableRequest::new(), body).await?;

    let body = ArrowBody::batch_stream(schema.clone(), batches(&schema, 3..5));
    table.insert(InsertIntoTableRequest::new(), body).await?;

    let counted = table.count_rows(CountTableRowsRequest::new()).await?;
    println!("{} rows", counted.count.unwrap_or_default());
    Ok(())
}

fn batches(
    schema: &Arc<Schema>,
    numbers: Range<i64>,
) -> impl Stream<Item = Result<RecordBatch, ArrowError>> + use<> {
    let schema = schema.clone();
    futures::stream::iter(numbers.map(move |number| batch(&schema, number)))
}

fn batch(schema: &Arc<Schema>, number: i64) -> Result<RecordBatch, ArrowError> {
    let ids = Int64Array::from_iter_values(number * ROWS..(number + 1) * ROWS);
    let values = Float64Array::from_iter_values((0..ROWS).map(|row| row as f64 / 2.0));
    RecordBatch::try_new(schema.clone(), vec![Arc::new(ids), Arc::new(values)])
}
