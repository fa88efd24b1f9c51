//! As much of HTTP/1.1 as it takes to know where a message ends.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A message, as it came.
pub(crate) struct Message {
    pub(crate) bytes: Vec<u8>,
}

impl Message {
    /// Reads a message to its end. None where the connection ends before one begins.
    pub(crate) async fn read(stream: &mut TcpStream) -> std::io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        let head = loop {
            if let Some(end) = find(&bytes, b"\r\n\r\n") {
                break end + 4;
            }
            if stream.read_buf(&mut bytes).await? == 0 {
                return match bytes.is_empty() {
                    true => Ok(None),
                    false => Err(std::io::ErrorKind::UnexpectedEof.into()),
                };
            }
        };
        let whole = head + length(&bytes[..head]);
        while bytes.len() < whole {
            if stream.read_buf(&mut bytes).await? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
        }
        assert_eq!(bytes.len(), whole, "one message at a time");
        Ok(Some(Self { bytes }))
    }

    /// A part of it, and nothing after it.
    pub(crate) async fn write_half(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        stream.write_all(&self.bytes[..self.bytes.len() / 2]).await
    }

    pub(crate) async fn write(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        stream.write_all(&self.bytes).await
    }
}

/// The length of the body that a head announces.
fn length(head: &[u8]) -> usize {
    let head = String::from_utf8_lossy(head).to_lowercase();
    assert!(!head.contains("transfer-encoding"), "bodies have a length");
    head.lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .map_or(0, |value| value.trim().parse().unwrap())
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}
