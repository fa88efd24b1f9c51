//! The server: a process of its own on loopback, which answers from memory and spends as little as
//! it can, so that what is measured is the client.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::Arc;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::client::LARGE;
use crate::{Result, answers};

/// The bytes of one write of a large body.
const PIECE: usize = 1 << 20;

/// The server's process. It ends with this value, or with the process that holds it.
pub(crate) struct Server {
    process: Child,
    url: String,
}

impl Server {
    pub(crate) fn start() -> Result<Self> {
        let mut process = std::process::Command::new(std::env::current_exe()?)
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = process.stdout.take().ok_or("the server has no output")?;
        let mut url = String::new();
        BufReader::new(stdout).read_line(&mut url)?;
        match url.trim_ascii_end() {
            "" => Err("the server did not start".into()),
            url => Ok(Self {
                url: url.to_owned(),
                process,
            }),
        }
    }

    /// What the clients are given.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its input ends, and with it the server.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// Serves until the input ends.
pub(crate) fn serve() -> Result<()> {
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        println!("http://{}", listener.local_addr()?);
        let answers = Arc::new(Answers::new());
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let answers = answers.clone();
            tokio::spawn(async move {
                let mut connection = Connection {
                    stream,
                    unread: BytesMut::new(),
                };
                // It ends when the client closes it.
                let _ = connection.serve(&answers).await;
            });
        }
    })
}

/// Whole answers, head and body, ready to be written.
struct Answers {
    table: Bytes,
    versions: Bytes,
    inserted: Bytes,
    large: Bytes,
    piece: Bytes,
}

impl Answers {
    fn new() -> Self {
        let json = "application/json";
        Self {
            table: whole(json, &answers::table()),
            versions: whole(json, &answers::versions(true)),
            inserted: whole(json, &answers::inserted()),
            large: head("application/vnd.apache.arrow.file", LARGE).into(),
            piece: vec![0x5a; PIECE].into(),
        }
    }
}

fn whole(media_type: &str, body: &[u8]) -> Bytes {
    let mut answer = head(media_type, body.len() as u64);
    answer.extend_from_slice(body);
    answer.into()
}

fn head(media_type: &str, length: u64) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\n\
         date: Sun, 29 Nov 2026 12:00:00 GMT\r\nserver: loopback\r\n\
         x-request-id: 0193e5a7-6f0c-7c1e-9d53-3f6f1c2b7a10\r\n\r\n"
    )
    .into_bytes()
}

struct Connection {
    stream: TcpStream,
    unread: BytesMut,
}

impl Connection {
    async fn serve(&mut self, answers: &Answers) -> std::io::Result<()> {
        loop {
            let head = self.take_until(b"\r\n\r\n").await?;
            let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
            match header(&head, "content-length") {
                Some(length) => self.discard(length.parse().unwrap_or(0)).await?,
                None if header(&head, "transfer-encoding").is_some() => {
                    self.discard_chunks().await?
                }
                None => {}
            }
            let path = head.split(' ').nth(1).unwrap_or_default();
            let path = path.split('?').next().unwrap_or_default();
            match path.rsplit('/').next() {
                Some("describe") => self.stream.write_all(&answers.table).await?,
                Some("list") => self.stream.write_all(&answers.versions).await?,
                Some("insert") => self.stream.write_all(&answers.inserted).await?,
                Some("query") => {
                    self.stream.write_all(&answers.large).await?;
                    for _ in 0..LARGE / PIECE as u64 {
                        self.stream.write_all(&answers.piece).await?;
                    }
                }
                _ => {
                    let answer = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
                    self.stream.write_all(answer).await?;
                }
            }
        }
    }

    /// Reads and discards a body in chunks.
    async fn discard_chunks(&mut self) -> std::io::Result<()> {
        loop {
            let line = self.take_until(b"\r\n").await?;
            let line = String::from_utf8_lossy(&line);
            let size = u64::from_str_radix(line.trim_ascii(), 16).map_err(std::io::Error::other)?;
            // The line's end belongs to the chunk.
            self.discard(size + 2).await?;
            if size == 0 {
                return Ok(());
            }
        }
    }

    /// Reads and discards `bytes` bytes.
    async fn discard(&mut self, mut bytes: u64) -> std::io::Result<()> {
        loop {
            let taken = bytes.min(self.unread.len() as u64);
            self.unread.advance(taken as usize);
            bytes -= taken;
            if bytes == 0 {
                return Ok(());
            }
            self.fill().await?;
        }
    }

    /// What comes up to and with `end`.
    async fn take_until(&mut self, end: &[u8]) -> std::io::Result<BytesMut> {
        loop {
            let found = self.unread.windows(end.len()).position(|part| part == end);
            if let Some(at) = found {
                return Ok(self.unread.split_to(at + end.len()));
            }
            self.fill().await?;
        }
    }

    async fn fill(&mut self) -> std::io::Result<()> {
        // When all has been taken, this begins at the front again.
        if self.unread.is_empty() || self.unread.capacity() - self.unread.len() < PIECE / 16 {
            self.unread.reserve(PIECE);
        }
        match self.stream.read_buf(&mut self.unread).await? {
            0 => Err(std::io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

/// The value of a header in a head in lower case.
fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        (found == name).then(|| value.trim())
    })
}
