//! What is refused of tags, and leaves them as they are.

use crate::calls;
use crate::log::Deviation;
use crate::outcome::Refusal;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};

scenarios! {
    /// A create of a tag that exists is refused, and the tag stays where it is.
    "tags/an-existing-tag-is-refused" => existing_is_refused {
        tier: Tags,
        checks: ["TAG-1"],
        needs: ["CreateTableTag", "CreateTableVersion", "GetTableTagVersion", "ListTableTags"],
    }
    /// Get, update and delete of a tag that is not there are refused, and make none.
    "tags/a-missing-tag-is-not-found" => missing_is_not_found {
        tier: Tags,
        checks: ["TAG-1"],
        needs: [
            "CreateTableTag", "CreateTableVersion", "DeleteTableTag", "GetTableTagVersion",
            "ListTableTags", "UpdateTableTag",
        ],
    }
    /// A tag is neither created on a version that is not there nor moved to it.
    "tags/a-missing-version-is-not-found" => missing_version_is_not_found {
        tier: Tags,
        checks: ["TAG-1"],
        needs: [
            "CreateTableTag", "CreateTableVersion", "GetTableTagVersion", "ListTableTags",
            "UpdateTableTag",
        ],
    }
}

async fn existing_is_refused(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 2).await?;
    let create = calls::create_tag(&table, "a", 1);
    s.ask("create tag a", create).await.set_up()?;
    for (label, version) in [
        ("create tag a again on version 2", 2),
        ("create tag a again on version 1", 1),
    ] {
        let again = s.ask(label, calls::create_tag(&table, "a", version)).await;
        again.refused("TAG-1", Refusal::TAG_EXISTS)?;
        s.tag_is("TAG-1", &table, "a", 1).await?;
    }
    Ok(())
}

async fn missing_is_not_found(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 1).await?;
    not_found(&s, &table, "ghost").await?;
    let create = calls::create_tag(&table, "a", 1);
    s.ask("create tag a", create).await.set_up()?;
    let delete = calls::delete_tag(&table, "a");
    s.ask("delete tag a", delete).await.set_up()?;
    not_found(&s, &table, "a").await
}

/// Asks for a tag that is not there, and looks for what that has made.
async fn not_found(s: &Stage, table: &Table, tag: &str) -> Flow {
    let get = s
        .ask(&format!("get tag {tag}"), calls::tag_version(table, tag))
        .await;
    get.refused("TAG-1", Refusal::NO_TAG)?;
    let update = calls::update_tag(table, tag, 1);
    let update = s.ask(&format!("update tag {tag}"), update).await;
    let updated = update.exchange();
    update.refused("TAG-1", Refusal::NO_TAG)?;
    let listed = s.tags("TAG-1", table).await?;
    let held = match listed.contents.is_empty() {
        true => Ok(()),
        false => Err(Deviation::new(
            "an update of a tag that is not there makes none",
            format!("the listing names {:?}", listed.names()),
            [updated, listed.exchange.clone()],
        )),
    };
    s.judge("TAG-1", "tags of t", "none", held);
    let delete = calls::delete_tag(table, tag);
    let delete = s.ask(&format!("delete tag {tag}"), delete).await;
    delete.refused("TAG-1", Refusal::NO_TAG)
}

async fn missing_version_is_not_found(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 2).await?;
    let create = calls::create_tag(&table, "b", 3);
    let create = s.ask("create tag b on version 3 of 2", create).await;
    create.refused("TAG-1", Refusal::NO_VERSION)?;
    s.no_tag("TAG-1", &table, "b").await?;
    let create = calls::create_tag(&table, "a", 1);
    s.ask("create tag a", create).await.set_up()?;
    let update = calls::update_tag(&table, "a", 3);
    let update = s.ask("update tag a to version 3 of 2", update).await;
    update.refused("TAG-1", Refusal::NO_VERSION)?;
    s.tag_is("TAG-1", &table, "a", 1).await?;
    Ok(())
}
