//! Bodies that cannot be read, lack a field, or hold a wrong one.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::call::Call;
use crate::calls::{self, data, every};
use crate::entry::Manifest;
use crate::outcome::Refusal;
use crate::rows::Row;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Namespace, Stage, Table};
use crate::steps::{Demand, Object, Owed, Scene};

scenarios! {
    /// A body that is no JSON object is refused as invalid by every operation, and does nothing.
    "errors/broken-body-is-invalid" => broken_body {
        tier: Basic,
        checks: ["ERR-1", "ERR-4"],
        needs: [],
    }
    /// A request that lacks a required field is refused as invalid by every operation.
    "errors/missing-field-is-invalid" => missing_field {
        tier: Basic,
        checks: ["ERR-1", "ERR-4"],
        needs: [],
    }
    /// A field of a wrong type is refused as invalid by every operation.
    "errors/wrong-type-is-invalid" => wrong_type {
        tier: Basic,
        checks: ["ERR-1", "ERR-4"],
        needs: [],
    }
    /// No operation takes a negative version for a version.
    "errors/negative-version-is-no-version" => negative_version {
        tier: Versions,
        checks: ["ERR-1", "ERR-4"],
        needs: ["CreateTableVersion", "DescribeTableVersion"],
    }
}

/// A namespace and a table, with rows where the server has any, and a manifest for the table.
pub(super) struct Stand {
    pub(super) home: Namespace,
    pub(super) n: Namespace,
    pub(super) t: Table,
    pub(super) manifest: Manifest,
    /// Names that nobody has made.
    pub(super) free: Vec<String>,
    pub(super) spare: Vec<String>,
}

/// What a rename would call the table.
const RENAMED: &str = "renamed";

impl Stand {
    /// In the scenario's own namespace.
    pub(super) async fn on(s: &Stage) -> Flow<Self> {
        let home = s.home().await?;
        Self::within(s, home).await
    }

    /// Another one, in a namespace of its own.
    pub(super) async fn anew(s: &Stage, name: &str) -> Flow<Self> {
        let home = s.namespace(name).await?;
        Self::within(s, home).await
    }

    async fn within(s: &Stage, home: Namespace) -> Flow<Self> {
        let n = s.namespace_in(&home, "n").await?;
        let t = match s.has("CreateTable").await? {
            true => s.table_of_in(&home, "t", &Row::all(1..=3)).await?,
            false => s.table_in(&home, "t").await?,
        };
        let manifest = s.manifest(&t, "the manifest").await?;
        let (free, spare) = (home.child("free"), home.child("spare"));
        s.will_make(&Object::Namespace(free.clone()));
        for id in [&free, &spare, &home.child(RENAMED)] {
            s.will_make(&Object::Table(id.clone()));
        }
        Ok(Self {
            home,
            n,
            t,
            manifest,
            free,
            spare,
        })
    }

    /// A name that nobody has made, beside the others.
    pub(super) fn another(&self, s: &Stage, name: &str) -> Vec<String> {
        let id = self.home.child(name);
        s.will_make(&Object::Namespace(id.clone()));
        s.will_make(&Object::Table(id.clone()));
        id
    }

    pub(super) async fn scene(&self, s: &Stage) -> Flow<Scene> {
        Scene::of(s, &[&self.home, &self.n], &[&self.t]).await
    }

    /// A request of every operation but RegisterTable, those that remove something last. A
    /// malformed place might be taken for all that the server has, and clean-up would drop it.
    pub(super) fn calls(&self) -> Vec<Call> {
        [
            every::making(&self.free),
            every::on_rows(&self.t),
            every::of_many(&self.t, &self.manifest),
            every::on_table(&self.t, &self.manifest, RENAMED),
            every::on_namespace(&self.n.id),
        ]
        .concat()
    }
}

async fn broken_body(s: Stage) -> Flow {
    let stand = Stand::on(&s).await?;
    let mut scene = stand.scene(&s).await?;
    let broken: [(&str, &'static [u8]); 4] = [
        ("half a body", b"{\"id\": [\"a\""),
        ("no JSON", b"id=a&mode=create"),
        ("a list", b"[]"),
        ("bytes that are no text", b"{\"id\": [\"\xff\xfe\"]}"),
    ];
    let calls = stand.calls().into_iter();
    let (needing, others): (Vec<Call>, Vec<Call>) = calls
        .filter(|call| call.has_fields())
        .partition(|call| !call.required().is_empty());
    let best = [Refusal::INVALID];
    let label = "broken bodies where fields are required";
    for (label, calls, demand) in [
        (label, needing, Demand::Refusal),
        // What needs nothing of a body may not look at it.
        ("broken bodies elsewhere", others, Demand::NoServerError),
    ] {
        let mut owed = Owed::new("ERR-4", label, &best, demand).or_in_plain_text();
        for call in calls {
            // One look after all four.
            for (number, (what, body)) in broken.into_iter().enumerate() {
                let what = format!("{} with {what}", call.operation());
                let body = Bytes::from_static(body);
                let call = call.clone().raw("application/json", body);
                if number + 1 < broken.len() {
                    scene.look_later();
                }
                owed.ask(&s, &what, call, &mut scene).await?;
            }
        }
        owed.end(&s);
    }
    scene.end(&s, "ERR-1");
    Ok(())
}

async fn missing_field(s: Stage) -> Flow {
    let stand = Stand::on(&s).await?;
    let mut scene = stand.scene(&s).await?;
    let label = "requests that lack a required field";
    let mut owed = Owed::new("ERR-4", label, &[Refusal::INVALID], Demand::Refusal);
    for call in stand.calls() {
        for field in call.required() {
            // That one is called nullable as well (DATA-6).
            if field == "vector" {
                continue;
            }
            let what = format!("{} without {field}", call.operation());
            let call = call.clone().field(field, None);
            owed.ask(&s, &what, call, &mut scene).await?;
        }
    }
    owed.end(&s);
    scene.end(&s, "ERR-1");
    Ok(())
}

async fn wrong_type(s: Stage) -> Flow {
    let stand = Stand::on(&s).await?;
    let mut scene = stand.scene(&s).await?;
    let best = [Refusal::INVALID];
    for (label, fields, demand) in [
        (
            "required fields of a wrong type",
            required(&stand),
            Demand::Refusal,
        ),
        (
            "other fields of a wrong type",
            optional(&stand),
            Demand::NoServerError,
        ),
    ] {
        let mut owed = Owed::new("ERR-4", label, &best, demand);
        for (call, field, value) in fields {
            let what = format!("{} with {field} {value}", call.operation());
            let call = call.field(field, value);
            owed.ask(&s, &what, call, &mut scene).await?;
        }
        owed.end(&s);
    }
    scene.end(&s, "ERR-1");
    Ok(())
}

type Wrong = (Call, &'static str, Value);

fn required(stand: &Stand) -> Vec<Wrong> {
    let (t, manifest) = (&stand.t, &stand.manifest);
    let of_many = every::of_many(t, manifest);
    let [batch, commit] = &of_many[..] else {
        return Vec::new();
    };
    let half = json!([{ "start_version": "one", "end_version": 2 }]);
    vec![
        (
            calls::rename(&t.id, "free"),
            "new_table_name",
            json!(["free"]),
        ),
        (calls::create_version(t, 1, manifest), "version", json!("1")),
        (
            calls::create_version(t, 1, manifest),
            "manifest_path",
            json!(["m"]),
        ),
        (calls::delete_versions(t, &[(1, 2)]), "ranges", json!("all")),
        (calls::delete_versions(t, &[(1, 2)]), "ranges", half),
        (batch.clone(), "entries", json!("all")),
        (batch.clone(), "entries", json!([7])),
        (commit.clone(), "operations", json!({ "declare_table": {} })),
        (commit.clone(), "operations", json!(["declare_table"])),
        (calls::create_tag(t, "x", 1), "tag", json!(7)),
        (calls::create_tag(t, "x", 1), "version", json!("1")),
        (calls::update_tag(t, "x", 1), "version", json!("1")),
        (calls::tag_version(t, "x"), "tag", json!(7)),
        (calls::delete_tag(t, "x"), "tag", json!(["x"])),
        (calls::create_branch(t, "x"), "name", json!(7)),
        (calls::delete_branch(t, "x"), "name", json!(["x"])),
        (data::query(t, &Value::Null, 1), "k", json!("one")),
        (
            data::update(t, &[("name", "'new'")]),
            "updates",
            json!("all"),
        ),
        (data::delete(t, "id = 1"), "predicate", json!(7)),
        (data::restore(t, 1), "version", json!("1")),
        (
            data::add_column(t, "twice", "id * 2"),
            "new_columns",
            json!("twice"),
        ),
        (
            data::rename_column(t, "name", "label"),
            "alterations",
            json!("name"),
        ),
        (data::drop_columns(t, &["name"]), "columns", json!("name")),
        (
            data::scalar_index(t, "id", "by_id"),
            "column",
            json!(["id"]),
        ),
        (data::scalar_index(t, "id", "by_id"), "index_type", json!(7)),
        (
            data::on("UpdateFieldMetadata", t, json!({})),
            "updates",
            json!("all"),
        ),
    ]
}

fn optional(stand: &Stand) -> Vec<Wrong> {
    let (t, n, free) = (&stand.t, &stand.n, &stand.free);
    vec![
        (calls::create_namespace(free), "properties", json!("none")),
        (calls::create_namespace(free), "mode", json!(7)),
        (calls::describe_namespace(&n.id), "id", json!("n")),
        (calls::drop_namespace(&n.id), "mode", json!(7)),
        (calls::drop_namespace(&n.id), "behavior", json!(["Cascade"])),
        (calls::declare(free), "properties", json!(["none"])),
        (calls::describe_table(&t.id), "id", json!("t")),
        (calls::describe_table(&t.id), "version", json!("1")),
        (calls::table_exists(&t.id), "version", json!("1")),
        (calls::describe_version(t, None), "version", json!("1")),
        (calls::describe_version(t, None), "branch", json!(7)),
        (calls::create_branch(t, "x"), "from_version", json!("1")),
        (calls::rename(&t.id, "free"), "new_namespace_id", json!("n")),
        (data::count(t), "version", json!("1")),
        (data::count(t), "predicate", json!(7)),
    ]
}

async fn negative_version(s: Stage) -> Flow {
    let t = s.table("t").await?;
    s.versions(&t, 1).await?;
    if s.has("CreateTableTag").await? {
        let tag = calls::create_tag(&t, "first", 1);
        s.ask("create a tag", tag).await.set_up()?;
    }
    let mut scene = Scene::of(&s, &[], &[&t]).await?;
    let manifest = s.manifest(&t, "the manifest").await?;
    let (batch, commit) = (
        calls::batch_create(&[calls::batch_entry(&t.id, -1, &manifest)]),
        calls::commit(&[calls::commit_create(&t.id, -1, &manifest)]),
    );
    for (label, best, calls) in [
        (
            "creating version -1",
            &[Refusal::INVALID][..],
            vec![calls::create_version(&t, -1, &manifest), batch, commit],
        ),
        (
            "operations on version -1",
            &[Refusal::INVALID, Refusal::NO_VERSION],
            vec![
                calls::describe_version(&t, Some(-1)),
                calls::create_tag(&t, "far", -1),
                calls::update_tag(&t, "first", -1),
                calls::create_branch(&t, "far").field("from_version", json!(-1)),
            ],
        ),
    ] {
        let mut owed = Owed::new("ERR-4", label, best, Demand::Error);
        owed.ask_all(&s, calls, &mut scene).await?;
        owed.end(&s);
    }
    scene.end(&s, "ERR-1");
    Ok(())
}
