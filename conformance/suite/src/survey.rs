//! Finding out what a server has and allows, for a declaration of it.

use std::collections::{BTreeMap, BTreeSet};

use crate::call::Call;
use crate::calls;
use crate::names::{Characters, Names};
use crate::namespace::Namespace;
use crate::outcome::Outcome;
use crate::scenario::{Stop, Tier};
use crate::scenarios;
use crate::session::{OpenError, Session, random_seed};
use crate::target::{Target, TargetError};

/// What servers join the parts of an identifier by, the usual first.
const DELIMITERS: [&str; 8] = ["$", "/", "|", ":", "#", "::", "~", "\u{1f}"];

/// How many namespaces deep a survey goes below the parent.
const DEEPEST: usize = 5;

/// What a server has and allows.
#[derive(Clone, Debug)]
pub struct Survey {
    /// What joins the parts of an identifier: the target's own delimiter, or where the server joins nothing
    /// by that, another.
    pub delimiter: String,
    /// What it allows of names.
    pub names: Names,
    /// How deep namespaces were made without a refusal.
    pub reached: usize,
    /// What each tier lacks, by operation; nothing if it has all of them.
    pub tiers: BTreeMap<Tier, Vec<String>>,
    /// Why staging manifests cannot be real files; none if they can.
    pub manifests_out_of_reach: Option<String>,
    /// What the survey could not remove.
    pub left: Vec<String>,
}

/// Why a server cannot be surveyed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SurveyError {
    /// It cannot be reached, or nothing can be made on it.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// What it allows of names leaves no room.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Tables cannot be declared at any level.
    #[error("no table can be declared in a namespace of any depth: {0}")]
    NoTables(String),
    /// Something was not answered.
    #[error("{0}")]
    NotTold(String),
}

/// Finds out what a server has and allows. What it makes there it removes.
///
/// # Errors
///
/// If the server cannot be reached, or nothing can be made on it.
pub async fn survey(target: Target) -> Result<Survey, SurveyError> {
    let above = target.parent().len();
    let mut left = Vec::new();
    let target = joined(target, above, &mut left).await?;
    // As little depth as a run can do with: more has to be found out.
    let open = async |deepest: usize| -> Result<_, SurveyError> {
        let shallow = Names {
            max_depth: Some(deepest),
            ..Names::default()
        };
        Ok(Session::open(target.clone().with_names(shallow)?, random_seed()).await?)
    };
    let session = match open(above + 1).await {
        // It may allow no namespaces, and have tables all the same.
        Err(SurveyError::Open(refused @ OpenError::Refused { .. })) => {
            open(above).await.map_err(|_| refused)?
        }
        session => session?,
    };
    let found = look(&session, above).await;
    left.extend(session.clean_up().await.left);
    let (names, reached) = found?;
    let delimiter = target.delimiter().to_owned();
    let session = Session::open(target.with_names(names.clone())?, random_seed()).await?;
    let tiers = tiers(&session).await;
    left.extend(session.clean_up().await.left);
    Ok(Survey {
        delimiter,
        names,
        reached,
        tiers: tiers?,
        manifests_out_of_reach: session.manifests_out_of_reach().map(str::to_owned),
        left,
    })
}

/// The target with a delimiter that the server joins identifiers by; as it is where none is seen to.
async fn joined(
    target: Target,
    above: usize,
    left: &mut Vec<String>,
) -> Result<Target, SurveyError> {
    let shallow = Names {
        max_depth: Some(above + 1),
        ..Names::default()
    };
    let own = target.delimiter().to_owned();
    let others = DELIMITERS.into_iter().filter(|other| *other != own);
    for delimiter in [own.as_str()].into_iter().chain(others) {
        // Some cannot stand where they would have to.
        let Ok(target) = target.clone().with_delimiter(delimiter) else {
            continue;
        };
        let probed = target.clone().with_names(shallow.clone())?;
        let session = match Session::open(probed, random_seed()).await {
            Ok(session) => session,
            Err(error @ OpenError::Unreachable { .. }) => return Err(error.into()),
            // One part has no delimiter: there are no namespaces to be joined.
            Err(_) if above == 0 => break,
            // A parent of several parts is not found by a wrong delimiter.
            Err(_) => continue,
        };
        let joins = joins(&session).await;
        left.extend(session.clean_up().await.left);
        if joins {
            return Ok(target);
        }
    }
    Ok(target)
}

/// Whether what is made inside of the run's namespace, by the joined identifier, is listed there.
async fn joins(session: &Session) -> bool {
    const NAME: &str = "joined";
    let Some(home) = session.namespace() else {
        return false;
    };
    let child = [home, &[NAME.to_owned()]].concat();
    session.made_namespace(&child);
    session.send(calls::create_namespace(&child)).await;
    if lists(session, "ListNamespaces", "namespaces", NAME).await {
        return true;
    }
    declared(session, &Namespace::at(home.to_vec()), NAME).await;
    lists(session, "ListTables", "tables", NAME).await
}

/// Whether a listing of the run's namespace has this name, alone or at the end of an identifier.
async fn lists(session: &Session, operation: &'static str, field: &str, name: &str) -> bool {
    let Some(home) = session.namespace() else {
        return false;
    };
    let listed = session.send(Call::new(operation).id(home)).await;
    let names = listed
        .json()
        .and_then(|body| Some(body.get(field)?.as_array()?.clone()));
    let mut names = names.into_iter().flatten();
    names.any(|listed| listed.as_str().is_some_and(|listed| listed.ends_with(name)))
}

/// What a server allows of names, and how deep namespaces were made.
async fn look(session: &Session, above: usize) -> Result<(Names, usize), SurveyError> {
    let Some(own) = session.namespace() else {
        return look_in_the_parent(session, above).await;
    };
    let mut id = own.to_vec();
    let mut refused = String::new();
    let mut levels = Vec::new();
    let mut max_depth = None;
    for depth in above + 1..=above + DEEPEST {
        if depth > above + 1 {
            id.push(format!("level{}", depth - above));
            session.made_namespace(&id);
            let made = session.send(calls::create_namespace(&id)).await;
            if Outcome::of(&made) != Outcome::Ok {
                id.pop();
                max_depth = Some(depth - 1);
                break;
            }
        }
        let place = Namespace::at(id.clone());
        match declared(session, &place, "survey").await {
            Outcome::Ok => levels.push(place),
            outcome => refused = outcome.to_string(),
        }
    }
    let (reached, Some(home)) = (id.len(), levels.first()) else {
        return Err(SurveyError::NoTables(refused));
    };
    let table_depth = match levels.len() {
        1 => Some(home.id.len()),
        _ => None,
    };
    let names = Names {
        max_depth,
        // Where there is but one level, that is no choice of the server's.
        table_depth: table_depth.filter(|_| reached > above + 1),
        characters: characters(session, home).await,
    };
    Ok((names, reached))
}

/// The same of a server that makes no namespaces below the parent.
async fn look_in_the_parent(
    session: &Session,
    above: usize,
) -> Result<(Names, usize), SurveyError> {
    let place = session.whole();
    match declared(session, &place, "survey").await {
        Outcome::Ok => {}
        refused => return Err(SurveyError::NoTables(refused.to_string())),
    }
    let names = Names {
        max_depth: Some(above),
        table_depth: None,
        characters: characters(session, &place).await,
    };
    Ok((names, above))
}

/// The characters of names, if the server refuses what lies outside of ASCII.
async fn characters(session: &Session, home: &Namespace) -> Option<Characters> {
    let mut refused = false;
    for odd in [' ', 'é', '%', '\''] {
        let outcome = declared(session, home, &format!("x{odd}y")).await;
        refused |= matches!(outcome, Outcome::Refused(..));
        if outcome == Outcome::Ok {
            return None;
        }
    }
    if !refused {
        return None;
    }
    let mut text = String::from("a-z0-9");
    for (c, range) in [('Z', "A-Z"), ('_', "_"), ('.', "."), ('-', "-")] {
        if declared(session, home, &format!("x{c}y")).await == Outcome::Ok {
            text.push_str(range);
        }
    }
    text.parse().ok()
}

async fn declared(session: &Session, place: &Namespace, name: &str) -> Outcome {
    let id = place.child(name);
    session.made_table(&id);
    Outcome::of(&session.send(calls::declare(&id)).await)
}

/// What each tier lacks.
async fn tiers(
    session: &std::sync::Arc<Session>,
) -> Result<BTreeMap<Tier, Vec<String>>, SurveyError> {
    let mut needs: BTreeMap<Tier, BTreeSet<&'static str>> = BTreeMap::new();
    for (_, scenario) in scenarios::all() {
        needs.entry(scenario.tier).or_default();
        for need in scenario.needs {
            // Others say nothing of the scenario's tier.
            for tier in [Tier::of(need), scenario.tier] {
                if tier.stands_on(need) {
                    needs.entry(tier).or_default().insert(need);
                }
            }
        }
    }
    let mut tiers = BTreeMap::new();
    for (tier, operations) in needs {
        let operations: Vec<&'static str> = operations.into_iter().collect();
        let lacking = session
            .lacks(&operations)
            .await
            .map_err(|stop| match stop {
                Stop::Inconclusive(reason) => SurveyError::NotTold(reason),
                Stop::Unsupported { answer, .. } => SurveyError::NotTold(answer),
                Stop::Violated => SurveyError::NotTold("a requirement is broken".to_owned()),
                Stop::NotOffered => {
                    SurveyError::NotTold("the server lacks a choice that it may lack".to_owned())
                }
            })?;
        let lacking = lacking.into_iter();
        tiers.insert(
            tier,
            lacking
                .map(|lacking| format!("{} ({})", lacking.operation, lacking.answer))
                .collect(),
        );
    }
    Ok(tiers)
}
