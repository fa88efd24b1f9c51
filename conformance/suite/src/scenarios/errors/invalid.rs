//! Words that mean nothing where few are known, and empty names.

use serde_json::json;

use crate::call::Call;
use crate::calls::{self, data};
use crate::outcome::Refusal;
use crate::rows::Row;
use crate::scenario::{Flow, scenarios};
use crate::scenarios::errors::malformed::Stand;
use crate::stage::Stage;
use crate::steps::{Demand, Owed};

scenarios! {
    /// A mode, behaviour or flag that is none is refused as invalid, and nothing is done.
    "errors/unknown-word-is-invalid" => unknown_word {
        tier: Basic,
        checks: ["ERR-1", "ERR-5"],
        needs: [],
    }
    /// An empty name is refused as invalid.
    "errors/empty-name-is-invalid" => empty_name {
        tier: Basic,
        checks: ["ERR-1", "ERR-5"],
        needs: [],
    }
}

async fn judge(s: &Stage, stand: &Stand, groups: Vec<(&str, Vec<(&'static str, Call)>)>) -> Flow {
    let mut scene = stand.scene(s).await?;
    for (label, calls) in groups {
        let best = [Refusal::INVALID];
        let mut owed = Owed::new("ERR-5", label, &best, Demand::Nothing);
        for (what, call) in calls {
            let what = format!("{} with {what}", call.operation());
            owed.ask(s, &what, call, &mut scene).await?;
        }
        owed.end(s);
    }
    scene.end(s, "ERR-1");
    Ok(())
}

async fn unknown_word(s: Stage) -> Flow {
    let stand = Stand::on(&s).await?;
    let (home, t) = (&stand.home, &stand.t);
    // One name and one namespace each: what one request does wrong must not show in the next.
    let m = s.namespace_in(home, "m").await?;
    let free = |name: &str| stand.another(&s, name);
    // A place of the run's own: where it is registered after all, clean-up drops what is there.
    let place = format!("{}_place", home.id.join("_"));
    let (no, perhaps) = (json!("NoSuchWord"), "perhaps");
    let rows = Row::all([4]);
    let list = |operation: &str| Call::new(operation).id(&home.id);
    let words = vec![
        (
            "an unknown mode",
            calls::create_namespace(&free("a")).field("mode", no.clone()),
        ),
        (
            "an unknown mode",
            calls::register(&free("b"), &place).field("mode", no.clone()),
        ),
        (
            "an unknown mode",
            data::create(&free("c"), &rows).query("mode", "NoSuchWord"),
        ),
        (
            "an unknown mode",
            data::insert(t, &rows).query("mode", "NoSuchWord"),
        ),
        (
            "an unknown type",
            data::scalar_index(t, "id", "by_id").field("index_type", no.clone()),
        ),
        (
            "an unknown mode",
            calls::drop_namespace(&stand.n.id).field("mode", no.clone()),
        ),
        (
            "an unknown behavior",
            calls::drop_namespace(&m.id).field("behavior", no),
        ),
    ];
    let flags = vec![
        ("limit=many", list("ListNamespaces").query("limit", "many")),
        ("limit=many", list("ListTables").query("limit", "many")),
        (
            "include_declared=perhaps",
            list("ListTables").query("include_declared", perhaps),
        ),
        (
            "limit=many",
            Call::new("ListAllTables").query("limit", "many"),
        ),
        ("limit=many", calls::list_versions(t).query("limit", "many")),
        (
            "descending=perhaps",
            calls::list_versions(t).query("descending", perhaps),
        ),
        (
            "limit=many",
            Call::new("ListTableTags").id(&t.id).query("limit", "many"),
        ),
        (
            "limit=many",
            Call::new("ListTableBranches")
                .id(&t.id)
                .query("limit", "many"),
        ),
        (
            "with_table_uri=perhaps",
            calls::describe_table(&t.id).query("with_table_uri", perhaps),
        ),
    ];
    let groups = vec![
        ("modes and kinds that are none", words),
        ("parameters that are none", flags),
    ];
    judge(&s, &stand, groups).await
}

async fn empty_name(s: Stage) -> Flow {
    let stand = Stand::on(&s).await?;
    let t = &stand.t;
    // No empty place: what is registered there might be all that the server has, and clean-up would
    // drop it.
    let names = vec![
        ("an empty name", calls::rename(&t.id, "")),
        ("an empty name", calls::create_tag(t, "", 1)),
        ("an empty name", calls::create_branch(t, "")),
        ("an empty name", data::rename_column(t, "name", "")),
    ];
    judge(&s, &stand, vec![("empty names", names)]).await
}
