//! A server that is to be killed: `broken_server NAME ADDRESS FILE`.

use lance_namespace_selftest::mutants::recovery;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    recovery::serve(&words).await
}
