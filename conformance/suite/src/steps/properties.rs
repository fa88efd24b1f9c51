//! Properties of namespaces and tables.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::exchange::Exchange;
use crate::log::{Deviation, Observation};
use crate::scenario::Flow;
use crate::stage::Stage;
use crate::steps::Object;

/// The property that is set.
const OWNER: &str = "owner";

impl Stage {
    /// Makes two objects with properties and a plain one, and judges what comes of the properties.
    /// None may show another's (REST-11). What an answer holds where there are none, and that
    /// describe and create say the same, checks `requirement`; whether a server keeps them is open.
    ///
    /// # Errors
    ///
    /// [`crate::scenario::Stop::Inconclusive`] if one of them cannot be made or described.
    pub async fn properties_come_back(
        &self,
        requirement: &'static str,
        objects: [&Object; 3],
    ) -> Flow {
        let owners = [Some("first owner"), Some("second owner"), None];
        let mut answers = Vec::new();
        for (object, owner) in objects.into_iter().zip(owners) {
            self.will_make(object);
            let call = match owner {
                Some(owner) => object.make().field("properties", json!({ OWNER: owner })),
                None => object.make(),
            };
            let made = self.ask(&format!("make {}", object.label()), call).await;
            let made = made.set_up()?.exchange;
            let label = format!("describe {}", object.label());
            let described = self.ask(&label, object.describe()).await.set_up()?;
            answers.push((owner, made, described.exchange));
        }
        self.none_shows_anothers(&answers);
        self.said_as_recommended(requirement, &answers);
        Ok(())
    }

    fn none_shows_anothers(&self, answers: &[Made]) {
        let mut held = Ok(());
        for (own, made, described) in answers {
            let others = answers.iter().filter_map(|(owner, ..)| *owner);
            for owner in others.filter(|owner| Some(*owner) != *own) {
                let shows = |exchange: &&Arc<Exchange>| {
                    properties(exchange).is_some_and(|shown| shown.values().any(|v| v == owner))
                };
                if let Some(exchange) = [made, described].into_iter().find(shows) {
                    held = Err(Deviation::new(
                        "an object has its own properties, and none of another",
                        format!("the property {OWNER:?} is {owner:?}, which another was given"),
                        [Arc::clone(exchange)],
                    ));
                }
            }
        }
        self.judge("REST-11", "properties of siblings", "kept apart", held);
    }

    fn said_as_recommended(&self, requirement: &'static str, answers: &[Made]) {
        let kept = answers.iter().filter(|(owner, _, described)| {
            let stored = properties(described).and_then(|shown| shown.get(OWNER).cloned());
            owner.is_some() && stored == owner.map(Value::from)
        });
        let kept = kept.count();
        let choice = match kept {
            2 => "kept",
            _ if answers
                .iter()
                .all(|(_, _, described)| properties(described).is_none()) =>
            {
                "there are none"
            }
            _ => "changed or left out",
        };
        self.observe(Observation {
            requirement,
            choice: format!("properties: {choice}"),
        });
        let differ = answers.iter().find(|(_, made, described)| {
            let (made, described) = (properties(made), properties(described));
            made.is_some() && described.is_some() && made != described
        });
        let null = answers
            .iter()
            .find(|(_, _, described)| kept > 0 && properties(described).is_none());
        let held = match (differ, null) {
            (Some((_, made, described)), _) => Err(Deviation::new(
                "describe answers the properties that the object was made with",
                "other properties than the answer to making it",
                [Arc::clone(made), Arc::clone(described)],
            )),
            (None, Some((_, _, described))) => Err(Deviation::new(
                "a server with properties answers an empty object where none are set",
                "null, or nothing",
                [Arc::clone(described)],
            )),
            (None, None) => Ok(()),
        };
        let said = "null where there are none, else the same from both";
        self.judge(requirement, "properties made and described", said, held);
    }
}

/// The owner that an object was made with, the answer to that, and describe's.
type Made = (Option<&'static str>, Arc<Exchange>, Arc<Exchange>);

/// The properties in an answer; none if they are null or not there.
fn properties(exchange: &Exchange) -> Option<Map<String, Value>> {
    match exchange.json()?.get("properties")? {
        Value::Object(properties) => Some(properties.clone()),
        _ => None,
    }
}
