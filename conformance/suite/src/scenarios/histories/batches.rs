//! Workloads of batches, and of batches among everything else.

use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use crate::workload::{Action, Phase, Role, Spread, Workload, play};

scenarios! {
    /// One order explains what clients are told whose batches overlap in opposite order.
    "histories/batches-in-opposite-order" => batches_in_opposite_order {
        tier: Batch,
        checks: ["ORD-6", "ORD-7"],
        needs: [
            "BatchCreateTableVersions",
            "DescribeTableVersion",
            "ListTableVersions",
        ],
    }
    /// One order explains what batches and single creates, deletes and deregisters do to each other.
    "histories/batches-against-single-operations" => batches_against_single_operations {
        tier: Batch,
        checks: ["ORD-6", "ORD-7"],
        needs: [
            "BatchCreateTableVersions",
            "BatchDeleteTableVersions",
            "CreateTableVersion",
            "DescribeTableVersion",
            "ListTableVersions",
            "TableExists",
        ],
    }
    /// One order explains everything at once, most of it on a few hot tables.
    "histories/everything-at-once" => everything_at_once {
        tier: Batch,
        checks: ["ORD-6", "ORD-7"],
        needs: [
            "BatchCommitTables",
            "BatchCreateTableVersions",
            "BatchDeleteTableVersions",
            "CreateTableVersion",
            "DescribeTableVersion",
            "DropTable",
            "ListTableVersions",
            "TableExists",
        ],
    }
}

const BATCHER: Role = &[
    (6, Action::Batch),
    (1, Action::DescribeLatest),
    (1, Action::Describe),
];
const WATCHER: Role = &[
    (3, Action::DescribeLatest),
    (2, Action::Describe),
    (1, Action::List),
    (1, Action::PageDown),
];

const OPPOSITE: Workload = Workload {
    clients: 8,
    tables: 5,
    namespaces: 2,
    siblings: 0,
    phases: &[Phase {
        steps: 80,
        roles: &[BATCHER, BATCHER, BATCHER, WATCHER],
        tables: Spread::Uniform,
        versions: Spread::Zipf(1.5),
    }],
};

async fn batches_in_opposite_order(s: Stage) -> Flow {
    play(&s, &OPPOSITE).await?;
    let label = "6 clients send batches over 5 tables in either order, 2 others read";
    s.judge_history(label, &["ORD-6", "ORD-7"]).await;
    Ok(())
}

const SINGLE: Role = &[
    (5, Action::Create),
    (1, Action::DeleteOld),
    (2, Action::DeleteOne),
    (3, Action::Replace),
    (2, Action::DescribeLatest),
    (1, Action::LookForTable),
];

const AGAINST: Workload = Workload {
    clients: 8,
    tables: 4,
    namespaces: 2,
    siblings: 0,
    phases: &[Phase {
        steps: 90,
        roles: &[
            BATCHER, SINGLE, WATCHER, BATCHER, SINGLE, BATCHER, SINGLE, WATCHER,
        ],
        tables: Spread::Uniform,
        versions: Spread::Zipf(1.5),
    }],
};

async fn batches_against_single_operations(s: Stage) -> Flow {
    play(&s, &AGAINST).await?;
    let label = "3 clients send batches, 3 create, delete and deregister, 2 read";
    s.judge_history(label, &["ORD-6", "ORD-7"]).await;
    Ok(())
}

const ANYTHING: Role = &[
    (8, Action::Create),
    (1, Action::CreateAgain),
    (1, Action::CreateAhead),
    (5, Action::Batch),
    (5, Action::Commit),
    (1, Action::DeleteOld),
    (2, Action::DeleteOne),
    (6, Action::Describe),
    (5, Action::DescribeLatest),
    (2, Action::List),
    (3, Action::PageDown),
    (1, Action::LookForTable),
    (1, Action::Replace),
    (4, Action::TurnSibling),
    (2, Action::CreateOnSibling),
    (1, Action::ListSibling),
    (1, Action::TurnNamespace),
];

const EVERYTHING: Workload = Workload {
    clients: 8,
    tables: 8,
    namespaces: 3,
    siblings: 8,
    phases: &[Phase {
        steps: 110,
        roles: &[ANYTHING],
        tables: Spread::Zipf(1.2),
        versions: Spread::Zipf(1.2),
    }],
};

async fn everything_at_once(s: Stage) -> Flow {
    play(&s, &EVERYTHING).await?;
    let label = "8 clients do everything at once, most of it on the first of 8 tables";
    s.judge_history(label, &["ORD-6", "ORD-7"]).await;
    Ok(())
}
