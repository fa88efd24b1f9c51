//! A request on its way through the proxy.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

use super::fault::{Fault, HEADER};

/// The longest head that is read, in bytes; the suite's own are far shorter.
const LONGEST_HEAD: usize = 256 << 10;
/// How many header fields a message may have.
pub(super) const MOST_FIELDS: usize = 256;

/// A request, read whole.
#[derive(Debug)]
pub(super) struct Request {
    /// The request line and the fields as the server gets them.
    pub(super) head: Vec<u8>,
    pub(super) body: Vec<u8>,
    /// What the client asks the proxy to do.
    pub(super) fault: Option<Fault>,
}

impl Request {
    /// Reads a request as the suite's client writes it, with a length, and makes it one to `host`
    /// on a connection of its own.
    pub(super) async fn read(
        client: &mut (impl AsyncRead + Unpin),
        host: &str,
    ) -> io::Result<Self> {
        let mut read = Vec::new();
        let end = loop {
            if let Some(end) = end_of_head(&read) {
                break end;
            }
            if read.len() > LONGEST_HEAD {
                return Err(odd("the head of a request is too long"));
            }
            if client.read_buf(&mut read).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        };
        let mut body = read.split_off(end);
        let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
        let mut parsed = httparse::Request::new(&mut fields);
        parsed.parse(&read).map_err(odd)?;
        let (Some(method), Some(path)) = (parsed.method, parsed.path) else {
            return Err(odd("no request line"));
        };
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\n").into_bytes();
        let (mut length, mut fault) = (0, None);
        for field in &*parsed.headers {
            let name = field.name.to_ascii_lowercase();
            match name.as_str() {
                "host" | "connection" => continue,
                HEADER => {
                    fault = str::from_utf8(field.value).ok().and_then(Fault::read);
                    fault.ok_or_else(|| odd("no such fault"))?;
                    continue;
                }
                "content-length" => length = number(field.value)?,
                "transfer-encoding" => return Err(odd("a request without a length")),
                _ => {}
            }
            head.extend_from_slice(field.name.as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(field.value);
            head.extend_from_slice(b"\r\n");
        }
        head.extend_from_slice(b"connection: close\r\n\r\n");
        while body.len() < length {
            if client.read_buf(&mut body).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(Self { head, body, fault })
    }
}

/// Where the head of a message ends, if all of it is there.
pub(super) fn end_of_head(read: &[u8]) -> Option<usize> {
    let end = read.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    Some(end + 4)
}

pub(super) fn number(value: &[u8]) -> io::Result<usize> {
    let text = str::from_utf8(value).map_err(odd)?;
    text.trim().parse().map_err(odd)
}

pub(super) fn odd(what: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
