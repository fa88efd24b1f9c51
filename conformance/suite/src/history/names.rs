//! What histories call tables.

use serde_json::Value;

use crate::namespace::Namespace;

/// Joins the parts of a name.
const JOINT: &str = "$";

/// How a stage calls the tables of its history: one name for each identifier, and back.
pub(super) struct Names {
    home: Namespace,
}

impl Names {
    /// Those of a stage whose own namespace this is.
    pub(super) fn within(home: Namespace) -> Self {
        Self { home }
    }

    /// The name of the table of this identifier: what follows the stage's own namespace, or else
    /// the whole as a JSON array.
    pub(super) fn of(&self, id: &[String]) -> String {
        let plain =
            |part: &String| !part.is_empty() && !part.contains(JOINT) && !part.starts_with('[');
        match self.home.within(id) {
            Some(own) if own.iter().all(plain) => own.join(JOINT),
            _ => Value::from(id.to_vec()).to_string(),
        }
    }

    /// The identifier of the table of this name.
    pub(super) fn parts(&self, name: &str) -> Vec<String> {
        if name.starts_with('[') {
            return serde_json::from_str(name).unwrap_or_default();
        }
        let mut own = name.split(JOINT);
        let mut id = self.home.child(own.next().unwrap_or_default());
        id.extend(own.map(str::to_owned));
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_identifiers_have_one_name() {
        let id =
            |parts: &[&str]| -> Vec<String> { parts.iter().map(|&part| part.to_owned()).collect() };
        let names = Names::within(Namespace::at(id(&["run", "s001"])));
        let ids = [
            id(&["run", "s001", "t"]),
            id(&["run", "s001", "n", "t"]),
            id(&["run", "s001", "n$t"]),
            id(&["run", "s001", ""]),
            id(&["run", "s001", "[\"t\"]"]),
            id(&["run", "s001"]),
            id(&["t"]),
            id(&["n", "t"]),
        ];
        let spelt: Vec<String> = ids.iter().map(|id| names.of(id)).collect();
        assert_eq!(spelt[..2], ["t", "n$t"]);
        for (at, name) in spelt.iter().enumerate() {
            assert_eq!(names.parts(name), ids[at]);
            assert_eq!(spelt.iter().filter(|other| *other == name).count(), 1);
        }
    }
}
