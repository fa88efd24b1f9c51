//! Workloads that need no more of a server than versions.

use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use crate::workload::{Action, Phase, Role, Spread, Workload, play};

scenarios! {
    /// One order explains what clients are told that race each other for the next version.
    "histories/races-for-versions" => races_for_versions {
        tier: Versions,
        checks: ["ORD-6", "ORD-7"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// One order explains what readers of every kind see while a few clients write.
    "histories/readers-of-every-kind" => readers_of_every_kind {
        tier: Versions,
        checks: ["ORD-6", "ORD-7"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// One order explains what clients see while versions are created and deleted, the latest too.
    "histories/versions-come-and-go" => versions_come_and_go {
        tier: Versions,
        checks: ["ORD-6", "ORD-7"],
        needs: [
            "BatchDeleteTableVersions",
            "CreateTableVersion",
            "DescribeTableVersion",
            "ListTableVersions",
        ],
    }
    /// One order explains what is seen of a table while others of like names come and go around it.
    "histories/siblings-around-a-table" => siblings_around_a_table {
        tier: Versions,
        checks: ["ORD-6", "ORD-7"],
        needs: [
            "CreateTableVersion",
            "DescribeTableVersion",
            "DropTable",
            "ListTableVersions",
            "TableExists",
        ],
    }
}

const RACERS: Role = &[
    (12, Action::Create),
    (1, Action::CreateAgain),
    (2, Action::Describe),
    (1, Action::DescribeLatest),
];

/// First all for one table, then for a few, most of them for the first.
const RACES: Workload = Workload {
    clients: 8,
    tables: 3,
    namespaces: 1,
    siblings: 0,
    phases: &[
        Phase {
            steps: 60,
            roles: &[RACERS],
            tables: Spread::Zipf(8.0),
            versions: Spread::Zipf(1.5),
        },
        Phase {
            steps: 60,
            roles: &[RACERS],
            tables: Spread::Zipf(1.0),
            versions: Spread::Zipf(1.5),
        },
    ],
};

async fn races_for_versions(s: Stage) -> Flow {
    play(&s, &RACES).await?;
    let label = "8 clients race for the next versions of 3 tables";
    s.judge_history(label, &["ORD-6", "ORD-7"]).await;
    Ok(())
}

const WRITER: Role = &[(3, Action::Create), (1, Action::DescribeLatest)];
const DESCRIBER: Role = &[(2, Action::Describe), (3, Action::DescribeLatest)];
const LISTER: Role = &[(1, Action::List), (2, Action::DescribeLatest)];
const PAGER: Role = &[(2, Action::PageDown), (1, Action::DescribeLatest)];

const READERS: Workload = Workload {
    clients: 8,
    tables: 3,
    namespaces: 2,
    siblings: 0,
    phases: &[Phase {
        steps: 130,
        roles: &[WRITER, DESCRIBER, LISTER, PAGER],
        tables: Spread::Zipf(1.0),
        versions: Spread::Zipf(1.0),
    }],
};

async fn readers_of_every_kind(s: Stage) -> Flow {
    play(&s, &READERS).await?;
    let label = "6 clients describe, list and page while 2 others create versions";
    s.judge_history(label, &["ORD-6", "ORD-7"]).await;
    Ok(())
}

const DELETER: Role = &[
    (6, Action::Create),
    (1, Action::CreateAhead),
    (1, Action::DeleteOld),
    (2, Action::DeleteOne),
    (2, Action::Describe),
];
const LOOKER: Role = &[
    (3, Action::Describe),
    (2, Action::DescribeLatest),
    (1, Action::List),
    (1, Action::PageDown),
];

const COMING_AND_GOING: Workload = Workload {
    clients: 6,
    tables: 3,
    namespaces: 2,
    siblings: 0,
    phases: &[Phase {
        steps: 110,
        roles: &[DELETER, DELETER, LOOKER],
        tables: Spread::Uniform,
        versions: Spread::Zipf(1.0),
    }],
};

async fn versions_come_and_go(s: Stage) -> Flow {
    play(&s, &COMING_AND_GOING).await?;
    let label = "4 clients create and delete versions, 2 others read";
    s.judge_history(label, &["ORD-6", "ORD-7"]).await;
    Ok(())
}

const GUARDIAN: Role = &[
    (3, Action::Create),
    (2, Action::Describe),
    (2, Action::DescribeLatest),
    (2, Action::PageDown),
    (1, Action::LookForTable),
];
const CHURNER: Role = &[
    (8, Action::TurnSibling),
    (3, Action::CreateOnSibling),
    (2, Action::ListSibling),
    (1, Action::TurnNamespace),
];

const SIBLINGS: Workload = Workload {
    clients: 6,
    tables: 1,
    namespaces: 1,
    siblings: 6,
    phases: &[Phase {
        steps: 90,
        roles: &[GUARDIAN, CHURNER, CHURNER],
        tables: Spread::Uniform,
        versions: Spread::Uniform,
    }],
};

async fn siblings_around_a_table(s: Stage) -> Flow {
    play(&s, &SIBLINGS).await?;
    let label = "2 clients write and read a table, 4 others make and remove its siblings";
    s.judge_history(label, &["ORD-6", "ORD-7"]).await;
    Ok(())
}
