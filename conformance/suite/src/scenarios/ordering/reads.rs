//! Reads at one URL never go back, and show what was acknowledged before they began.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::calls;
use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::race::race;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::{End, Faults, Growth, Listing, LookForLatest};

/// How many clients read at once.
const READERS: usize = 6;
/// How far one client counts up while the others read.
const VERSIONS: i64 = 100;
/// How many clients declare tables at once, and how many each.
const DECLARERS: usize = 4;
const TABLES: usize = 8;

scenarios! {
    /// A created version is read over every other connection as soon as the create is answered.
    "ordering/created-version-is-read-at-once" => created_version_is_read_at_once {
        tier: Versions,
        checks: ["ORD-7", "ORD-6"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// While a client counts up, what others read never goes back and misses nothing acknowledged.
    "ordering/readers-never-go-back" => readers_never_go_back {
        tier: Versions,
        checks: ["ORD-7", "ORD-6"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// A declared table is there for every read that begins after the declare was answered.
    "ordering/declared-table-is-there-at-once" => declared_table_is_there_at_once {
        tier: Tables,
        checks: ["ORD-7", "ORD-6"],
        needs: ["TableExists"],
    }
}

async fn created_version_is_read_at_once(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let mut watch = Growth::new(&table);
    for version in 1..=20 {
        let manifest = s.manifest(&table, &format!("m{version}")).await?;
        let call = calls::create_version(&table, version, &manifest);
        let created = s
            .ask(&format!("create version {version}"), call)
            .await
            .set_up()?;
        watch.wrote(version, &created.exchange);
        // Readers at one time cannot share a connection.
        let reads = race(READERS, |reader| {
            let (s, table) = (s.clone(), table.clone());
            let look = LookForLatest::in_turn(reader, version);
            async move { (look, look.at(&s, &table).await) }
        });
        for (look, exchange) in reads.await {
            watch.read(look, &exchange);
        }
    }
    let mut faults = Faults::new("6 clients read after each of 20 creates");
    watch.judge(&mut faults);
    faults.end(&s, &["ORD-7"], "each sees the version");
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    Ok(())
}

async fn readers_never_go_back(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let mut manifests = Vec::new();
    for version in 1..=VERSIONS {
        manifests.push(s.manifest(&table, &format!("m{version}")).await?);
    }
    let manifests = Arc::new(manifests);
    let acknowledged = Arc::new(AtomicI64::new(0));
    let over = Arc::new(AtomicBool::new(false));
    let seen = race(1 + READERS, |client| {
        let (s, table, manifests) = (s.clone(), table.clone(), Arc::clone(&manifests));
        let (acknowledged, over) = (Arc::clone(&acknowledged), Arc::clone(&over));
        async move {
            let mut reads = Vec::new();
            let mut writes = Vec::new();
            if client == 0 {
                for (version, manifest) in (1..).zip(manifests.iter()) {
                    let call = calls::create_version(&table, version, manifest);
                    let exchange = s.exchange(call).await;
                    let done = Outcome::of(&exchange) == Outcome::Ok;
                    writes.push((version, exchange));
                    if !done {
                        break;
                    }
                    acknowledged.store(version, Ordering::SeqCst);
                }
                over.store(true, Ordering::SeqCst);
            }
            while !over.load(Ordering::SeqCst) {
                // The number itself, and the one that comes next.
                let next = i64::from(reads.len() % 2 == 1);
                let number = acknowledged.load(Ordering::SeqCst) + next;
                let look = LookForLatest::in_turn(client + reads.len(), number.max(1));
                reads.push((look, look.at(&s, &table).await));
            }
            (reads, writes)
        }
    });
    let mut watch = Growth::new(&table);
    for (reads, writes) in seen.await {
        for (version, exchange) in writes {
            if Outcome::of(&exchange) != Outcome::Ok {
                let outcome = Outcome::of(&exchange);
                let reason = format!("set-up failed: create version {version}: {outcome}");
                return Err(Stop::Inconclusive(reason));
            }
            watch.wrote(version, &exchange);
        }
        for (look, exchange) in reads {
            watch.read(look, &exchange);
        }
    }
    let mut faults = Faults::new("6 clients read while one creates versions 1 to 100");
    watch.judge(&mut faults);
    let held = "no read goes back or misses what was acknowledged";
    faults.end(&s, &["ORD-7"], held);
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    Ok(())
}

/// When a list is asked for again that misses something.
const LATER: Duration = Duration::from_millis(200);

/// The tables whose declare has been answered, and that answer.
type Declared = Mutex<Vec<(String, Arc<Exchange>)>>;

async fn declared_table_is_there_at_once(s: Stage) -> Flow {
    let home = s.home().await?;
    let declared: Arc<Declared> = Arc::default();
    let faults = Arc::new(Mutex::new(Faults::new(
        "4 clients declare 8 tables each while 4 others look",
    )));
    let at_work = Arc::new(AtomicI64::new(DECLARERS as i64));
    let ended: Vec<Flow> = race(DECLARERS * 2, |client| {
        let (s, home, declared) = (s.clone(), home.clone(), Arc::clone(&declared));
        let (faults, at_work) = (Arc::clone(&faults), Arc::clone(&at_work));
        async move {
            if client < DECLARERS {
                let ended = declare(&s, client, &declared).await;
                at_work.fetch_sub(1, Ordering::SeqCst);
                return ended;
            }
            let mut turn = client;
            while at_work.load(Ordering::SeqCst) > 0 {
                look(&s, &home, turn, &declared, &faults).await?;
                turn += 1;
            }
            Ok(())
        }
    })
    .await;
    ended.into_iter().collect::<Flow>()?;
    let faults = Arc::into_inner(faults).map(Mutex::into_inner);
    let faults = faults.map(|faults| faults.unwrap_or_else(PoisonError::into_inner));
    if let Some(faults) = faults {
        faults.end(&s, &["ORD-7"], "each look shows all that had been declared");
    }
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    Ok(())
}

async fn declare(s: &Stage, client: usize, declared: &Declared) -> Flow {
    for number in 0..TABLES {
        let name = format!("t{client}_{number}");
        let id = s.unmade_table(&name).await?;
        let answer = s
            .ask(&format!("declare table {name}"), calls::declare(&id))
            .await;
        let exchange = answer.set_up()?.exchange;
        let mut declared = declared.lock().unwrap_or_else(PoisonError::into_inner);
        declared.push((name, exchange));
    }
    Ok(())
}

/// Looks for the tables that have been declared by now, in one of three ways.
async fn look(
    s: &Stage,
    home: &Namespace,
    turn: usize,
    declared: &Declared,
    faults: &Mutex<Faults>,
) -> Flow {
    let before = declared
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    let Some((latest, answered)) = before.last().cloned() else {
        tokio::task::yield_now().await;
        return Ok(());
    };
    let id = home.child(&latest);
    let call = match turn % 3 {
        0 => calls::table_exists(&id),
        1 => calls::describe_table(&id),
        _ => return look_at_list(s, home, &before, faults).await,
    };
    let exchange = s.exchange(call).await;
    let outcome = Outcome::of(&exchange);
    let mut faults = faults.lock().unwrap_or_else(PoisonError::into_inner);
    match outcome {
        Outcome::Refused(404, _) => faults.broken(
            "ORD-7",
            "a table whose declare had been answered was not found",
            format!("{latest}: {outcome}"),
            [answered, exchange],
        ),
        Outcome::Failed(500) => faults.doubtful(
            "ORD-7",
            "a read of a declared table was answered with a server error",
            format!("{latest}: {outcome}"),
            [exchange],
        ),
        _ => {}
    }
    Ok(())
}

/// Looks for all these tables in the list.
async fn look_at_list(
    s: &Stage,
    home: &Namespace,
    declared: &[(String, Arc<Exchange>)],
    faults: &Mutex<Faults>,
) -> Flow {
    let names: Vec<String> = declared.iter().map(|(name, _)| name.clone()).collect();
    let walk = Listing::tables(s, home).pages(s, None).await?;
    let mut missing = walk.missing(&names);
    if walk.end == Some(End::NoToken) && !missing.is_empty() {
        // What a later list misses, too, is no matter of time but of the list (PAGE-2).
        tokio::time::sleep(LATER).await;
        let later = Listing::tables(s, home).pages(s, None).await?;
        missing.retain(|name| later.items().contains(name));
    }
    let mut faults = faults.lock().unwrap_or_else(PoisonError::into_inner);
    let what = "a list misses tables whose declare had been answered";
    let at = format!("{} of {} tables", missing.len(), names.len());
    match (walk.end, missing.first(), walk.exchanges.as_slice()) {
        (Some(End::Refused(outcome)), ..) => {
            let what = "a list was not given";
            faults.doubtful("ORD-7", what, outcome.to_string(), walk.exchanges);
        }
        (_, None, _) => {}
        (_, Some(missing), [page]) => {
            let declare = declared.iter().find(|(name, _)| name == missing);
            let shown = declare.map(|(_, exchange)| Arc::clone(exchange));
            let shown: Vec<Arc<Exchange>> = shown.into_iter().chain([Arc::clone(page)]).collect();
            faults.broken("ORD-7", what, at, shown);
        }
        // Over several pages it is no read of one moment.
        (_, Some(_), _) => faults.doubtful("ORD-7", what, at, walk.exchanges),
    }
    Ok(())
}
