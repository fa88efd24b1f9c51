//! A server's answer, where the proxy does something to it.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

use super::request::{MOST_FIELDS, end_of_head, number, odd};

/// An answer, read whole.
#[derive(Debug)]
pub(super) struct Answer {
    bytes: Vec<u8>,
    body: usize,
    /// Whether it says itself where it ends.
    framed: bool,
}

impl Answer {
    /// Reads an answer to its end: as long as it says, or until the server closes.
    pub(super) async fn read(server: &mut (impl AsyncRead + Unpin)) -> io::Result<Self> {
        let mut bytes = Vec::new();
        let mut whole: Option<(usize, Option<usize>, bool)> = None;
        loop {
            if whole.is_none() {
                whole = framing(&bytes)?;
            }
            if whole.is_some_and(|(_, end, _)| end.is_some_and(|end| bytes.len() >= end)) {
                break;
            }
            match server.read_buf(&mut bytes).await {
                Ok(0) => break,
                Ok(_) => {}
                // TLS that ends without saying so ends all the same.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                Err(error) => return Err(error),
            }
        }
        match whole {
            Some((body, end, chunked)) => Ok(Self {
                bytes,
                body,
                framed: chunked || end.is_some(),
            }),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// So much of it that no client takes it for the whole.
    pub(super) fn half(&self) -> &[u8] {
        let body = self.bytes.len() - self.body;
        let end = if self.framed && body > 0 {
            self.body + body / 2
        } else {
            self.body - 2
        };
        &self.bytes[..end]
    }
}

/// Where the body begins, where the answer ends if it says so, and whether it is in chunks; none
/// while the head is not there.
fn framing(bytes: &[u8]) -> io::Result<Option<(usize, Option<usize>, bool)>> {
    let Some(body) = end_of_head(bytes) else {
        return Ok(None);
    };
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut parsed = httparse::Response::new(&mut fields);
    parsed.parse(&bytes[..body]).map_err(odd)?;
    let field = |name: &str| {
        let mut fields = parsed.headers.iter();
        fields.find(|field| field.name.eq_ignore_ascii_case(name))
    };
    let chunked = field("transfer-encoding").is_some();
    let length = match field("content-length") {
        Some(length) if !chunked => Some(number(length.value)?),
        _ if matches!(parsed.code, Some(204 | 304)) => Some(0),
        _ => None,
    };
    Ok(Some((body, length.map(|length| body + length), chunked)))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn half(answer: &str) -> String {
        let answer = Answer::read(&mut answer.as_bytes()).await.unwrap();
        String::from_utf8(answer.half().to_vec()).unwrap()
    }

    #[tokio::test]
    async fn half_an_answer_is_never_a_whole_one() {
        let length = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n";
        assert_eq!(half(&format!("{length}abcd")).await, format!("{length}ab"));
        let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        let cut = half(&format!("{chunked}2\r\nab\r\n0\r\n\r\n")).await;
        assert_eq!(cut, format!("{chunked}2\r\nab\r"));
        // Without a body, or with one that ends where the connection does, only the head tells.
        let empty = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
        assert_eq!(half(empty).await, empty[..empty.len() - 2]);
        let open = "HTTP/1.1 200 OK\r\n\r\n";
        assert_eq!(half(&format!("{open}ab")).await, open[..open.len() - 2]);
    }

    #[tokio::test]
    async fn an_answer_that_breaks_off_in_its_head_is_none() {
        assert!(
            Answer::read(&mut &b"HTTP/1.1 200 OK\r\n"[..])
                .await
                .is_err()
        );
    }
}
