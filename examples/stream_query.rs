//! Reads a whole table, batch by batch, in the memory of one batch.
//!
//! ```sh
//! cargo run --example stream_query --features arrow -- http://127.0.0.1:2333 'prod$users'
//! ```

use futures::TryStreamExt;
use lance_namespace_client::Client;
use lance_namespace_client::models::{QueryTableRequest, QueryTableRequestVector};

/// More rows than a table has.
const ALL: i64 = i32::MAX as i64;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(url), Some(table)) = (arguments.next(), arguments.next()) else {
        return Err(
            "usage: stream_query URL TABLE, such as http://127.0.0.1:2333 'prod$users'".into(),
        );
    };
    let client = Client::new(url)?;
    let table = client.table(table.split(client.delimiter()));

    // A query without a vector search. The protocol takes null for it too, some servers do not.
    let request = QueryTableRequest::new(ALL).with_vector(QueryTableRequestVector::new());
    let answer = table.query(request).await?;
    let mut batches = answer.batches();
    let schema = batches.schema().await?;
    println!(
        "columns: {}",
        schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect::<Vec<_>>()
            .join(", ")
    );

    let mut rows = 0;
    // The next batch is read when this one has been dealt with: the server waits meanwhile.
    while let Some(batch) = batches.try_next().await? {
        rows += batch.num_rows();
        println!("{} rows, {rows} so far", batch.num_rows());
    }
    println!("{rows} rows");
    Ok(())
}
