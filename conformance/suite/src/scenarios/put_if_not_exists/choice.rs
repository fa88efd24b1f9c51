//! What the specification leaves to the server: it may take or refuse, and must do what it says.

use crate::calls;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;

scenarios! {
    /// A version that does not follow the latest is there if it was taken, and absent if not.
    "put-if-not-exists/gap-is-taken-or-refused" => gap_is_taken_or_refused {
        tier: Versions,
        checks: ["VER-1", "VER-3", "VER-6"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// A first version other than 1 is there if it was taken, and absent if not.
    "put-if-not-exists/first-version-above-1-is-taken-or-refused" => first_version_above_1 {
        tier: Versions,
        checks: ["VER-1", "VER-3", "VER-6"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// An inverted range is taken or refused, and never a server error.
    "put-if-not-exists/inverted-range-is-no-server-error" => inverted_range {
        tier: Versions,
        checks: ["VER-14"],
        needs: ["BatchDeleteTableVersions", "CreateTableVersion"],
    }
    /// A version created again after it was deleted is there if it was taken, and absent if not.
    "put-if-not-exists/create-after-delete-is-taken-or-refused" => create_after_delete {
        tier: Versions,
        checks: ["VER-1", "VER-3", "VER-14"],
        needs: [
            "BatchDeleteTableVersions", "CreateTableVersion", "DescribeTableVersion",
            "ListTableVersions",
        ],
    }
}

async fn gap_is_taken_or_refused(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 2).await?;
    // Above the latest, then into the gap, then beyond what a double can count.
    for version in [5, 4, (1 << 53) + 1] {
        let manifest = s.manifest(&table, &format!("manifest {version}")).await?;
        s.create_if_it_likes("VER-6", &table, version, &manifest)
            .await?;
    }
    Ok(())
}

async fn first_version_above_1(s: Stage) -> Flow {
    for version in [0, 2, 7] {
        let table = s.table(&format!("t{version}")).await?;
        let manifest = s.manifest(&table, &format!("manifest {version}")).await?;
        s.create_if_it_likes("VER-6", &table, version, &manifest)
            .await?;
    }
    Ok(())
}

async fn inverted_range(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 6).await?;
    for range in [(5, 2), (-3, 2), (i64::MAX, 0)] {
        let label = format!("delete {}..{} of t", range.0, range.1);
        let deleted = s
            .ask(&label, calls::delete_versions(&table, &[range]))
            .await;
        deleted.open("VER-14")?;
    }
    Ok(())
}

async fn create_after_delete(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 4).await?;
    for (range, version) in [((2, 3), 2), ((4, 5), 4), ((0, -1), 1)] {
        let delete = calls::delete_versions(&table, &[range]);
        s.ask("delete", delete).await.set_up()?;
        let manifest = s.manifest(&table, "a new manifest").await?;
        s.create_if_it_likes("VER-14", &table, version, &manifest)
            .await?;
    }
    Ok(())
}
