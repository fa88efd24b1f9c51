//! What a server allows of the names of namespaces and tables, as it is declared: how deep they lie,
//! at which level tables live, and of which characters names are.

mod characters;
mod made;

pub use characters::{Characters, CharactersError};
use made::named;
pub(crate) use made::{Made, made};

use crate::call::Call;
use crate::namespace::Namespace;
use crate::scenario::Given;

/// What a server allows of names. Without a declaration it allows all that the protocol does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// How many parts the identifier of a namespace may have, that of the parent included.
    pub max_depth: Option<usize>,
    /// How many namespaces the identifier of every table begins with; without it, any number.
    pub table_depth: Option<usize>,
    /// The characters that names are made of; without it, any.
    pub characters: Option<Characters>,
}

/// Why a run cannot keep to what is declared of names.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NamesError {
    /// There is no room for tables of the run's own.
    #[error(
        "there is no room in the parent namespace, which is {parent} deep: a run needs tables there, and \
         the declaration allows namespaces {deepest} deep; name a parent that is less deep, or allow more"
    )]
    NoRoom {
        /// How deep the parent is.
        parent: usize,
        /// How deep namespaces, or those of tables, may be.
        deepest: usize,
    },
    /// Tables live deeper than namespaces may.
    #[error(
        "tables cannot live {table} namespaces deep where namespaces may be {deepest} deep; \
         change max_depth or table_depth"
    )]
    TooDeep {
        /// How deep tables live.
        table: usize,
        /// How deep namespaces may be.
        deepest: usize,
    },
}

/// Where the namespaces of scenarios lie, and what they are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The run's own namespace, if there is room for one.
    pub(crate) run: Option<Vec<String>>,
    /// The namespace that holds those of the scenarios, or their tables: the run's own, one inside it,
    /// or the parent.
    pub(crate) homes: Vec<String>,
    /// What the names of the scenarios' namespaces begin with, or of their tables.
    pub(crate) prefix: String,
}

impl Layout {
    /// Where the scenario of this name makes its tables and namespaces.
    pub(crate) fn place(&self, name: &str, names: &Names) -> Namespace {
        let name = names.fitted(&format!("{}{name}", self.prefix));
        match self.run {
            Some(_) => {
                let mut id = self.homes.clone();
                id.push(name);
                Namespace::at(id)
            }
            None => Namespace::shared(self.homes.clone(), names.fitted(&format!("{name}_"))),
        }
    }

    /// Where everything of the run lies that has its name.
    pub(crate) fn whole(&self) -> Namespace {
        match &self.run {
            Some(run) if self.prefix.is_empty() => Namespace::at(run.clone()),
            _ => Namespace::shared(self.homes.clone(), self.prefix.clone()),
        }
    }
}

impl Names {
    /// Where a run of this name works.
    ///
    /// # Errors
    ///
    /// If there is no room for it.
    pub(crate) fn layout(&self, parent: &[String], run: &str) -> Result<Layout, NamesError> {
        let (above, usual) = (parent.len(), parent.len() + 2);
        if let (Some(table), Some(deepest)) = (self.table_depth, self.max_depth)
            && table > deepest
        {
            return Err(NamesError::TooDeep { table, deepest });
        }
        let deepest = self.max_depth.unwrap_or(usual);
        let depth = self.table_depth.unwrap_or_else(|| deepest.min(usual));
        if depth < above {
            return Err(NamesError::NoRoom {
                parent: above,
                deepest: depth,
            });
        }
        let name = self.fitted(run);
        let mut own = parent.to_vec();
        own.push(name.clone());
        // No room inside the run's own, or not even for that: beside it, and known by its name.
        if depth <= above + 1 {
            return Ok(Layout {
                run: (depth > above).then_some(own),
                homes: parent.to_vec(),
                prefix: self.fitted(&format!("{name}_")),
            });
        }
        let mut homes = own.clone();
        homes.extend((usual..depth).map(|level| format!("level{}", level - above)));
        Ok(Layout {
            run: Some(own),
            homes,
            prefix: String::new(),
        })
    }

    /// A name of the suite's own with what joins its words allowed.
    pub(crate) fn fitted(&self, name: &str) -> String {
        let Some(characters) = &self.characters else {
            return name.to_owned();
        };
        let joiner = ['_', '-', '.'].into_iter().find(|c| characters.has(*c));
        name.chars()
            .map(|c| match characters.has(c) {
                true => c,
                false => joiner.unwrap_or('0'),
            })
            .collect()
    }

    /// What a call would need that the declaration does not allow: to name something too deep, or to make
    /// something at another level or of another name. Identifiers are joined by the delimiter, unless the call
    /// says another one; only what is below the parent counts.
    pub(crate) fn lacks(&self, call: &Call, delimiter: &str, parent: usize) -> Option<Given> {
        if *self == Self::default() {
            return None;
        }
        let made = made(call, delimiter);
        let too_deep = |one: &Made| self.max_depth.is_some_and(|deepest| one.depth() > deepest);
        if named(call, delimiter).iter().chain(&made).any(too_deep) {
            return Some(Given::Depth);
        }
        made.iter().find_map(|made| self.forbids(made, parent))
    }

    fn forbids(&self, made: &Made, parent: usize) -> Option<Given> {
        let is_table = matches!(made, Made::Table(_));
        if is_table && self.table_depth.is_some_and(|level| made.depth() != level) {
            return Some(Given::TablesElsewhere);
        }
        let characters = self.characters.as_ref()?;
        let mut of_names = made.id().iter().skip(parent).flat_map(|part| part.chars());
        of_names
            .any(|c| !characters.has(c))
            .then_some(Given::Characters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls;
    use serde_json::json;

    fn id(text: &str) -> Vec<String> {
        text.split('$').map(str::to_owned).collect()
    }

    fn layout(names: &Names, parent: &[String]) -> Result<String, NamesError> {
        let layout = names.layout(parent, "lance_conformance_7")?;
        Ok(format!("{}${}", layout.homes.join("$"), layout.prefix))
    }

    #[test]
    fn scenarios_work_where_tables_live() {
        let at = |max_depth, table_depth| Names {
            max_depth,
            table_depth,
            characters: None,
        };
        let parent = id("a");
        let run = "a$lance_conformance_7";
        for (names, expected) in [
            (at(None, None), format!("{run}$")),
            (at(Some(9), None), format!("{run}$")),
            (at(None, Some(3)), format!("{run}$")),
            (at(None, Some(5)), format!("{run}$level2$level3$")),
            (at(Some(2), None), "a$lance_conformance_7_".to_owned()),
            (at(Some(9), Some(2)), "a$lance_conformance_7_".to_owned()),
        ] {
            assert_eq!(layout(&names, &parent), Ok(expected), "{names:?}");
        }
        for tables_of_the_parent in [at(Some(1), None), at(Some(5), Some(1))] {
            let layout = tables_of_the_parent.layout(&parent, "r").unwrap();
            let place = (layout.run, layout.homes, layout.prefix);
            assert_eq!(place, (None, parent.clone(), "r_".to_owned()));
        }
        assert!(layout(&at(Some(0), None), &parent).is_err());
        assert!(layout(&at(None, Some(0)), &parent).is_err());
        assert!(layout(&at(Some(3), Some(4)), &parent).is_err());
    }

    #[test]
    fn own_names_are_made_of_what_is_allowed() {
        let of = |text: &str| Names {
            characters: Some(text.parse().unwrap()),
            ..Names::default()
        };
        for (characters, name) in [
            ("a-z0-9_", "lance_conformance_7"),
            ("a-z0-9-", "lance-conformance-7"),
            ("a-z0-9", "lance0conformance07"),
        ] {
            assert_eq!(of(characters).fitted("lance_conformance_7"), name);
        }
    }

    #[test]
    fn what_is_not_allowed_is_seen_in_what_a_call_makes() {
        let names = Names {
            max_depth: Some(3),
            table_depth: Some(2),
            characters: Some("a-z0-9_".parse().unwrap()),
        };
        let lacks = |call: Call| names.lacks(&call, "$", 1);
        let created = |text: &str| lacks(calls::create_namespace(&id(text)));
        let declared = |text: &str| lacks(calls::declare(&id(text)));
        assert_eq!(created("P-A$b$c"), None);
        assert_eq!(created("p$b$c$d"), Some(Given::Depth));
        assert_eq!(declared("p$b$t"), None);
        assert_eq!(declared("p$t"), Some(Given::TablesElsewhere));
        assert_eq!(declared("p$b$T"), Some(Given::Characters));
        let slashed = Call::new("DeclareTable").id(&id("p/b/t"));
        assert_eq!(lacks(slashed.query("delimiter", "/")), None);
        // How a server says no to what is too deep for it is its own affair.
        let asked = |text: &str| lacks(calls::describe_table(&id(text)));
        assert_eq!(asked("p$b$c$T"), None);
        assert_eq!(asked("p$b$c$d$T"), Some(Given::Depth));
        assert_eq!(lacks(calls::describe_transaction(&id("p$b$c$t$x"))), None);
        let entry = calls::batch_create(&[json!({ "id": ["p", "b", "c", "d", "t"] })]);
        assert_eq!(lacks(entry), Some(Given::Depth));
        let batch = calls::commit(&[calls::commit_declare(&id("p$t"))]);
        assert_eq!(lacks(batch), Some(Given::TablesElsewhere));
        assert_eq!(
            lacks(calls::rename(&id("p$b$t"), "a-b")),
            Some(Given::Characters)
        );
    }
}
