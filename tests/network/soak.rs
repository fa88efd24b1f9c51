//! Writers on one server over a network that cuts one exchange in five.
//!
//! `SOAK_CREATES` says how many creates are made; the usual few take seconds.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::TryStreamExt;
use lance_namespace_client::models::*;
use lance_namespace_client::{Client, RetryPolicy};
use lance_namespace_reference_server::{Config, Server};

use crate::proxy::{self, Cut, Decide};

const WRITERS: u64 = 16;
/// So that writers race for versions.
const TABLES: u64 = 4;
const USUAL: u64 = 2_000;

/// Cuts one exchange in twenty at each place, by chance.
fn one_in_twenty_each(seed: u64) -> Decide {
    let chance = Mutex::new(fastrand::Rng::with_seed(seed));
    Arc::new(move |_| Cut::ALL.get(chance.lock().unwrap().usize(..20)).copied())
}

/// What a writer was told.
#[derive(Default)]
struct Told {
    created: Vec<(u64, i64, String)>,
    taken: Vec<String>,
    unknown: u64,
}

/// Creates versions until enough were made by all, each until it is settled.
async fn write(client: Client, writer: u64, left: Arc<AtomicU64>) -> Told {
    let table = writer % TABLES;
    let handle = client.table([format!("t{table}")]);
    let mut told = Told::default();
    let mut version = 0;
    let take = |left: u64| left.checked_sub(1);
    while left
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
        .is_ok()
    {
        version += 1;
        let path = format!("t{table}/_versions/{version}.manifest-{writer}");
        let request = CreateTableVersionRequest::new(version, &path);
        loop {
            match handle.create_version(request.clone()).await {
                Ok(_) => told.created.push((table, version, path)),
                Err(error) if error.is_unknown() => {
                    told.unknown += 1;
                    continue;
                }
                Err(error) if error.is_conflict() => told.taken.push(path),
                Err(error) => panic!("{error:?}"),
            }
            break;
        }
    }
    told
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_created_version_is_there_once_and_none_that_is_ones_own_is_called_taken() {
    let creates = match std::env::var("SOAK_CREATES") {
        Ok(number) => number.parse().unwrap(),
        Err(_) => USUAL,
    };
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), Config::default());
    let server = server.await.unwrap();
    let direct = Client::new(server.url()).unwrap();
    for table in 0..TABLES {
        let table = direct.table([format!("t{table}")]);
        table.declare(DeclareTableRequest::new()).await.unwrap();
    }
    let url = proxy::start(server.local_addr(), one_in_twenty_each(creates)).await;
    let policy = RetryPolicy::new()
        .with_max_attempts(10)
        .with_delays(Duration::from_millis(1), Duration::from_millis(10));
    let client = Client::builder(url).retry(policy).build().unwrap();

    let began = Instant::now();
    let left = Arc::new(AtomicU64::new(creates));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| tokio::spawn(write(client.clone(), writer, left.clone())))
        .collect();
    let mut created = HashMap::new();
    let mut taken = HashSet::new();
    let mut unknown = 0;
    for writer in writers {
        let told = writer.await.unwrap();
        for (table, version, path) in told.created {
            let twice = created.insert((table, version), path);
            assert_eq!(twice, None, "two creates of version {version} of t{table}");
        }
        taken.extend(told.taken);
        unknown += told.unknown;
    }
    let took = began.elapsed();
    assert_eq!((created.len() + taken.len()) as u64, creates);

    let mut stored = 0;
    for table in 0..TABLES {
        let handle = direct.table([format!("t{table}")]);
        let versions: Vec<TableVersion> = handle.versions().try_collect().await.unwrap();
        let mut seen = HashSet::new();
        for TableVersion {
            version,
            manifest_path: path,
            ..
        } in versions
        {
            assert!(
                seen.insert(version),
                "version {version} of t{table} is listed twice"
            );
            assert_eq!(
                created.get(&(table, version)),
                Some(&path),
                "stored, and told to nobody"
            );
            assert!(
                !taken.contains(&path),
                "{path} is stored and was called another's"
            );
            stored += 1;
        }
    }
    assert_eq!(stored, created.len(), "created, and not there");
    println!(
        "{creates} creates in {took:.1?}: {} created, {} taken by another, {unknown} times unknown \
         and settled by sending again",
        created.len(),
        taken.len()
    );
    server.shutdown().await.unwrap();
}
