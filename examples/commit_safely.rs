//! Commits one version of a table, whatever other writers and the network do.
//!
//! ```sh
//! cargo run --example commit_safely -- http://localhost:2333 my_table
//! ```

use std::error::Error;
use std::time::Duration;

use lance_namespace_client::models::{CreateTableVersionRequest, DeclareTableRequest};
use lance_namespace_client::{Client, Table};

/// How often a commit begins anew because other writers were first.
const ROUNDS: usize = 20;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(url), Some(name)) = (arguments.next(), arguments.next()) else {
        return Err("name a server and a table: commit_safely http://localhost:2333 t".into());
    };
    let table = Client::new(url)?.table([name]);
    if !table.exists().await? {
        match table.declare(DeclareTableRequest::new()).await {
            Ok(_) => {}
            // Declared in between, or by ourselves without our knowing.
            Err(error) if error.is_conflict() || error.is_unknown() => {}
            Err(error) => return Err(error.into()),
        }
    }
    let version = commit(&table).await?;
    println!("version {version} is ours");
    Ok(())
}

/// Commits the next version, and gives its number.
async fn commit(table: &Table) -> Result<i64, Box<dyn Error>> {
    for _ in 0..ROUNDS {
        let latest = table.latest_version().await?;
        let next = latest.map_or(1, |latest| latest.version + 1);
        // Here a real writer rebases its changes on the latest version and writes the manifest. The
        // name has to be this attempt's own: it is how the version is known again.
        let mine = format!(
            "{}/_versions/{next}.manifest-{}",
            table.id().join("/"),
            unique()
        );
        let request = CreateTableVersionRequest::new(next, mine);
        loop {
            match table.create_version(request.clone()).await {
                Ok(_) => return Ok(next),
                Err(error) if error.is_conflict() => {
                    eprintln!("another writer was first: {error}");
                    break;
                }
                // It may be there or may still come. The same request again settles it: it is either
                // the first, or finds its own manifest, or another's.
                Err(error) if error.is_unknown() => {
                    eprintln!("asking again: {error}");
                    let wait = error.retry_after().unwrap_or(Duration::from_secs(1));
                    tokio::time::sleep(wait).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    Err(format!("other writers were first {ROUNDS} times").into())
}

/// A name that no other writer uses. Lance takes a UUID.
fn unique() -> String {
    let random = fastrand::u128(..);
    format!("{random:032x}")
}
