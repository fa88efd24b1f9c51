//! The list of the tables of all namespaces.

use std::collections::BTreeMap;

use crate::calls;
use crate::log::Deviation;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::{End, Listing};

scenarios! {
    /// ListAllTables names each table once, by its full identifier, its parts in order.
    "listing/all-tables-by-full-identifier" => all_tables_by_full_identifier {
        tier: Tables,
        checks: ["LIST-1"],
        needs: ["ListAllTables"],
    }
}

async fn all_tables_by_full_identifier(s: Stage) -> Flow {
    let home = s.home().await?;
    let mut ids = vec![s.table("t").await?.id];
    for names in [["a", "b"], ["b", "a"], ["ab", "c"], ["a", "bc"]] {
        let mut namespace = home.clone();
        for name in names {
            let inner = Namespace::at(namespace.child(name));
            // Two of them share a parent.
            let (there, _) = s
                .finds(&crate::steps::Object::Namespace(inner.id.clone()))
                .await?;
            if !there {
                s.namespace_in(&namespace, name).await?;
            }
            namespace = inner;
        }
        ids.push(s.table_in(&namespace, "t").await?.id);
    }
    let own = s.session().target().delimiter().to_owned();
    let listing = Listing::all_tables();
    if !named(&s, "each table", &listing, &home.id, &ids, &own).await? {
        return Err(Stop::Violated);
    }
    if own != "::" {
        let other = Listing::all_tables().asking("delimiter", "::");
        named(&s, "each, joined otherwise", &other, &home.id, &ids, "::").await?;
    }
    if let Some(removed) = ids.pop() {
        let call = calls::deregister(&removed);
        s.ask("deregister a table", call).await.set_up()?;
        let label = "each that is left";
        named(&s, label, &listing, &home.id, &ids, &own).await?;
    }
    Ok(())
}

/// Judges that of the tables below a namespace the list names these and no others, each once.
async fn named(
    s: &Stage,
    label: &str,
    listing: &Listing,
    home: &[String],
    ids: &[Vec<String>],
    delimiter: &str,
) -> Flow<bool> {
    let walk = listing.pages(s, None).await?;
    let mut expected: BTreeMap<String, usize> =
        ids.iter().map(|id| (id.join(delimiter), 0)).collect();
    let prefix = format!("{}{delimiter}", home.join(delimiter));
    let mut stray = None;
    for item in walk.items() {
        match expected.get_mut(item) {
            Some(count) => *count += 1,
            None if item.starts_with(&prefix) => stray = Some(item.to_owned()),
            None => {}
        }
    }
    let odd = expected.iter().find(|(_, count)| **count != 1);
    let held = match (walk.end, odd, stray) {
        (Some(End::Refused(outcome)), ..) => Err(outcome.to_string()),
        (_, Some((id, count)), _) => Err(format!("{id} is named {count} times")),
        (_, None, Some(stray)) => Err(format!("{stray} is named, and nobody made it")),
        (_, None, None) => Ok(()),
    };
    let held = held.map_err(|actual| {
        let expected = format!("{label}: once, by its parts joined by {delimiter}");
        Deviation::new(expected, actual, walk.exchanges.iter().take(2).cloned())
    });
    Ok(s.judge("LIST-1", label, "once, by its full identifier", held))
}
