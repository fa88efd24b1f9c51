//! Lists every table of a server, namespace by namespace, with its versions.
//!
//! ```sh
//! cargo run --example list_everything -- http://localhost:2333
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write};

use futures::TryStreamExt;
use lance_namespace_client::{Client, ErrorCode, Namespace, Table};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let Some(url) = std::env::args().nth(1) else {
        return Err("name a server: list_everything http://localhost:2333".into());
    };
    list_everything(&Client::new(url)?, &mut io::stdout()).await
}

/// Writes one line a namespace, and below it one line a table.
pub(crate) async fn list_everything(
    client: &Client,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let mut namespaces = vec![client.root()];
    while let Some(namespace) = namespaces.pop() {
        writeln!(out, "{}", show(client, namespace.id()))?;
        for (id, table) in tables(client, &namespace).await? {
            writeln!(out, "    {id}: {}", versions(&table).await?)?;
        }
        // Gathered first, since the last one pushed is the next one listed.
        let mut names: Vec<_> = namespace.namespaces().try_collect().await?;
        names.sort_unstable();
        namespaces.extend(names.iter().rev().map(|name| namespace.namespace(name)));
    }
    Ok(())
}

/// The tables within a namespace, by identifier.
async fn tables(
    client: &Client,
    namespace: &Namespace,
) -> Result<BTreeMap<String, Table>, lance_namespace_client::Error> {
    // Nothing but the page at hand is held in memory while the stream runs.
    let mut names = namespace.tables().page_size(100);
    let mut tables = BTreeMap::new();
    while let Some(name) = names.try_next().await? {
        // Some servers give whole identifiers, in which the delimiter stands.
        let table = match name.contains(client.delimiter()) {
            true => client.table(name.split(client.delimiter())),
            false => namespace.table(name),
        };
        tables.insert(show(client, table.id()), table);
    }
    Ok(tables)
}

/// How many versions a table has, and which is the latest.
async fn versions(table: &Table) -> Result<String, lance_namespace_client::Error> {
    let listing = table
        .versions()
        .with(|request| request.with_descending(true));
    let versions: Vec<_> = match listing.try_collect().await {
        Ok(versions) => versions,
        Err(error) if error.code() == Some(ErrorCode::UNSUPPORTED) => {
            return Ok("the server keeps no versions".to_owned());
        }
        Err(error) => return Err(error),
    };
    Ok(match versions.first() {
        Some(latest) => format!("{} versions, latest {}", versions.len(), latest.version),
        None => "no version".to_owned(),
    })
}

/// An identifier as the server writes it.
fn show(client: &Client, id: &[String]) -> String {
    match id {
        [] => "(root)".to_owned(),
        parts => parts.join(client.delimiter()),
    }
}
