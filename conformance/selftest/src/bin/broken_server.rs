//! A server that is to be killed: `broken_server NAME ADDRESS FILE`.

use std::io::{Error, Result};
use std::net::SocketAddr;

use lance_namespace_selftest::kept::{HONEST, serve, serve_honestly};
use lance_namespace_selftest::mutants::recovery;

#[tokio::main]
async fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [name, address, file] = args.as_slice() else {
        return Err(Error::other("usage: broken_server NAME ADDRESS FILE"));
    };
    let address: SocketAddr = address.parse().map_err(Error::other)?;
    if name == HONEST {
        return serve_honestly(address, file.into()).await;
    }
    let mutant = recovery::MUTANTS.iter().find(|mutant| mutant.name == name);
    let mutant = mutant.ok_or_else(|| Error::other(format!("there is no mutant {name}")))?;
    serve(mutant.keeping, address, file.as_ref()).await
}
