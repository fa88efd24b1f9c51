//! Staging manifests: the real files that some servers want at a version's `manifest_path`.

use std::path::Path as FilePath;
use std::sync::Arc;

use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode};
use url::Url;

/// Where the staging manifests of a table go.
#[derive(Clone, Debug)]
pub(crate) enum Staging {
    /// The table's location can be written: manifests are real files there.
    Store {
        store: Arc<dyn ObjectStore>,
        folder: Path,
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
    pub(crate) fn at(location: Option<&str>, options: &[(String, String)]) -> Self {
        let Some(location) = location else {
            return Self::opaque("conformance", "the server named no location");
        };
        let url = match Url::parse(location) {
            Ok(url) => url,
            // A plain path is a file's.
            Err(_) if location.starts_with('/') => match Url::from_file_path(location) {
                Ok(url) => url,
                Err(()) => return Self::opaque(location, "its location is not a path"),
            },
            Err(_) => return Self::opaque(location, "its location is neither a URL nor a path"),
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
            Self::Store { store, folder } => {
                let path = folder.clone().join("_versions").join(name);
                let put = store.put(&path, bytes.into()).await;
                match put {
                    Ok(put) => Ok((path.to_string(), put.e_tag)),
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
        let put = store
            .put_opts(&Path::from(path), bytes.into(), PutMode::Create.into())
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
        let path = Path::parse(path.trim_start_matches('/')).ok()?;
        let read = store.get(&path).await.ok()?.bytes().await.ok()?;
        Some(read.to_vec())
    }

    /// Whether there is a file at a path that a server answered; none if that is out of reach.
    pub(crate) async fn holds(&self, path: &str) -> Option<bool> {
        let Self::Store { store, .. } = self else {
            return None;
        };
        let path = Path::parse(path.trim_start_matches('/')).ok()?;
        match store.head(&path).await {
            Ok(_) => Some(true),
            Err(object_store::Error::NotFound { .. }) => Some(false),
            Err(_) => None,
        }
    }

    /// Why manifests are not real files here; none if they are.
    pub(crate) fn out_of_reach(&self) -> Option<&str> {
        match self {
            Self::Opaque { reason, .. } => Some(reason),
            Self::Store { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
