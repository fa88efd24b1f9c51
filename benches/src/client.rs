//! What each of the three clients is asked to do.

use bytes::Bytes;

use crate::{Result, answers};

/// The parts of the identifier of the table that every call is about.
pub(crate) const TABLE: [&str; 2] = ["prod", "users"];
/// The bytes of a large body, in a query's answer and in an insert.
pub(crate) const LARGE: u64 = 256 << 20;
/// The bytes of one piece of a body that is streamed.
const PIECE: usize = 256 << 10;

/// A client under measurement. Each call gives something of the answer, so that all of it is read.
pub(crate) trait Client: Clone + Send + Sync + Sized + 'static {
    /// A client of the server at `base_url`.
    fn connect(base_url: &str) -> Result<Self>;

    /// `DescribeTable`: the number of fields in the schema.
    fn describe_table(&self) -> impl Future<Output = Result<usize>> + Send;

    /// `ListTableVersions`: the number of versions.
    fn list_table_versions(&self) -> impl Future<Output = Result<usize>> + Send;

    /// `QueryTable`: the bytes of the body, read in the way the client has for it.
    fn query_table(&self) -> impl Future<Output = Result<u64>> + Send;

    /// `InsertIntoTable` with a body of [`LARGE`] bytes, sent in the way the client has for it:
    /// the version in the answer.
    fn insert_into_table(&self) -> impl Future<Output = Result<Option<i64>>> + Send;
}

/// One of the clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Ours,
    Bare,
    Peer,
}

impl Side {
    pub(crate) const ALL: [Self; 3] = [Self::Ours, Self::Bare, Self::Peer];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Bare => "bare",
            Self::Peer => "peer",
        }
    }

    pub(crate) fn named(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|side| side.name() == name)
            .ok_or_else(|| format!("there is no client {name:?}").into())
    }
}

/// The pieces of a body of [`LARGE`] bytes, which are one piece of memory.
pub(crate) fn pieces() -> impl Iterator<Item = Bytes> + Send + 'static {
    let piece = Bytes::from(vec![0x5a; PIECE]);
    std::iter::repeat_n(piece, LARGE as usize / PIECE)
}

/// Calls `DescribeTable` `calls` times, one after the other.
pub(crate) async fn describe(client: &impl Client, calls: usize) -> Result<()> {
    for _ in 0..calls {
        expect(client.describe_table().await?, answers::FIELDS)?;
    }
    Ok(())
}

/// An answer that is not the one expected means that something else was measured.
pub(crate) fn expect<T: PartialEq + std::fmt::Debug>(found: T, expected: T) -> Result<()> {
    match found == expected {
        true => Ok(()),
        false => Err(format!("the answer has {found:?} in place of {expected:?}").into()),
    }
}
