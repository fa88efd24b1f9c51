//! What a careful programmer writes without a client: reqwest, serde_json and the structures that
//! the calls at hand need.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Body, RequestBuilder, Response};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::client::{Client, TABLE, pieces};

const JSON: &str = "application/json";
const TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Clone)]
pub(crate) struct Bare {
    http: reqwest::Client,
    base: String,
}

impl Bare {
    fn post(&self, action: &str) -> RequestBuilder {
        let id = TABLE.join("$");
        let id = utf8_percent_encode(&id, NON_ALPHANUMERIC);
        self.http
            .post(format!("{}/v1/table/{id}/{action}", self.base))
    }

    async fn json<T: DeserializeOwned>(&self, action: &str, request: &impl Serialize) -> Result<T> {
        let request = self
            .post(action)
            .timeout(TIMEOUT)
            .header(ACCEPT, JSON)
            .header(CONTENT_TYPE, JSON)
            .body(serde_json::to_vec(request)?);
        let answer = success(request.send().await?).await?;
        Ok(serde_json::from_slice(&answer.bytes().await?)?)
    }
}

/// The answer, unless it is an error.
async fn success(answer: Response) -> Result<Response> {
    let status = answer.status();
    if status.is_success() {
        return Ok(answer);
    }
    Err(format!("{status}: {}", answer.text().await?).into())
}

impl Client for Bare {
    fn connect(base_url: &str) -> Result<Self> {
        Ok(Self {
            // The same TLS settings as the client's: reqwest has none of its own in this build.
            http: lance_namespace_client::http_client_builder(base_url)?
                .connect_timeout(Duration::from_secs(10))
                .user_agent("bare/0.1.0")
                .build()?,
            base: base_url.to_owned(),
        })
    }

    async fn describe_table(&self) -> Result<usize> {
        let request = DescribeTableRequest {
            id: &TABLE,
            version: Some(42),
        };
        let table: DescribeTableResponse = self.json("describe", &request).await?;
        Ok(table.schema.map_or(0, |schema| schema.fields.len()))
    }

    async fn list_table_versions(&self) -> Result<usize> {
        let request = ListTableVersionsRequest { id: &TABLE };
        let answer: ListTableVersionsResponse = self.json("version/list", &request).await?;
        Ok(answer.versions.len())
    }

    async fn query_table(&self) -> Result<u64> {
        let request = QueryTableRequest {
            id: &TABLE,
            vector: Vector {
                single_vector: &[0.5; 8],
            },
            k: 10,
        };
        let request = self
            .post("query")
            .header(CONTENT_TYPE, JSON)
            .body(serde_json::to_vec(&request)?);
        let mut pieces = success(request.send().await?).await?.bytes_stream();
        let mut bytes = 0;
        while let Some(piece) = pieces.next().await {
            bytes += piece?.len() as u64;
        }
        Ok(bytes)
    }

    async fn insert_into_table(&self) -> Result<Option<i64>> {
        let body = Body::wrap_stream(stream::iter(pieces().map(std::io::Result::Ok)));
        let request = self
            .post("insert")
            .header(CONTENT_TYPE, "application/vnd.apache.arrow.stream")
            .body(body);
        let answer = success(request.send().await?).await?.bytes().await?;
        let answer: InsertIntoTableResponse = serde_json::from_slice(&answer)?;
        Ok(answer.version)
    }
}

#[derive(Serialize)]
struct DescribeTableRequest<'a> {
    id: &'a [&'a str],
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<i64>,
}

#[derive(Serialize)]
struct ListTableVersionsRequest<'a> {
    id: &'a [&'a str],
}

#[derive(Serialize)]
struct QueryTableRequest<'a> {
    id: &'a [&'a str],
    vector: Vector<'a>,
    k: i32,
}

#[derive(Serialize)]
struct Vector<'a> {
    single_vector: &'a [f32],
}

#[derive(Deserialize)]
struct InsertIntoTableResponse {
    version: Option<i64>,
}

type Map = Option<HashMap<String, String>>;

/// Every field of the protocol's model, as the others decode every field.
#[expect(dead_code, reason = "decoding them is what is measured")]
#[derive(Deserialize)]
struct DescribeTableResponse {
    context: Map,
    table: Option<String>,
    namespace: Option<Vec<String>>,
    version: Option<i64>,
    location: Option<String>,
    table_uri: Option<String>,
    schema: Option<Schema>,
    storage_options: Map,
    stats: Option<Stats>,
    metadata: Map,
    properties: Map,
    managed_versioning: Option<bool>,
    is_only_declared: Option<bool>,
}

#[expect(dead_code, reason = "decoding them is what is measured")]
#[derive(Deserialize)]
struct Stats {
    num_deleted_rows: i64,
    num_fragments: i64,
}

#[expect(dead_code, reason = "decoding them is what is measured")]
#[derive(Deserialize)]
struct Schema {
    fields: Vec<Field>,
    metadata: Map,
}

#[expect(dead_code, reason = "decoding them is what is measured")]
#[derive(Deserialize)]
struct Field {
    name: String,
    nullable: bool,
    r#type: DataType,
    metadata: Map,
}

#[expect(dead_code, reason = "decoding them is what is measured")]
#[derive(Deserialize)]
struct DataType {
    r#type: String,
    fields: Option<Vec<Field>>,
    length: Option<i64>,
}

#[expect(dead_code, reason = "decoding them is what is measured")]
#[derive(Deserialize)]
pub(crate) struct ListTableVersionsResponse {
    context: Map,
    pub(crate) versions: Vec<TableVersion>,
    page_token: Option<String>,
}

#[expect(dead_code, reason = "decoding them is what is measured")]
#[derive(Deserialize)]
pub(crate) struct TableVersion {
    version: i64,
    manifest_path: String,
    manifest_size: Option<i64>,
    e_tag: Option<String>,
    timestamp_millis: Option<i64>,
    metadata: Map,
}
