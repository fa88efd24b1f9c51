//! A server that keeps its catalog in a log of requests, and can keep it badly: to be killed.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use lance_namespace_reference_server::{Config, Credentials, Server, Store, router};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tower::ServiceExt;

/// The name under which the reference server itself is served, on a file.
pub const HONEST: &str = "reference-server";

/// Bodies in these tests are far smaller.
const LONGEST_BODY: usize = 64 << 20;
/// How long there is between two records, or between a record and its answer, where there is time to be
/// killed.
const WHILE: Duration = Duration::from_millis(5);
/// How long what is written later is kept back.
const LATER: Duration = Duration::from_millis(40);
/// How many records are dropped by who takes the end of the log for torn.
const TORN: usize = 3;

/// How a catalog is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// Each request that was carried out is recorded before it is answered.
    Well,
    /// Not at all.
    InMemory,
    /// Requests are recorded some time after they were answered.
    Later,
    /// Declares and deregisters are recorded some time after they were answered.
    NamesLater,
    /// A batch is recorded entry by entry, and a commit operation by operation.
    ByParts,
    /// The last records are taken for torn at a start, and dropped.
    WithoutTheLast,
    /// What removes something is not recorded.
    WithoutRemovals,
    /// Refused creates are recorded, too, and win over those before them at a start.
    WithRefusals,
    /// Whether a version exists is known of those only that were created since the start.
    WithoutConditions,
    /// Requests are answered before all records have been read at a start.
    ReadWhileServing,
}

/// A request that was carried out.
struct Record {
    path: String,
    body: String,
}

/// The server's catalog, and the log that it is kept in.
struct Kept {
    honest: Router,
    keeping: Keeping,
    log: Mutex<Log>,
}

struct Log {
    file: File,
    /// What is to be written later.
    waiting: Vec<Record>,
    /// The versions created since the start, each as its table and number.
    created: BTreeSet<(String, i64)>,
}

/// Serves a catalog that is kept in this file, until the process is killed.
///
/// # Errors
///
/// If the file cannot be used, or the address not listened on.
pub async fn serve(keeping: Keeping, address: SocketAddr, file: &Path) -> std::io::Result<()> {
    let store = Store::in_memory().map_err(std::io::Error::other)?;
    let honest = router(store, Credentials::default());
    let mut records = read(file)?;
    if keeping == Keeping::WithoutTheLast {
        records.truncate(records.len().saturating_sub(TORN));
        write(&mut File::create(file)?, &records)?;
    }
    let kept = Arc::new(Kept {
        honest,
        keeping,
        log: Mutex::new(Log {
            file: OpenOptions::new().create(true).append(true).open(file)?,
            waiting: Vec::new(),
            created: BTreeSet::new(),
        }),
    });
    let replay = {
        let kept = Arc::clone(&kept);
        async move { kept.replay(&records).await }
    };
    match keeping {
        Keeping::ReadWhileServing => {
            tokio::spawn(replay);
        }
        _ => replay.await,
    }
    let writer = Arc::clone(&kept);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(LATER).await;
            let mut log = writer.log.lock().await;
            let waiting = std::mem::take(&mut log.waiting);
            if let Err(error) = write(&mut log.file, &waiting) {
                eprintln!("{error}");
            }
        }
    });
    let service = Router::new().fallback(move |request: Request| {
        let kept = Arc::clone(&kept);
        async move { kept.answer(request).await }
    });
    axum::serve(TcpListener::bind(address).await?, service).await
}

/// Serves the reference server on a file, until the process is killed.
///
/// # Errors
///
/// If it cannot be served.
pub async fn serve_honestly(address: SocketAddr, file: PathBuf) -> std::io::Result<()> {
    let config = Config {
        db: Some(file),
        ..Config::default()
    };
    let server = Server::bind(address, config).await;
    let _server = server.map_err(std::io::Error::other)?;
    std::future::pending().await
}

impl Kept {
    async fn answer(&self, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let Ok(body) = to_bytes(body, LONGEST_BODY).await else {
            // The client has hung up: nobody reads this.
            return StatusCode::BAD_REQUEST.into_response();
        };
        let path = parts.uri.path().to_owned();
        let whole = Request::from_parts(parts, Body::from(body.clone()));
        if !writes(&path) {
            return send(&self.honest, whole).await;
        }
        // What is recorded one after the other is carried out so.
        let mut log = self.log.lock().await;
        let mut answer = send(&self.honest, whole).await;
        if self.keeping == Keeping::WithoutConditions {
            answer = self
                .without_conditions(&mut log, &path, &body, answer)
                .await;
        }
        let create = path.ends_with("/version/create");
        let refused = self.keeping == Keeping::WithRefusals && create;
        if answer.status().is_success() || refused {
            let body = String::from_utf8_lossy(&body).into_owned();
            if let Err(error) = self.record(&mut log, Record { path, body }).await {
                return (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response();
            }
        }
        answer
    }

    /// A version that was created before the start does not count as one that exists.
    async fn without_conditions(
        &self,
        log: &mut Log,
        path: &str,
        body: &Bytes,
        answer: Response,
    ) -> Response {
        let Some(table) = path.strip_suffix("/version/create") else {
            return answer;
        };
        let fields: Value = serde_json::from_slice(body).unwrap_or_default();
        let version = fields["version"].as_i64().unwrap_or_default();
        let known = !log.created.insert((table.to_owned(), version));
        if answer.status() != StatusCode::CONFLICT || known {
            return answer;
        }
        self.replace(path, &String::from_utf8_lossy(body)).await
    }

    /// Creates a version in the place of the one that exists.
    async fn replace(&self, path: &str, body: &str) -> Response {
        let fields: Value = serde_json::from_str(body).unwrap_or_default();
        let version = fields["version"].as_i64().unwrap_or_default();
        let range = json!({ "start_version": version, "end_version": version + 1 });
        let delete = json!({ "ranges": [range] }).to_string();
        let path_of_delete = path.replace("/version/create", "/version/delete");
        post(&self.honest, &path_of_delete, &delete).await;
        post(&self.honest, path, body).await
    }

    async fn record(&self, log: &mut Log, record: Record) -> std::io::Result<()> {
        let name = ["/declare", "/deregister"].iter();
        let name = name.clone().any(|suffix| record.path.ends_with(suffix));
        let removal = ["/version/delete", "/deregister", "/drop"].iter();
        let removal = removal.clone().any(|suffix| record.path.ends_with(suffix));
        match self.keeping {
            Keeping::InMemory => Ok(()),
            Keeping::Later => {
                log.waiting.push(record);
                Ok(())
            }
            Keeping::NamesLater if name => {
                log.waiting.push(record);
                Ok(())
            }
            Keeping::WithoutRemovals if removal => Ok(()),
            Keeping::ByParts => {
                for part in parts(record) {
                    write(&mut log.file, &[part])?;
                    tokio::time::sleep(WHILE).await;
                }
                Ok(())
            }
            _ => write(&mut log.file, &[record]),
        }
    }

    /// Does again what was recorded.
    async fn replay(&self, records: &[Record]) {
        for Record { path, body } in records {
            let answer = post(&self.honest, path, body).await;
            let refused = answer.status() == StatusCode::CONFLICT;
            if refused && self.keeping == Keeping::WithRefusals {
                self.replace(path, body).await;
            }
            if self.keeping == Keeping::ReadWhileServing {
                tokio::time::sleep(WHILE).await;
            }
        }
    }
}

fn writes(path: &str) -> bool {
    let verbs = [
        "/create",
        "/declare",
        "/delete",
        "/deregister",
        "/drop",
        "/batch-create",
        "/batch-commit",
    ];
    verbs.iter().any(|verb| path.ends_with(verb))
}

/// Each part of a batch or commit as a request of its own.
fn parts(record: Record) -> Vec<Record> {
    let body: Value = serde_json::from_str(&record.body).unwrap_or_default();
    let of = |fields: &Value, suffix: &str| {
        let parts = fields["id"].as_array().into_iter().flatten();
        let id: Vec<&str> = parts.filter_map(Value::as_str).collect();
        let id = id.join("$");
        let id = utf8_percent_encode(&id, NON_ALPHANUMERIC);
        Record {
            path: format!("/v1/table/{id}{suffix}"),
            body: fields.to_string(),
        }
    };
    let items = |field: &str| body[field].as_array().cloned().unwrap_or_default();
    if record.path.ends_with("/batch-create") {
        let entries = items("entries");
        return entries
            .iter()
            .map(|entry| of(entry, "/version/create"))
            .collect();
    }
    if record.path.ends_with("/batch-commit") {
        let kinds = [
            ("declare_table", "/declare"),
            ("create_table_version", "/version/create"),
            ("delete_table_versions", "/version/delete"),
            ("deregister_table", "/deregister"),
        ];
        let operations = items("operations");
        let parts = operations.iter().flat_map(|operation| {
            let named = kinds.iter();
            named.filter_map(|(kind, suffix)| Some(of(operation.get(kind)?, suffix)))
        });
        return parts.collect();
    }
    vec![record]
}

/// Reads a log; a line without its end was being written at the kill.
fn read(file: &Path) -> std::io::Result<Vec<Record>> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    let mut records = Vec::new();
    for line in BufReader::new(File::open(file)?).lines() {
        let line: Value = serde_json::from_str(&line?).unwrap_or_default();
        if let (Some(path), Some(body)) = (line["path"].as_str(), line["body"].as_str()) {
            records.push(Record {
                path: path.to_owned(),
                body: body.to_owned(),
            });
        }
    }
    Ok(records)
}

/// Writes records in one piece.
fn write(file: &mut File, records: &[Record]) -> std::io::Result<()> {
    let lines: String = records
        .iter()
        .map(|Record { path, body }| format!("{}\n", json!({ "path": path, "body": body })))
        .collect();
    file.write_all(lines.as_bytes())
}

async fn post(honest: &Router, path: &str, body: &str) -> Response {
    let mut request = Request::new(Body::from(body.to_owned()));
    *request.method_mut() = Method::POST;
    if let Ok(uri) = path.parse() {
        *request.uri_mut() = uri;
    }
    let json = HeaderValue::from_static("application/json");
    request.headers_mut().insert(header::CONTENT_TYPE, json);
    send(honest, request).await
}

async fn send(honest: &Router, request: Request) -> Response {
    match honest.clone().oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}
