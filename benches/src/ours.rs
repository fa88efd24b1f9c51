//! `lance-namespace-client`, as its documentation says to use it.

use futures_util::{StreamExt, stream};
use lance_namespace_client::Client as Sdk;
use lance_namespace_client::models::{
    DescribeTableRequest, InsertIntoTableRequest, ListTableVersionsRequest, QueryTableRequest,
    QueryTableRequestVector,
};
use lance_namespace_client::reqwest::Body;

use crate::Result;
use crate::client::{Client, TABLE, pieces};

#[derive(Clone)]
pub(crate) struct Ours(Sdk);

impl Client for Ours {
    fn connect(base_url: &str) -> Result<Self> {
        Ok(Self(Sdk::new(base_url)?))
    }

    async fn describe_table(&self) -> Result<usize> {
        let request = DescribeTableRequest::new().with_id(TABLE).with_version(42);
        let table = self.0.describe_table(&request).await?;
        Ok(table.schema.map_or(0, |schema| schema.fields.len()))
    }

    async fn list_table_versions(&self) -> Result<usize> {
        let request = ListTableVersionsRequest::new().with_id(TABLE);
        Ok(self.0.list_table_versions(&request).await?.versions.len())
    }

    async fn query_table(&self) -> Result<u64> {
        let vector = QueryTableRequestVector::new().with_single_vector([0.5_f32; 8]);
        let request = QueryTableRequest::new(10)
            .with_id(TABLE)
            .with_vector(vector);
        let mut rows = self.0.query_table(&request).await?;
        let mut bytes = 0;
        while let Some(piece) = rows.next().await {
            bytes += piece?.len() as u64;
        }
        Ok(bytes)
    }

    async fn insert_into_table(&self) -> Result<Option<i64>> {
        let request = InsertIntoTableRequest::new().with_id(TABLE);
        let body = Body::wrap_stream(stream::iter(pieces().map(std::io::Result::Ok)));
        Ok(self.0.insert_into_table(&request, body).await?.version)
    }
}
