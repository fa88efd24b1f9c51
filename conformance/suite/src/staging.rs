//! Staging manifests: the real files that some servers want at a version's `manifest_path`.

use std::path::Path as FilePath;
use std::sync::Arc;

use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode};
use url::Url;

/// How staging manifests get to a server's storage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// As files at the location that the server returns, with the storage options that it returns.
    /// Where that is out of reach they are paths without a file.
    #[default]
    Returned,
    /// Not at all: they are paths without a file.
    Nowhere,
    /// As files in a place that the server knows by another name, such as a volume of its container.
    Mapped(Mapping),
}

/// A place that a server and the suite know by two names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// What the locations that the server returns begin with: a URL or an absolute path.
    pub location: String,
    /// The same place as it is reached from here: a URL or an absolute path.
    pub root: String,
}

/// Where the staging manifests of a table go.
#[derive(Clone, Debug)]
pub(crate) enum Staging {
    /// The table's location can be written: manifests are real files there.
    Store {
        store: Arc<dyn ObjectStore>,
        folder: Path,
        /// The server's path for the folder, where it is another one.
        theirs: Option<Path>,
    },
    /// It cannot, for this reason: manifests are paths and nothing else.
    Opaque { folder: String, reason: String },
}

/// Why a staging manifest could not be written.
#[derive(Debug, thiserror::Error)]
#[error("a staging manifest cannot be written at {path}: {source}")]
pub(crate) struct StagingError {
    path: String,
    source: object_store::Error,
}

impl Staging {
    /// The place for the table at this location, with the storage options that the server gave.
    pub(crate) fn of(
        storage: &Storage,
        location: Option<&str>,
        options: &[(String, String)],
    ) -> Self {
        match (storage, location) {
            (Storage::Returned, location) => Self::at(location, options),
            (Storage::Nowhere, location) => {
                let folder =
                    location.and_then(|location| Some(read(location).ok()?.path().to_owned()));
                let folder = folder.as_deref().unwrap_or("conformance");
                Self::opaque(folder, "the declaration says that they get nowhere")
            }
            (Storage::Mapped(_), None) => Self::at(None, options),
            (Storage::Mapped(mapping), Some(location)) => mapping.staging(location, options),
        }
    }

    /// The place for the table at this location, which is reached as the server says.
    pub(crate) fn at(location: Option<&str>, options: &[(String, String)]) -> Self {
        let Some(location) = location else {
            return Self::opaque("conformance", "the server named no location");
        };
        let url = match read(location) {
            Ok(url) => url,
            Err(reason) => return Self::opaque(location, reason),
        };
        match url.scheme() {
            "file" => Self::in_files(&url),
            "memory" => Self::opaque(
                url.path(),
                "its location is in the server's memory, out of reach",
            ),
            _ => match object_store::parse_url_opts(&url, options.iter().cloned()) {
                Ok((store, folder)) => Self::Store {
                    store: store.into(),
                    folder,
                    theirs: None,
                },
                Err(error) => Self::opaque(url.path(), &error.to_string()),
            },
        }
    }

    fn in_files(url: &Url) -> Self {
        let Ok(path) = url.to_file_path() else {
            return Self::opaque(url.path(), "its location is not a path on this machine");
        };
        // A location on another machine looks the same; nothing is made in a place that the
        // server cannot have made.
        if !path.is_dir() && !path.parent().is_some_and(FilePath::is_dir) {
            return Self::opaque(url.path(), "its location is not on this machine");
        }
        match Path::from_absolute_path(&path) {
            Ok(folder) => Self::Store {
                store: Arc::new(LocalFileSystem::new()),
                folder,
                theirs: None,
            },
            Err(error) => Self::opaque(url.path(), &error.to_string()),
        }
    }

    fn opaque(folder: &str, reason: &str) -> Self {
        Self::Opaque {
            folder: folder.trim_matches('/').to_owned(),
            reason: reason.to_owned(),
        }
    }

    /// Writes a staging manifest of this name; answers its path as a create sends it, and its ETag.
    pub(crate) async fn put(
        &self,
        name: &str,
        bytes: Vec<u8>,
    ) -> Result<(String, Option<String>), StagingError> {
        match self {
            Self::Opaque { folder, .. } => Ok((format!("{folder}/_versions/{name}"), None)),
            Self::Store {
                store,
                folder,
                theirs,
            } => {
                let below = |folder: &Path| folder.clone().join("_versions").join(name);
                let path = below(folder);
                let put = store.put(&path, bytes.into()).await;
                match put {
                    Ok(put) => Ok((
                        below(theirs.as_ref().unwrap_or(folder)).to_string(),
                        put.e_tag,
                    )),
                    Err(source) => Err(StagingError {
                        path: path.to_string(),
                        source,
                    }),
                }
            }
        }
    }

    /// Writes a staging manifest at a path where one was, unless a file is there.
    pub(crate) async fn put_again(&self, path: &str, bytes: Vec<u8>) -> Result<(), StagingError> {
        let Self::Store { store, .. } = self else {
            return Ok(());
        };
        let place = self.ours(Path::from(path));
        let put = store
            .put_opts(&place, bytes.into(), PutMode::Create.into())
            .await;
        match put {
            Ok(_) | Err(object_store::Error::AlreadyExists { .. }) => Ok(()),
            Err(source) => Err(StagingError {
                path: path.to_owned(),
                source,
            }),
        }
    }

    /// The bytes at a path that a server answered; none if they are out of reach.
    pub(crate) async fn get(&self, path: &str) -> Option<Vec<u8>> {
        let Self::Store { store, .. } = self else {
            return None;
        };
        let path = self.ours(Path::parse(path.trim_start_matches('/')).ok()?);
        let read = store.get(&path).await.ok()?.bytes().await.ok()?;
        Some(read.to_vec())
    }

    /// Whether there is a file at a path that a server answered; none if that is out of reach.
    pub(crate) async fn holds(&self, path: &str) -> Option<bool> {
        let Self::Store { store, .. } = self else {
            return None;
        };
        let path = self.ours(Path::parse(path.trim_start_matches('/')).ok()?);
        match store.head(&path).await {
            Ok(_) => Some(true),
            Err(object_store::Error::NotFound { .. }) => Some(false),
            Err(_) => None,
        }
    }

    /// A path of the server's as it is reached from here.
    fn ours(&self, path: Path) -> Path {
        let Self::Store {
            folder,
            theirs: Some(theirs),
            ..
        } = self
        else {
            return path;
        };
        let parts = path.prefix_match(theirs);
        let ours = parts.map(|parts| parts.fold(folder.clone(), Path::join));
        ours.unwrap_or(path)
    }

    /// Why manifests are not real files here; none if they are.
    pub(crate) fn out_of_reach(&self) -> Option<&str> {
        match self {
            Self::Opaque { reason, .. } => Some(reason),
            Self::Store { .. } => None,
        }
    }
}

impl Mapping {
    /// The place for the table at a location that begins as the mapping says.
    fn staging(&self, location: &str, options: &[(String, String)]) -> Staging {
        let place = read(location).and_then(|url| Ok((read(&self.location)?, url)));
        let (begins, url) = match place {
            Ok(place) => place,
            Err(reason) => return Staging::opaque(location, reason),
        };
        let begins = begins.as_str().trim_end_matches('/');
        let rest = url.as_str().strip_prefix(begins);
        let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) else {
            let reason =
                format!("its location {url} does not begin with {begins}, as the declaration says");
            return Staging::opaque(url.path(), &reason);
        };
        let root = match read(&self.root) {
            Ok(root) => root,
            Err(reason) => return Staging::opaque(url.path(), reason),
        };
        let root = root.as_str().trim_end_matches('/');
        match Staging::at(Some(&format!("{root}{rest}")), options) {
            Staging::Store { store, folder, .. } => Staging::Store {
                store,
                folder,
                theirs: Path::from_url_path(url.path()).ok(),
            },
            // The server's path all the same.
            Staging::Opaque { reason, .. } => Staging::opaque(url.path(), &reason),
        }
    }
}

/// A location as a URL; a plain path is a file's.
fn read(location: &str) -> Result<Url, &'static str> {
    match Url::parse(location) {
        Ok(url) => Ok(url),
        Err(_) if location.starts_with('/') => {
            Url::from_file_path(location).map_err(|()| "its location is not a path")
        }
        Err(_) => Err("its location is neither a URL nor a path"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_place_of_two_names_is_written_here_and_named_as_the_server_does() {
        let root = tempfile::tempdir().unwrap();
        let mapping = Mapping {
            location: "file:///data".to_owned(),
            root: root.path().to_str().unwrap().to_owned(),
        };
        let storage = Storage::Mapped(mapping);
        let staging = Staging::of(&storage, Some("/data/t"), &[]);
        let (path, _) = staging.put("1.manifest", b"bytes".to_vec()).await.unwrap();
        assert_eq!(path, "data/t/_versions/1.manifest");
        let here = root.path().join("t/_versions/1.manifest");
        assert_eq!(std::fs::read(&here).unwrap(), b"bytes");
        assert_eq!(staging.get(&path).await.unwrap(), b"bytes");
        std::fs::remove_file(&here).unwrap();
        assert_eq!(staging.holds(&path).await, Some(false));
        staging.put_again(&path, b"bytes".to_vec()).await.unwrap();
        assert!(here.is_file());
        for location in ["/database/t", "/other"] {
            let reason = Staging::of(&storage, Some(location), &[]);
            let reason = reason.out_of_reach().unwrap().to_owned();
            assert!(reason.contains("file:///data"), "{reason}");
        }
    }

    #[tokio::test]
    async fn a_manifest_at_a_local_location_is_a_file() {
        let root = std::env::temp_dir().join(format!("suite-staging-{}", std::process::id()));
        std::fs::create_dir_all(root.join("a$t")).unwrap();
        let location = Url::from_file_path(root.join("a$t")).unwrap();
        let staging = Staging::at(Some(location.as_str()), &[]);
        let (path, e_tag) = staging
            .put("1.manifest-x", b"bytes".to_vec())
            .await
            .unwrap();
        assert!(!path.starts_with('/') && path.ends_with("/a$t/_versions/1.manifest-x"));
        assert!(e_tag.is_some());
        assert_eq!(staging.get(&path).await.unwrap(), b"bytes");
        staging.put_again(&path, b"others".to_vec()).await.unwrap();
        assert_eq!(staging.get(&path).await.unwrap(), b"bytes");
        std::fs::remove_file(format!("/{path}")).unwrap();
        staging.put_again(&path, b"bytes".to_vec()).await.unwrap();
        assert_eq!(staging.get(&path).await.unwrap(), b"bytes");
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_location_out_of_reach_says_why() {
        for location in [
            None,
            Some("memory://ns/table"),
            Some("file:///nowhere/at/all/table"),
            Some("relative"),
            Some("s3://bucket/table"),
        ] {
            let staging = Staging::at(location, &[]);
            assert!(
                staging.out_of_reach().is_some(),
                "{location:?}: {staging:?}"
            );
        }
    }
}
