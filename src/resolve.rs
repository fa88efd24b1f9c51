//! What became of versions whose create was not answered, or answered with a conflict: they are read
//! back and compared with what was sent.

use std::collections::HashMap;

use crate::models::{
    CreateTableVersionEntry, CreateTableVersionRequest, DescribeTableVersionRequest, Identity,
    TableVersion,
};
use crate::{Client, Error};

/// A version as it was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sent<'a> {
    pub(crate) id: &'a [String],
    pub(crate) branch: Option<&'a str>,
    pub(crate) version: i64,
    manifest_path: &'a str,
    manifest_size: Option<i64>,
    e_tag: Option<&'a str>,
    metadata: Option<&'a HashMap<String, String>>,
}

impl<'a> Sent<'a> {
    /// That of a request whose identifier is set.
    pub(crate) fn request(request: &'a CreateTableVersionRequest) -> Self {
        Self {
            id: request.id.as_deref().unwrap_or_default(),
            branch: request.branch.as_deref(),
            version: request.version,
            manifest_path: &request.manifest_path,
            manifest_size: request.manifest_size,
            e_tag: request.e_tag.as_deref(),
            metadata: request.metadata.as_ref(),
        }
    }

    /// That of an entry of a batch.
    pub(crate) fn entry(entry: &'a CreateTableVersionEntry) -> Self {
        Self {
            id: &entry.id,
            branch: entry.branch.as_deref(),
            version: entry.version,
            manifest_path: &entry.manifest_path,
            manifest_size: entry.manifest_size,
            e_tag: entry.e_tag.as_deref(),
            metadata: entry.metadata.as_ref(),
        }
    }
}

/// On whose behalf versions are read back: that of the call that they were sent with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub(crate) client: &'a Client,
    pub(crate) identity: Option<&'a Identity>,
    pub(crate) context: Option<&'a HashMap<String, String>>,
}

/// Whose a version is that stands where one was to be created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Ours,
    Anothers,
    Unclear,
}

impl Caller<'_> {
    /// Finds out whether versions that were sent together, to be created all or none, are there. On a
    /// conflict or an unknown outcome that turns out to be a success it gives them as they stand;
    /// otherwise it gives the error, with what was found.
    pub(crate) async fn resolve(
        &self,
        sent: &[Sent<'_>],
        error: Error,
    ) -> Result<Vec<TableVersion>, Error> {
        if sent.is_empty() || !(error.is_unknown() || error.is_conflict()) {
            return Err(error);
        }
        let mut ours = Vec::new();
        let mut other = None;
        for each in sent {
            match self.read(each).await {
                Some((Whose::Ours, version)) => ours.push(version),
                found => {
                    other = Some((each, found));
                    break;
                }
            }
        }
        let Some((sent, found)) = other else {
            return Ok(ours);
        };
        if !ours.is_empty() {
            let what = format!(
                "reading back found the first {} of the versions, and not version {} of {:?}",
                ours.len(),
                sent.version,
                sent.id
            );
            return Err(error.adding(&what));
        }
        Err(match found {
            Some((Whose::Anothers, version)) if error.is_unknown() => {
                let what = format!(
                    "version {} of {:?} is another writer's, with the manifest {}",
                    sent.version, sent.id, version.manifest_path
                );
                error.taken(&what, version)
            }
            Some((_, version)) => error.with_existing(version),
            None => error,
        })
    }

    /// Whether all of these versions stand as they were sent.
    pub(crate) async fn all_stand(&self, sent: &[Sent<'_>]) -> bool {
        for each in sent {
            if !matches!(self.read(each).await, Some((Whose::Ours, _))) {
                return false;
            }
        }
        true
    }

    /// The version that stands, if it can be read.
    async fn read(&self, sent: &Sent<'_>) -> Option<(Whose, TableVersion)> {
        let mut request = DescribeTableVersionRequest::new()
            .with_id(sent.id)
            .with_version(sent.version);
        request.branch = sent.branch.map(str::to_owned);
        request.identity = self.identity.cloned();
        request.context = self.context.cloned();
        let stands = self.client.describe_table_version(&request).await.ok()?;
        Some((whose(sent, &stands.version), stands.version))
    }
}

/// Compares what stands with what was sent. Only what cannot be otherwise is said for certain: a
/// server may keep the path of the manifest as it was sent, or move the file and so change its path
/// and its entity tag.
fn whose(sent: &Sent<'_>, stands: &TableVersion) -> Whose {
    if stands.version != sent.version {
        return Whose::Unclear;
    }
    let size = compare(sent.manifest_size, stands.manifest_size);
    let e_tag = compare(sent.e_tag, stands.e_tag.as_deref());
    let name = file_name(sent.manifest_path);
    let path = same_place(sent.manifest_path, &stands.manifest_path);
    if path && !is_final(name, sent.version) {
        // A staging manifest is one writer's own.
        return match size == Some(false) || e_tag == Some(false) {
            true => Whose::Unclear,
            false => Whose::Ours,
        };
    }
    let staged = file_name(&stands.manifest_path);
    let anothers = size == Some(false)
        || metadata_differs(sent, stands)
        || path && e_tag == Some(false)
        || !path && is_staged(staged, sent.version);
    match (anothers, e_tag) {
        (true, _) => Whose::Anothers,
        (false, Some(true)) => Whose::Ours,
        _ => Whose::Unclear,
    }
}

/// Whether two values are the same; nothing where one of them is not known.
fn compare<T: PartialEq>(one: Option<T>, other: Option<T>) -> Option<bool> {
    Some(one? == other?)
}

/// Whether the server kept other metadata than was sent. One that keeps none says nothing.
fn metadata_differs(sent: &Sent<'_>, stands: &TableVersion) -> bool {
    let (Some(sent), Some(stands)) = (sent.metadata, &stands.metadata) else {
        return false;
    };
    let differs =
        |(key, value): (&String, &String)| stands.get(key).is_some_and(|other| other != value);
    sent.iter().any(differs)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether two paths name one file, where one may be relative to the store or to the table.
fn same_place(one: &str, other: &str) -> bool {
    let (short, long) = match one.len() < other.len() {
        true => (one, other),
        false => (other, one),
    };
    let short = short.trim_start_matches('/');
    long.strip_suffix(short)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The names that a manifest has in the end, by both naming schemes.
fn final_names(version: i64) -> [String; 2] {
    let inverted = u64::MAX - version.unsigned_abs();
    [
        format!("{version}.manifest"),
        format!("{inverted:020}.manifest"),
    ]
}

fn is_final(name: &str, version: i64) -> bool {
    final_names(version).iter().any(|known| known == name)
}

/// Whether it is the name of a staging manifest as Lance writes them: the final name, and more.
fn is_staged(name: &str, version: i64) -> bool {
    final_names(version).iter().any(|known| {
        name.strip_prefix(known.as_str())
            .is_some_and(|more| !more.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAGED: &str = "prod/users/_versions/7.manifest-1f3a";
    const FINAL: &str = "prod/users/_versions/7.manifest";
    const INVERTED: &str = "prod/users/_versions/18446744073709551608.manifest";

    fn sent(path: &str) -> CreateTableVersionRequest {
        CreateTableVersionRequest::new(7, path)
    }

    fn judged(sent: &CreateTableVersionRequest, stands: TableVersion) -> Whose {
        whose(&Sent::request(sent), &stands)
    }

    #[test]
    fn a_staging_manifest_that_stands_is_ones_own() {
        for stands in [
            STAGED,
            "/prod/users/_versions/7.manifest-1f3a",
            "_versions/7.manifest-1f3a",
        ] {
            let stands = TableVersion::new(7, stands);
            assert_eq!(judged(&sent(STAGED), stands), Whose::Ours);
        }
        let stands = TableVersion::new(7, "s3://bucket/prod/users/_versions/7.manifest-1f3a");
        assert_eq!(
            judged(&sent("_versions/7.manifest-1f3a"), stands),
            Whose::Ours
        );
    }

    #[test]
    fn another_staging_manifest_is_anothers() {
        for name in ["7.manifest-9c2e", "18446744073709551608.manifest-9c2e"] {
            let stands = TableVersion::new(7, format!("prod/users/_versions/{name}"));
            assert_eq!(judged(&sent(STAGED), stands), Whose::Anothers);
        }
        // The end of a name is no place.
        let stands = TableVersion::new(7, "prod/users/_versions/17.manifest-1f3a");
        assert_eq!(judged(&sent("7.manifest-1f3a"), stands), Whose::Unclear);
    }

    #[test]
    fn a_manifest_that_the_server_moved_is_told_by_its_entity_tag() {
        for stands in [FINAL, INVERTED] {
            let stands = TableVersion::new(7, stands).with_e_tag("a");
            let known = sent(STAGED).with_e_tag("a");
            assert_eq!(judged(&known, stands.clone()), Whose::Ours);
            // Moving may change it.
            let known = sent(STAGED).with_e_tag("b");
            assert_eq!(judged(&known, stands.clone()), Whose::Unclear);
            assert_eq!(judged(&sent(STAGED), stands), Whose::Unclear);
        }
    }

    #[test]
    fn another_size_or_other_metadata_is_anothers() {
        let known = sent(STAGED)
            .with_manifest_size(10)
            .with_metadata([("writer", "a")]);
        let stands = TableVersion::new(7, FINAL).with_manifest_size(11);
        assert_eq!(judged(&known, stands), Whose::Anothers);
        let stands = TableVersion::new(7, FINAL).with_metadata([("writer", "b")]);
        assert_eq!(judged(&known, stands), Whose::Anothers);
        let stands = TableVersion::new(7, FINAL)
            .with_manifest_size(10)
            .with_metadata([("more", "b")]);
        assert_eq!(judged(&known, stands), Whose::Unclear);
    }

    #[test]
    fn one_final_path_is_no_proof() {
        // Two writers without staging manifests send the same path.
        let known = sent(FINAL).with_manifest_size(10);
        let stands = TableVersion::new(7, FINAL).with_manifest_size(10);
        assert_eq!(judged(&known, stands.clone()), Whose::Unclear);
        let known = known.with_e_tag("a");
        assert_eq!(judged(&known, stands.clone().with_e_tag("a")), Whose::Ours);
        assert_eq!(judged(&known, stands.with_e_tag("b")), Whose::Anothers);
    }

    #[test]
    fn a_contradiction_is_not_talked_away() {
        let known = sent(STAGED).with_manifest_size(10);
        let stands = TableVersion::new(7, STAGED).with_manifest_size(11);
        assert_eq!(judged(&known, stands), Whose::Unclear);
        assert_eq!(judged(&known, TableVersion::new(8, STAGED)), Whose::Unclear);
    }
}
