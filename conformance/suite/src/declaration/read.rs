//! Reading a declaration, and what is wrong with one.

use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;

use super::{Declaration, Manifests, NamesSection, StorageSection};
use crate::expectation::{Entry, Expectation};

/// Why a declaration cannot be used: the file, the line where that is known, and what is wrong.
#[derive(Debug, PartialEq, Eq)]
pub struct DeclarationError {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: Option<usize>,
    /// What is wrong there, and what to do.
    pub text: String,
}

impl std::error::Error for DeclarationError {}

impl fmt::Display for DeclarationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, text } = self;
        match line {
            Some(line) => write!(f, "{file}, line {line}: {text}"),
            None => write!(f, "{file}: {text}"),
        }
    }
}

impl Declaration {
    /// Reads a declaration; answers it with what is expected to fail.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or something in it cannot be used.
    pub fn read(path: &Path) -> Result<(Self, Vec<Entry>), DeclarationError> {
        let file = path.display().to_string();
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(&file, &text),
            Err(error) => Err(DeclarationError {
                file,
                line: None,
                text: format!(
                    "it cannot be read: {error}; `lance-namespace-conformance init` writes one"
                ),
            }),
        }
    }

    /// As [`read`](Self::read), of a text that stands in the file of this name.
    ///
    /// # Errors
    ///
    /// If something in it cannot be used.
    pub fn parse(file: &str, text: &str) -> Result<(Self, Vec<Entry>), DeclarationError> {
        let line = |at: Range<usize>| {
            let before = text.get(..at.start).unwrap_or(text);
            before.matches('\n').count() + 1
        };
        let wrong = |at: Option<Range<usize>>, text: String| DeclarationError {
            file: file.to_owned(),
            line: at.map(line),
            text,
        };
        // The line itself is not shown: there may be a secret in it.
        let declaration: Self = toml::from_str(text)
            .map_err(|error| wrong(error.span(), error.message().trim_end().to_owned()))?;
        check(declaration.names.as_ref(), NamesSection::check)
            .map_err(|(at, text)| wrong(at, text))?;
        check(declaration.storage.as_ref(), StorageSection::check)
            .map_err(|(at, text)| wrong(at, text))?;
        let mut entries = Vec::new();
        for expected in &declaration.expect {
            check(Some(expected), Expectation::check).map_err(|(at, text)| wrong(at, text))?;
            entries.push(Entry {
                place: format!("{file}, line {}", line(expected.span())),
                expectation: expected.get_ref().clone(),
            });
        }
        Ok((declaration, entries))
    }
}

type Wrong = (Option<Range<usize>>, String);

/// What a part says of itself, with the place where it stands.
fn check<T>(
    part: Option<&Spanned<T>>,
    check: impl Fn(&T) -> Result<(), String>,
) -> Result<(), Wrong> {
    let Some(part) = part else {
        return Ok(());
    };
    check(part.get_ref()).map_err(|text| (Some(part.span()), text))
}

impl NamesSection {
    fn check(&self) -> Result<(), String> {
        let fits = match (self.table_depth, self.max_depth) {
            (Some(table), Some(deepest)) => table <= deepest,
            _ => true,
        };
        let above = self.parent.len();
        if !fits {
            return Err(
                "table_depth is more than max_depth: tables would live deeper than \
                        namespaces may be; change one of them"
                    .to_owned(),
            );
        }
        for (name, depth) in [
            ("max_depth", self.max_depth),
            ("table_depth", self.table_depth),
        ] {
            if depth.is_some_and(|depth| depth < above) {
                return Err(format!(
                    "{name} leaves no room in the parent, which is {above} deep: a run makes its tables \
                     there; name another parent, or a greater {name}"
                ));
            }
        }
        Ok(())
    }
}

impl StorageSection {
    fn check(&self) -> Result<(), String> {
        let named = self.location.is_some() || self.root.is_some();
        let both = self.location.is_some() && self.root.is_some();
        match self.manifests {
            Manifests::Mapped if !both => {
                Err("manifests = \"mapped\" needs both: location, as the \
                                               server returns it, and root, the same place as it \
                                               is reached from here"
                    .to_owned())
            }
            Manifests::Returned | Manifests::Nowhere if named => Err(
                "location and root mean something with manifests = \"mapped\" only; say that, or \
                 take them out"
                    .to_owned(),
            ),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, line: usize, says: &str) {
        let error = Declaration::parse("conformance.toml", text).unwrap_err();
        assert_eq!(error.line, Some(line), "{error}");
        assert!(error.text.contains(says), "{error}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }

    #[test]
    fn nothing_is_said_in_an_empty_one() {
        let (declaration, entries) = Declaration::parse("f", "").unwrap();
        assert!(declaration.server.url.is_none() && entries.is_empty());
        assert_eq!(declaration.names(), crate::names::Names::default());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        refused("\n[server]\nurls = \"x\"", 3, "expected one of `url`");
        refused("[sever]", 1, "unknown field `sever`");
        refused("[server]\nurl = \"ftp://x\"", 2, "http://127.0.0.1:2333");
        refused(
            "[server]\nurl = \"ftp://u:hunter2@x\"",
            2,
            "http://127.0.0.1:2333",
        );
        refused("[server]\ntiers = [\n\"basic\",\n\"rows\"]", 4, "`data`");
        refused("[server]\nstart_timeout = 0", 2, "0");
        refused("[credentials]\napi_key = \"hunter2\"", 2, "{ env = ");
        refused("[credentials]\napi_key = { envs = \"A\" }", 2, "env");
        refused("[credentials.bad]\n\"x y\" = \"z\"", 2, "name of a header");
        refused("[headers]\nx-tenant = 5", 2, "environment variable");
        refused("\n[names]\nmax_depth = 1\ntable_depth = 2", 2, "max_depth");
        refused("[names]\nparent = [\"a\"]\nmax_depth = 0", 1, "no room in");
        refused("[names]\ncharacters = \"A-Z\"", 2, "a-z0-9");
        refused("[storage]\nmanifests = \"mapped\"", 1, "needs both");
        refused("[storage]\nroot = \"/x\"", 1, "mapped");
        refused("[storage]\nmanifests = \"none\"", 2, "`nowhere`");
        refused("[server]\nurl = \"http://x", 2, "");
    }

    #[test]
    fn an_expectation_that_says_too_little_is_refused() {
        refused("\n[[expect]]\nscenario = \"a/b\"", 2, "reason");
        refused(
            "[[expect]]\nreason = \"it is slow\"",
            1,
            "scenario or requirement",
        );
        refused("[[expect]]\nscenario = \"a\"\nreason = \" \"", 1, "reason");
        let known = "[[expect]]\nscenario = \"a/b\"\nreason = \"r\"\n";
        refused(&format!("{known}fails = \"5 of 5\""), 4, "as in \"1 of 5\"");
        refused(&format!("{known}until = \"soon\""), 4, "2027-01-31");
        refused(
            &format!("{known}until = 2027-01-31T00:00:00Z"),
            4,
            "2027-01-31",
        );
        let text = format!("{known}fails = \"1 of 5\"\nuntil = 2027-01-31");
        let (_, entries) = Declaration::parse("c.toml", &format!("\n{text}")).unwrap();
        assert_eq!(entries[0].place, "c.toml, line 2");
    }
}
