//! The files of `--json` and `--report`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lance_namespace_suite::report::badge::badge;
use lance_namespace_suite::report::html::html;
use lance_namespace_suite::report::junit::junit;
use lance_namespace_suite::report::summary::summary;
use lance_namespace_suite::result::RunResult;

use crate::Failure;

type Format = fn(&RunResult) -> String;

/// What `--report` writes.
const REPORTS: [(&str, Format); 5] = [
    ("result.json", RunResult::json),
    ("report.html", html),
    ("junit.xml", junit),
    ("summary.md", summary),
    ("badge.svg", badge),
];

/// Files that are open before the run begins: a result that cannot be written would be lost.
pub(crate) struct Files(Vec<(PathBuf, File, Format)>);

impl Files {
    pub(crate) fn create(json: Option<&Path>, report: Option<&Path>) -> Result<Self, Failure> {
        let json = json.map(|path| (path.to_owned(), RunResult::json as Format));
        let mut named: Vec<(PathBuf, Format)> = json.into_iter().collect();
        if let Some(folder) = report {
            fs::create_dir_all(folder)
                .map_err(|error| Failure::usage(cannot_write(folder, &error)))?;
            named.extend(REPORTS.map(|(name, format)| (folder.join(name), format)));
        }
        let create = |(path, format): (PathBuf, Format)| match File::create(&path) {
            Ok(file) => Ok((path, file, format)),
            Err(error) => Err(Failure::usage(cannot_write(&path, &error))),
        };
        Ok(Self(
            named.into_iter().map(create).collect::<Result<_, _>>()?,
        ))
    }

    /// Their names, without folders.
    pub(crate) fn names(&self) -> String {
        let names = self.0.iter().filter_map(|(path, ..)| path.file_name());
        let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
        names.join(", ")
    }

    pub(crate) fn write(self, result: &RunResult) -> Result<(), Failure> {
        for (path, mut file, format) in self.0 {
            file.write_all(format(result).as_bytes())
                .map_err(|error| Failure::inconclusive(cannot_write(&path, &error)))?;
        }
        Ok(())
    }
}

pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be written: {error}", path.display())
}
