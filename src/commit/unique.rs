//! What may stand only once in a commit.

use std::collections::HashSet;

/// The branch that a version belongs to where none is named.
const MAIN: &str = "main";

/// What an operation is about.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Subject<'a> {
    Version(&'a [String], &'a str, i64),
    Declared(&'a [String]),
    Deregistered(&'a [String]),
}

/// The subjects so far.
#[derive(Default)]
pub(super) struct Unique<'a>(HashSet<Subject<'a>>);

impl<'a> Unique<'a> {
    pub(super) fn version(
        &mut self,
        id: &'a [String],
        branch: Option<&'a str>,
        version: i64,
    ) -> Result<(), String> {
        let branch = branch.unwrap_or(MAIN);
        match self.0.insert(Subject::Version(id, branch, version)) {
            true => Ok(()),
            false => Err(format!(
                "version {version} of {id:?} is created twice on the branch {branch}"
            )),
        }
    }

    pub(super) fn declared(&mut self, id: &'a [String]) -> Result<(), String> {
        match self.0.insert(Subject::Declared(id)) {
            true => Ok(()),
            false => Err(format!("the table {id:?} is declared twice")),
        }
    }

    pub(super) fn deregistered(&mut self, id: &'a [String]) -> Result<(), String> {
        match self.0.insert(Subject::Deregistered(id)) {
            true => Ok(()),
            false => Err(format!("the table {id:?} is deregistered twice")),
        }
    }
}
