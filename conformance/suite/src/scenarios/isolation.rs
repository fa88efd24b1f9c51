//! Isolation: what one request names is all that it acts on.

use crate::log::Deviation;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::Stage;

/// The scenario that is played after all others.
pub(super) const CANARY: &str = "isolation/canary-survives";

scenarios! {
    /// A table that no scenario names is as it was when all of them have ended.
    "isolation/canary-survives" => canary_survives {
        tier: Basic,
        checks: ["REST-11"],
        needs: [],
    }
}

async fn canary_survives(s: Stage) -> Flow {
    let Some(canary) = s.session().canary() else {
        return Err(Stop::Inconclusive(
            "set-up failed: the canary table could not be made".to_owned(),
        ));
    };
    let held = if !s.table_exists(&canary.table.id).await? {
        let there = "the canary table, which no scenario names, exists";
        Err(Deviation::new(there, "it is gone", []))
    } else if canary.entries.is_empty() {
        // The server has no versions.
        Ok(())
    } else {
        s.compared(&canary.table, &canary.entries, []).await?
    };
    s.judge("REST-11", "the canary table", "as it was", held);
    Ok(())
}
