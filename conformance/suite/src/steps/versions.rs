//! Creating a version where the outcome is the server's choice, and what holds whatever it is.

use std::sync::Arc;

use crate::entry::{Entry, Manifest};
use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::requirement::Level;
use crate::scenario::Flow;
use crate::stage::{Stage, Table};

impl Stage {
    /// Creates a version where a requirement leaves it open whether the server takes it: what was
    /// taken must be there (VER-1), and what was refused must not (VER-3).
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`](crate::scenario::Stop) if the server failed,
    /// [`Stop::Inconclusive`](crate::scenario::Stop) if the version cannot be read back.
    pub async fn create_if_it_likes(
        &self,
        open: &'static str,
        table: &Table,
        version: i64,
        manifest: &Manifest,
    ) -> Flow {
        let answer = self.create_version(table, version, manifest).await;
        let create = answer.exchange();
        let taken = answer.open(open)?.is_some();
        let described = self.entry(table, version).await?;
        let mut listed = self.all_entries(table).await?;
        listed.retain(|entry| entry.version == version);
        let bytes = match &described {
            Some(entry) if entry.manifest_path != manifest.path => {
                table.staging.get(&entry.manifest_path).await
            }
            _ => None,
        };
        let fault = match (&described, taken) {
            (None, true) => Some("it was taken, and describe does not find it".to_owned()),
            (Some(_), false) => Some("it was refused, and describe finds it".to_owned()),
            (Some(entry), true) if entry.is_anothers(manifest, bytes.as_deref()) => {
                Some("it was taken, and describe answers another manifest".to_owned())
            }
            _ if listed.len() != usize::from(taken) => {
                let done = if taken { "taken" } else { "refused" };
                Some(format!(
                    "it was {done}, and the listing holds it {} times",
                    listed.len()
                ))
            }
            _ => None,
        };
        self.cite("VER-1");
        self.cite("VER-3");
        self.judge(
            if taken { "VER-1" } else { "VER-3" },
            &format!("version {version} of {}", table.label),
            "there if it was taken, absent if not",
            match fault {
                None => Ok(()),
                Some(fault) => Err(Deviation::new(
                    "a version that was taken is there, one that was refused is not",
                    fault,
                    [create],
                )),
            },
        );
        Ok(())
    }

    /// Judges that all answers about one version agree (VER-7): about the manifest's path they
    /// must, about the rest they should.
    pub fn agree<'a>(
        &self,
        label: &str,
        answers: impl IntoIterator<Item = &'a Entry>,
        exchanges: impl IntoIterator<Item = Arc<Exchange>>,
    ) {
        let answers: Vec<&Entry> = answers.into_iter().collect();
        let exchanges: Vec<Arc<Exchange>> = exchanges.into_iter().collect();
        let disagreements: Vec<String> = answers
            .iter()
            .skip(1)
            .flat_map(|other| answers[0].disagreements(other))
            .collect();
        let (paths, rest): (Vec<String>, Vec<String>) = disagreements
            .into_iter()
            .partition(|disagreement| disagreement.starts_with("manifest_path"));
        let found = [(Level::Must, paths), (Level::Should, rest)]
            .into_iter()
            .find_map(|(level, found)| Some((level, found.into_iter().next()?)));
        let (level, held) = match found {
            None => (Level::Must, Ok(())),
            Some((level, disagreement)) => {
                let expected = "every answer about one version says the same";
                let deviation = Deviation::new(expected, disagreement, exchanges);
                (level, Err(deviation))
            }
        };
        self.judge_at("VER-7", level, label, "agree", held);
    }
}
