//! Commits a version of each of two tables, and declares a third, all or nothing.
//!
//! ```sh
//! cargo run --example multi_table_commit -- http://localhost:2333
//! ```

use std::error::Error;

use lance_namespace_client::models::{CreateTableVersionRequest, DeclareTableRequest};
use lance_namespace_client::{Client, Table};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let Some(url) = std::env::args().nth(1) else {
        return Err("name a server: multi_table_commit http://localhost:2333".into());
    };
    let client = Client::new(url)?;
    let suffix = format!("{:08x}", fastrand::u32(..));
    let orders = client.table([format!("orders_{suffix}")]);
    let items = client.table([format!("items_{suffix}")]);
    for table in [&orders, &items] {
        table.declare(DeclareTableRequest::new()).await?;
    }

    let mut commit = client.commit();
    let order = commit.create_version(orders.id(), first_version(&orders));
    let item = commit.create_version(items.id(), first_version(&items));
    let log = commit.declare_table([format!("log_{suffix}")], DeclareTableRequest::new());
    match commit.send().await {
        Ok(done) => {
            for created in [done.get(order), done.get(item)] {
                println!(
                    "created: {:?}",
                    created.and_then(|created| created.version.as_ref())
                );
            }
            println!("declared: {:?}", done.get(log).map(|log| &log.location));
        }
        Err(error) if error.is_conflict() => println!("nothing was done: {error}"),
        Err(error) if error.is_unknown() => println!("all or nothing was done: {error}"),
        Err(error) => return Err(error.into()),
    }

    // The same versions once more: refused as a whole.
    let mut again = client.commit();
    again.create_version(orders.id(), first_version(&orders));
    again.create_version(items.id(), first_version(&items));
    match again.send().await {
        Err(error) if error.is_conflict() => println!("as it should be: {error}"),
        other => return Err(format!("the second commit was not refused: {other:?}").into()),
    }

    for table in [orders, items, client.table([format!("log_{suffix}")])] {
        table.deregister().await?;
    }
    Ok(())
}

fn first_version(table: &Table) -> CreateTableVersionRequest {
    let own = fastrand::u64(..);
    let path = format!("{}/_versions/1.manifest-{own:016x}", table.id().join("/"));
    CreateTableVersionRequest::new(1, path)
}
