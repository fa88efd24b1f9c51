//! Pages of names that sort oddly, and page tokens that go astray.

use crate::call::Call;
use crate::calls;
use crate::log::{Deviation, Observation};
use crate::outcome::Outcome;
use crate::requirement::Level;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::{End, Listing, Object, Paging};

/// Names in whose order case, digits, punctuation or letters beyond ASCII decide.
const NAMES: [&str; 19] = [
    "b", "B", "a", "A", "aa", "Aa", "a-", "a_", "a0", "z9", "z10", "Z", "10", "9", "é", "ä", "ß",
    "~", "0",
];

scenarios! {
    /// Pages of namespaces hold each once, in whatever order their names stand.
    "listing/namespaces-that-sort-oddly" => namespaces_that_sort_oddly {
        tier: Basic,
        checks: ["PAGE-1", "PAGE-2", "PAGE-3", "PAGE-4"],
        needs: [],
    }
    /// Pages of tables hold each once, in whatever order their names stand.
    "listing/tables-that-sort-oddly" => tables_that_sort_oddly {
        tier: Basic,
        checks: ["PAGE-1", "PAGE-2", "PAGE-3", "PAGE-4"],
        needs: [],
    }
    /// A page token continues its listing, and shows nothing of another.
    "listing/tokens-stay-in-their-listing" => tokens_stay_in_their_listing {
        tier: Basic,
        checks: ["PAGE-2", "PAGE-6", "PAGE-7"],
        needs: [],
    }
}

async fn namespaces_that_sort_oddly(s: Stage) -> Flow {
    let home = s.home().await?;
    let objects = NAMES.map(|name| Object::Namespace(home.child(name)));
    sort_oddly(&s, &objects, Listing::namespaces(&home)).await
}

async fn tables_that_sort_oddly(s: Stage) -> Flow {
    let home = s.home().await?;
    let objects = NAMES.map(|name| Object::Table(home.child(name)));
    sort_oddly(&s, &objects, Listing::tables(&s, &home)).await
}

/// Judges the pages of whichever of these names the server takes, by the names that it gives them
/// in one list.
async fn sort_oddly(s: &Stage, objects: &[Object], listing: Listing) -> Flow {
    let mut taken = 0;
    for object in objects {
        s.will_make(object);
        let made = s.ask("make one", object.make()).await;
        made.answered()?;
        taken += usize::from(made.outcome() == Outcome::Ok);
    }
    let whole = listing.pages(s, None).await?;
    let items: Vec<String> = whole.seen.iter().cloned().collect();
    if items.len() != taken || taken < 3 {
        return Err(Stop::Inconclusive(format!(
            "set-up failed: {taken} of {} names are taken, and {} listed",
            objects.len(),
            items.len()
        )));
    }
    let mut paging = Paging::new(listing, items);
    for limit in [1, 2, 3, 7] {
        paging
            .judge(s, &format!("with limit {limit}"), Some(limit))
            .await?;
    }
    Ok(())
}

async fn tokens_stay_in_their_listing(s: Stage) -> Flow {
    let [one, other] = ["one", "other"];
    let (one, other) = (s.namespace(one).await?, s.namespace(other).await?);
    let names = |letter: char| -> Vec<String> {
        (1..=6).map(|number| format!("{letter}{number}")).collect()
    };
    for (namespace, letter) in [(&one, 'm'), (&other, 'k')] {
        for name in names(letter) {
            s.table_in(namespace, &name).await?;
            s.namespace_in(namespace, &format!("in_{name}")).await?;
        }
    }
    let listing = Listing::tables(&s, &one);
    let mut walk = listing.walk(Some(2));
    walk.next(&s).await?;
    walk.goes_on(&s, &names('m'))?;
    let token = walk.exchanges.first().and_then(|page| page.json());
    let token = token.and_then(|body| Some(body["page_token"].as_str()?.to_owned()));
    while walk.next(&s).await? {}
    let missing = walk.missing(&names('m')).join(", ");
    let held = match (walk.end, missing.is_empty()) {
        (Some(End::NoToken), true) => Ok(()),
        (Some(End::Refused(outcome)), _) => Err(format!("a page is answered {outcome}")),
        _ => Err(format!("{missing} did not come")),
    };
    let held = held.map_err(|actual| {
        let expected = "the token leads to the rest of the listing";
        Deviation::new(expected, actual, walk.exchanges.iter().take(3).cloned())
    });
    s.judge("PAGE-7", "the token in its own listing", "leads on", held);
    let token = token.unwrap_or_default();
    for (label, field, call) in [
        (
            "tables of another namespace",
            "tables",
            calls::list_tables(&other.id),
        ),
        (
            "namespaces of another namespace",
            "namespaces",
            Call::new("ListNamespaces").id(&other.id),
        ),
    ] {
        astray(&s, label, field, call.query("page_token", &token), &other).await?;
    }
    Ok(())
}

/// Judges that a token of another listing shows nothing of that: whatever comes is this one's.
async fn astray(s: &Stage, label: &str, field: &str, call: Call, other: &Namespace) -> Flow {
    let label = format!("the token for {label}");
    let answer = s.ask(&label, call.odd()).await;
    answer.answered()?;
    let exchange = answer.exchange();
    let body = exchange.json().unwrap_or_default();
    let names = body[field].as_array().into_iter().flatten();
    let delimiter = s.session().target().delimiter();
    let prefix = format!("{}{delimiter}", other.id.join(delimiter));
    let mut names = names.filter_map(|name| name.as_str());
    let strange = names.find(|name| {
        let name = name.strip_prefix(&prefix).unwrap_or(name);
        !(name.starts_with('k') || name.starts_with("in_k"))
    });
    s.observe(Observation {
        requirement: "PAGE-6",
        choice: format!("{label}: {}", answer.outcome()),
    });
    let held = match (answer.outcome(), strange) {
        (Outcome::Ok, Some(strange)) => Err(Deviation::new(
            "a token shows nothing of the listing that it came with",
            format!("{label}: {strange}"),
            [exchange],
        )),
        (Outcome::Failed(status), _) => {
            let expected = "a token of another listing is taken or refused";
            let deviation = Deviation::new(expected, format!("{label}: {status}"), [exchange]);
            s.violated("PAGE-6", Level::Should, deviation);
            Ok(())
        }
        _ => Ok(()),
    };
    s.judge("PAGE-7", &label, "nothing of its own listing", held);
    Ok(())
}
