//! The directory of `--history`: a file for each scenario that recorded something.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use lance_namespace_history::format;
use lance_namespace_suite::play::Played;
use lance_namespace_suite::run::Run;

use crate::Failure;

/// A directory that holds the histories of one run.
pub(crate) struct Histories(PathBuf);

impl Histories {
    /// Makes the directory. One that holds anything is refused: `check DIR/*` would mix two runs.
    pub(crate) fn create(directory: &Path) -> Result<Self, Failure> {
        let name = directory.display();
        let cannot = |error| Failure::usage(format!("{name} cannot be written: {error}"));
        fs::create_dir_all(directory).map_err(cannot)?;
        if fs::read_dir(directory).map_err(cannot)?.next().is_some() {
            return Err(Failure::usage(format!(
                "{name} is not empty: name another directory for the histories of this run, or \
                 remove what an earlier one left there"
            )));
        }
        Ok(Self(directory.to_owned()))
    }

    /// Writes `FAMILY.NAME.jsonl` for each scenario that recorded something, and `FAMILY.NAME.svg` for
    /// the first of its histories that is broken.
    pub(crate) fn write(&self, run: &Run) -> Result<(), Failure> {
        run.played.iter().try_for_each(|played| self.one(played))
    }

    fn one(&self, played: &Played) -> Result<(), Failure> {
        let file = |extension: &str| {
            let name = played.scenario.id.replace('/', ".");
            self.0.join(format!("{name}.{extension}"))
        };
        if let Some(history) = &played.history {
            let path = file("jsonl");
            let written = File::create(&path).and_then(|file| {
                let mut file = BufWriter::new(file);
                format::write(history, &mut file)?;
                file.flush()
            });
            written.map_err(|error| cannot(&path, &error))?;
        }
        let mut pictures = played.findings.iter();
        if let Some(picture) = pictures.find_map(|finding| finding.timeline.as_ref()) {
            let path = file("svg");
            fs::write(&path, picture).map_err(|error| cannot(&path, &error))?;
        }
        Ok(())
    }
}

fn cannot(path: &Path, error: &std::io::Error) -> Failure {
    Failure::inconclusive(format!("{} cannot be written: {error}", path.display()))
}
