//! Statuses and codes.

use std::collections::BTreeSet;

use lance_namespace_reference_server::{Error, ErrorKind, Store};
use serde_json::json;

use crate::harness::Client;

/// REST-7.
#[test]
fn status_and_code_of_each_kind_agree() {
    for kind in ErrorKind::ALL {
        let statuses: &[u16] = match kind.code() {
            1 | 4 | 6 | 8 | 10 | 11 | 12 | 22 => &[404],
            2 | 3 | 5 | 7 | 9 | 14 | 19 | 23 => &[409],
            // A body over the limit is invalid input with the status that HTTP has for it.
            13 => &[400, 413],
            16 => &[401],
            17 => &[503],
            18 => &[500],
            0 => &[406],
            code => panic!("{kind:?} has the code {code}"),
        };
        assert!(statuses.contains(&kind.status().as_u16()), "{kind:?}");
    }
    let kinds: BTreeSet<String> = ErrorKind::ALL.map(|kind| format!("{kind:?}")).into();
    assert_eq!(kinds.len(), ErrorKind::ALL.len());
}

/// REST-15: an error in the work of a request leaves nothing of it, and the next one is served.
#[tokio::test]
async fn a_failed_write_leaves_nothing() {
    let store = Store::in_memory().unwrap();
    let client = Client::of(store.clone());
    client.declare("t").await;
    let failed = store
        .write(|tx| {
            tx.execute("DELETE FROM lance_table", [])?;
            Err::<(), _>(Error::new(ErrorKind::Internal, "on purpose"))
        })
        .await;
    assert_eq!(failed.unwrap_err().kind(), ErrorKind::Internal);
    let panicked = store
        .write(|tx| -> Result<(), Error> {
            tx.execute("DELETE FROM lance_table", [])?;
            panic!("on purpose")
        })
        .await;
    assert_eq!(panicked.unwrap_err().kind(), ErrorKind::Internal);
    client.table("t", "exists", json!({})).await.ok();
}

/// A fault of the database is the server's, and is said as such.
#[tokio::test]
async fn a_broken_database_is_an_internal_error() {
    let store = Store::in_memory().unwrap();
    let client = Client::of(store.clone());
    client.declare("t").await;
    store
        .write(|tx| Ok(tx.execute_batch("DROP TABLE tag; DROP TABLE version")?))
        .await
        .unwrap();
    client.create_version("t", 1, "m").await.fails(500, 18);
}
