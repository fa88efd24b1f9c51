//! Where the server puts tables whose location it chooses.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use rusqlite::{Connection, Transaction};

use crate::error::Error;

/// What the path of a `file` URL may not hold as it is.
const PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`');

/// The place below which the server allocates a location for each table that comes without one.
#[derive(Debug, Clone)]
pub(crate) struct DataRoot {
    url: Arc<str>,
    directory: Option<Arc<Path>>,
}

/// A location that the server chose.
#[derive(Debug)]
pub(crate) struct Allocation {
    /// The URL, ending in a slash.
    pub(crate) location: String,
    /// The last part of it.
    pub(crate) directory: String,
}

impl DataRoot {
    /// A root that nothing else in this process or another shares.
    pub(crate) fn memory(connection: &Connection) -> Result<Self, rusqlite::Error> {
        let url = format!("memory://{}/", random_name(connection)?);
        Ok(Self {
            url: url.into(),
            directory: None,
        })
    }

    /// The directory `<database>.data`. It is not made here: who writes a table makes it.
    pub(crate) fn beside(database: &Path) -> Self {
        let mut directory = database.as_os_str().to_owned();
        directory.push(".data");
        let directory = PathBuf::from(directory);
        let text = directory.to_string_lossy();
        let url = format!("file://{}/", utf8_percent_encode(&text, PATH));
        Self {
            url: url.into(),
            directory: Some(directory.into()),
        }
    }

    /// A location that no table had before.
    ///
    /// It does not follow from the table's name: a table that is dropped and declared again must
    /// not find the files of the first one.
    pub(crate) fn allocate(&self, tx: &Transaction<'_>) -> Result<Allocation, Error> {
        let directory = random_name(tx)?;
        Ok(Allocation {
            location: format!("{}{directory}/", self.url),
            directory,
        })
    }

    /// Deletes what was written at locations that the server chose.
    pub(crate) async fn remove(&self, directories: Vec<String>) -> Result<(), Error> {
        let Some(root) = &self.directory else {
            return Ok(());
        };
        for directory in directories {
            let path = root.join(directory);
            match tokio::task::spawn_blocking({
                let path = path.clone();
                move || std::fs::remove_dir_all(path)
            })
            .await
            .map_err(Error::internal)?
            {
                // Nothing was ever written there.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => {
                    return Err(Error::internal(format!(
                        "the drop is done, but the data in {} could not be removed: {error}",
                        path.display()
                    )));
                }
                Ok(()) => {}
            }
        }
        Ok(())
    }
}

fn random_name(connection: &Connection) -> Result<String, rusqlite::Error> {
    connection
        .prepare_cached("SELECT lower(hex(randomblob(16)))")?
        .query_row([], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_of_a_path_with_spaces_and_signs_is_encoded() {
        let root = DataRoot::beside(Path::new("/data/my catalog#1%.db"));
        assert_eq!(&*root.url, "file:///data/my%20catalog%231%25.db.data/");
    }
}
