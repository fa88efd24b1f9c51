//! What the clients of a simulated server do, when, and what goes wrong.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fastrand::Rng;
use lance_namespace_history::operation::{
    Answer, Call, Change, Entry, History, Initial, Ledger, Operation, Outcome, Page, Put, Range,
    Refusal,
};

use super::server::Server;

/// How a history is made.
#[derive(Clone, Debug)]
pub(crate) struct Workload {
    pub(crate) clients: u32,
    pub(crate) operations: usize,
    pub(crate) tables: usize,
    /// Versions are taken from so many numbers from the latest on, or from 1 to this if `is_small`.
    pub(crate) spread: i64,
    pub(crate) is_small: bool,
    /// Deletes begin so many versions below the latest, where they can.
    pub(crate) retained: i64,
    /// How likely each call is.
    pub(crate) weights: Weights,
    /// One in so many outcomes is unknown; never if 0.
    pub(crate) unknown: u32,
    /// How many versions a page holds.
    pub(crate) limit: usize,
    /// One in so many calls is served with a fault; never if 0.
    pub(crate) faults: u32,
}

/// How likely each call is, against the sum of all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weights {
    pub(crate) create: u32,
    pub(crate) describe: u32,
    pub(crate) latest: u32,
    pub(crate) list: u32,
    pub(crate) delete: u32,
    pub(crate) batch: u32,
    pub(crate) commit: u32,
    pub(crate) declare: u32,
    pub(crate) exists: u32,
    pub(crate) drop: u32,
    pub(crate) deregister: u32,
}

impl Weights {
    fn all(&self) -> [u32; 11] {
        [
            self.create,
            self.describe,
            self.latest,
            self.list,
            self.delete,
            self.batch,
            self.commit,
            self.declare,
            self.exists,
            self.drop,
            self.deregister,
        ]
    }
}

/// What reaches the server at one moment.
enum Arrival {
    /// A call that is answered to its client at a later time.
    Call { at: usize, client: u32, end: u64 },
    /// What a call does without anybody being told: late, or the rest of a torn one.
    Late(Call),
}

/// Makes a history; the same for the same numbers. The honest ones have `faults: 0`.
pub(crate) fn history(workload: &Workload, rng: &mut Rng) -> History {
    Simulation {
        workload,
        rng,
        server: Server::with_tables((0..workload.tables).map(table)),
        stale: Server::default(),
        arrivals: BinaryHeap::new(),
        waiting: Vec::new(),
        operations: Vec::with_capacity(workload.operations),
        entries: 0,
    }
    .run()
}

fn table(number: usize) -> String {
    format!("t{number}")
}

struct Simulation<'w> {
    workload: &'w Workload,
    rng: &'w mut Rng,
    server: Server,
    /// What the server was like some time ago.
    stale: Server,
    arrivals: BinaryHeap<Reverse<(u64, usize)>>,
    waiting: Vec<Option<Arrival>>,
    operations: Vec<Operation>,
    entries: u64,
}

impl Simulation<'_> {
    fn run(mut self) -> History {
        let initial = (0..self.workload.tables).map(|number| Initial {
            ledger: Ledger::main(table(number)),
            entries: Vec::new(),
        });
        let initial = initial.collect();
        for client in 0..self.workload.clients {
            let start = self.rng.u64(0..1_000);
            self.begin(client, start);
        }
        while let Some(Reverse((now, at))) = self.arrivals.pop() {
            match self.waiting[at].take() {
                Some(Arrival::Call { at, client, end }) => {
                    self.serve(at, now);
                    let pause = self.rng.u64(1..200);
                    self.begin(client, end + pause);
                }
                Some(Arrival::Late(call)) => {
                    self.server.execute(&call, self.workload.limit);
                }
                None => {}
            }
        }
        History {
            initial,
            operations: self.operations,
        }
    }

    fn arrive(&mut self, point: u64, arrival: Arrival) {
        self.arrivals.push(Reverse((point, self.waiting.len())));
        self.waiting.push(Some(arrival));
    }

    fn begin(&mut self, client: u32, start: u64) {
        if self.operations.len() >= self.workload.operations {
            return;
        }
        let point = start + self.rng.u64(1..1_000);
        let end = point + self.rng.u64(1..1_000);
        let call = self.call();
        let at = self.operations.len();
        let is_unknown = self.workload.unknown > 0 && self.rng.u32(0..self.workload.unknown) == 0;
        let operation = Operation {
            client,
            start,
            end,
            call: call.clone(),
            outcome: Outcome::Unknown,
        };
        self.operations.push(operation);
        if is_unknown {
            match self.rng.u8(0..3) {
                0 => {}
                1 => self.arrive(point, Arrival::Late(call)),
                _ => {
                    let late = point + self.rng.u64(1_000..20_000);
                    self.arrive(late, Arrival::Late(call));
                }
            }
            let next = end + self.rng.u64(1..200);
            // A client goes on after an unknown outcome as after any other.
            self.begin(client, next);
            return;
        }
        self.arrive(point, Arrival::Call { at, client, end });
    }

    fn serve(&mut self, at: usize, now: u64) {
        let call = self.operations[at].call.clone();
        let is_faulty = self.workload.faults > 0 && self.rng.u32(0..self.workload.faults) == 0;
        let outcome = if is_faulty {
            self.serve_badly(&call, now)
        } else {
            self.server.execute(&call, self.workload.limit)
        };
        if self.workload.faults > 0 && self.rng.u8(0..4) == 0 {
            self.stale = self.server.clone();
        }
        self.operations[at].outcome = outcome;
    }

    /// One of the ways in which servers go wrong.
    fn serve_badly(&mut self, call: &Call, now: u64) -> Outcome {
        let limit = self.workload.limit;
        match call {
            // Acknowledged, and lost; refused, and done; a winner over a winner; done in two steps.
            Call::CreateVersion(put) => match self.rng.u8(0..3) {
                0 => Outcome::Ok(Answer::Done),
                1 => {
                    self.server.execute(call, limit);
                    Outcome::Refused(Refusal::Exists)
                }
                _ => {
                    let range = Range {
                        start: put.entry.version,
                        end: Some(put.entry.version + 1),
                    };
                    let delete = Call::DeleteVersions {
                        ledger: put.ledger.clone(),
                        ranges: vec![range],
                    };
                    self.server.execute(&delete, limit);
                    self.server.execute(call, limit)
                }
            },
            Call::BatchCreate(puts) => {
                let first = self.rng.usize(0..puts.len().max(1));
                let mut rest = puts.clone();
                for put in rest.drain(..first.min(puts.len())) {
                    self.server.execute(&Call::CreateVersion(put), limit);
                }
                if self.rng.bool() {
                    return Outcome::Refused(Refusal::Exists);
                }
                let late = now + self.rng.u64(1..2_000);
                for put in rest {
                    self.arrive(late, Arrival::Late(Call::CreateVersion(put)));
                }
                Outcome::Ok(Answer::Done)
            }
            Call::BatchCommit(changes) => {
                for change in changes {
                    if self.server.change(change).is_err() {
                        return Outcome::Refused(Refusal::Exists);
                    }
                }
                Outcome::Ok(Answer::Done)
            }
            Call::DeleteVersions { .. } => match self.server.execute(call, limit) {
                Outcome::Ok(Answer::Deleted(Some(count))) => {
                    Outcome::Ok(Answer::Deleted(Some(count + 1)))
                }
                other => other,
            },
            Call::DeclareTable(_) => Outcome::Ok(Answer::Done),
            Call::DropTable(_) | Call::DeregisterTable(_) => Outcome::Ok(Answer::Done),
            Call::DescribeVersion { .. }
            | Call::ListVersions { .. }
            | Call::TableExists(_)
            | Call::DescribeTable(_) => {
                let mut stale = self.stale.clone();
                stale.execute(call, limit)
            }
        }
    }

    fn ledger(&mut self) -> Ledger {
        Ledger {
            table: table(self.rng.usize(0..self.workload.tables)),
            branch: (self.rng.u8(0..16) == 0).then(|| "b".to_owned()),
        }
    }

    fn version(&mut self, ledger: &Ledger) -> i64 {
        if self.workload.is_small {
            return self.rng.i64(1..=self.workload.spread);
        }
        let latest = self.server.latest(ledger);
        (latest + 1 + self.rng.i64(-self.workload.spread..=self.workload.spread)).max(1)
    }

    fn put(&mut self) -> Put {
        let ledger = self.ledger();
        let version = self.version(&ledger);
        self.entries += 1;
        let entry = format!("e{}", self.entries);
        Put {
            ledger,
            entry: Entry { version, entry },
        }
    }

    fn puts(&mut self) -> Vec<Put> {
        let mut puts: Vec<Put> = Vec::new();
        for _ in 0..self.rng.usize(2..=3) {
            let put = self.put();
            let is_new = |other: &Put| {
                other.ledger != put.ledger || other.entry.version != put.entry.version
            };
            if puts.iter().all(is_new) {
                puts.push(put);
            }
        }
        puts
    }

    fn ranges(&mut self, ledger: &Ledger) -> Vec<Range> {
        let start = if self.workload.is_small {
            self.rng.i64(0..=self.workload.spread)
        } else {
            self.rng
                .i64(0..=(self.server.latest(ledger) - self.workload.retained).max(0))
        };
        let width = self.rng.i64(1..=3);
        vec![Range {
            start,
            end: (self.rng.u8(0..16) != 0 || !self.workload.is_small).then_some(start + width),
        }]
    }

    fn call(&mut self) -> Call {
        let weights = self.workload.weights.all();
        let mut left = self.rng.u32(0..weights.iter().sum());
        let mut kind = 0;
        while left >= weights[kind] {
            left -= weights[kind];
            kind += 1;
        }
        let ledger = self.ledger();
        let name = ledger.table.clone();
        match kind {
            0 => Call::CreateVersion(self.put()),
            1 => Call::DescribeVersion {
                version: Some(self.version(&ledger)),
                ledger,
            },
            2 => Call::DescribeVersion {
                ledger,
                version: None,
            },
            3 => Call::ListVersions {
                page: Page {
                    descending: self.rng.u8(0..4) != 0,
                    after: (self.rng.u8(0..4) == 0).then(|| self.version(&ledger)),
                    since: None,
                },
                ledger,
            },
            4 => Call::DeleteVersions {
                ranges: self.ranges(&ledger),
                ledger,
            },
            5 => Call::BatchCreate(self.puts()),
            6 => Call::BatchCommit(self.changes()),
            7 => Call::DeclareTable(name),
            8 => Call::TableExists(name),
            9 => Call::DropTable(name),
            _ => Call::DeregisterTable(name),
        }
    }

    fn changes(&mut self) -> Vec<Change> {
        let count = self.rng.usize(1..=3);
        let mut changes = Vec::with_capacity(count);
        for _ in 0..count {
            let ledger = self.ledger();
            changes.push(match self.rng.u8(0..8) {
                0 if self.workload.weights.declare > 0 => Change::DeclareTable(ledger.table),
                1 if self.workload.weights.deregister > 0 => Change::DeregisterTable(ledger.table),
                2 if self.workload.weights.delete > 0 => Change::DeleteVersions {
                    ranges: self.ranges(&ledger),
                    ledger,
                },
                _ => Change::CreateVersion(self.put()),
            });
        }
        changes
    }
}
