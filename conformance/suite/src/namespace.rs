//! Where a scenario makes its tables and namespaces.

use std::collections::BTreeSet;

/// A place that a scenario makes tables and namespaces in: a namespace that it made, or a part of the
/// parent namespace's names, where the server allows no namespaces below that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespace {
    /// Its identifier, in parts.
    pub id: Vec<String>,
    /// What the names of its children begin with: nothing, unless others have children here too.
    prefix: String,
}

impl Namespace {
    /// The namespace of this identifier, as a place for children of any name.
    #[must_use]
    pub fn at(id: Vec<String>) -> Self {
        Self::shared(id, String::new())
    }

    /// The names that begin so, in a namespace where others have theirs.
    pub(crate) fn shared(id: Vec<String>, prefix: String) -> Self {
        Self { id, prefix }
    }

    /// Whether others have children here too.
    pub(crate) fn is_shared(&self) -> bool {
        !self.prefix.is_empty()
    }

    /// The identifier of a child of this name.
    #[must_use]
    pub fn child(&self, name: &str) -> Vec<String> {
        let mut id = self.id.clone();
        id.push(format!("{}{name}", self.prefix));
        id
    }

    /// The name of a child, or the names on the way to what lies inside one; none if that lies
    /// elsewhere.
    pub(crate) fn within(&self, id: &[String]) -> Option<Vec<String>> {
        let (first, others) = id.strip_prefix(self.id.as_slice())?.split_first()?;
        let mut names = vec![first.strip_prefix(&self.prefix)?.to_owned()];
        names.extend_from_slice(others);
        Some(names)
    }

    /// Whether this is the place itself or lies inside it.
    pub(crate) fn holds(&self, id: &[String]) -> bool {
        self.within(id).is_some() || (!self.is_shared() && id == self.id)
    }

    /// Takes out of these what it holds.
    pub(crate) fn take(&self, ids: &mut BTreeSet<Vec<String>>) -> BTreeSet<Vec<String>> {
        let (taken, rest) = std::mem::take(ids)
            .into_iter()
            .partition(|id| self.holds(id));
        *ids = rest;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Vec<String> {
        text.split('$').map(str::to_owned).collect()
    }

    #[test]
    fn a_place_holds_what_is_made_in_it() {
        let own = Namespace::at(id("run$s001"));
        let shared = Namespace::shared(Vec::new(), "run_s001_".to_owned());
        assert_eq!(own.child("t"), id("run$s001$t"));
        assert_eq!(shared.child("t"), id("run_s001_t"));
        for (place, held, names) in [
            (&own, "run$s001$n$t", Some(id("n$t"))),
            (&own, "run$s001", None),
            (&own, "run$s002$t", None),
            (&shared, "run_s001_n$t", Some(id("n$t"))),
            (&shared, "run_s002_t", None),
            (&shared, "orders", None),
        ] {
            assert_eq!(place.within(&id(held)), names, "{held}");
        }
        assert!(own.holds(&id("run$s001")));
        // The parent is nobody's.
        assert!(!shared.holds(&[]));
        let mut ids = BTreeSet::from([id("run_s001_t"), id("orders")]);
        assert_eq!(shared.take(&mut ids), BTreeSet::from([id("run_s001_t")]));
        assert_eq!(ids, BTreeSet::from([id("orders")]));
    }
}
