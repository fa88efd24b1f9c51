//! Clients that are gone before their answer: what they asked for is done whole or not at all.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lance_namespace_reference_server::Store;
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::harness::{Client, TempDir};

/// At how many moments a client hangs up.
const MOMENTS: u64 = 40;

/// The moments, spread over the time that an operation takes.
fn moments() -> impl Iterator<Item = (u64, Duration)> {
    (0..MOMENTS).map(|moment| (moment, Duration::from_micros(moment * 25)))
}

/// BAT-9.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_whose_client_is_gone_is_whole_or_nothing() {
    let client = Client::new();
    client.declare("a").await;
    client.declare("b").await;
    for (version, moment) in (1..).zip(moments().map(|(_, moment)| moment)) {
        let entries = ["a", "b"].map(
            |id| json!({"id": [id], "version": version, "manifest_path": format!("{version}")}),
        );
        let batch = client.post(
            "/v1/table/version/batch-create",
            json!({ "entries": entries }),
        );
        // Dropped where it is when the time is over, as for a client that hangs up.
        let _ = timeout(moment, batch).await;
        sleep(Duration::from_millis(2)).await;
        let [a, b] = [
            client.versions("a", "").await,
            client.versions("b", "").await,
        ];
        assert_eq!(a, b, "after {moment:?}");
    }
}

/// A drop that is done has deleted the table's data, too: nothing else ever does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drop_whose_client_is_gone_leaves_no_data() {
    let directory = TempDir::new();
    let store = Store::open(&directory.path("catalog.db")).unwrap();
    let client = Client::of(store);
    let mut places = Vec::new();
    for (number, moment) in moments() {
        let id = format!("t{number}");
        let declared = client.declare(&id).await;
        let location = declared["location"].as_str().unwrap();
        let place = PathBuf::from(location.strip_prefix("file://").unwrap());
        std::fs::create_dir_all(&place).unwrap();
        std::fs::write(place.join("data"), "data").unwrap();
        let _ = timeout(moment, client.table(&id, "drop", json!({}))).await;
        places.push((id, place));
    }
    let is_left = async |id: &str, place: &Path| {
        let described = client.table(id, "describe", json!({})).await;
        described.status == 404 && place.exists()
    };
    for (id, place) in places {
        let mut looks = 0;
        while is_left(&id, &place).await {
            looks += 1;
            assert!(looks < 200, "{id} is dropped, and its data stays");
            sleep(Duration::from_millis(10)).await;
        }
    }
}
