//! `lance-namespace-reqwest-client`, by the functions that it has.

use lance_namespace_reqwest_client::apis::configuration::Configuration;
use lance_namespace_reqwest_client::apis::table_api;
use lance_namespace_reqwest_client::models::{
    DescribeTableRequest, QueryTableRequest, QueryTableRequestVector,
};

use crate::Result;
use crate::client::{Client, TABLE, pieces};

#[derive(Clone)]
pub(crate) struct Peer(std::sync::Arc<Configuration>);

/// The identifier on the path, which the peer leaves to its caller.
fn id() -> String {
    TABLE.join("$")
}

impl Client for Peer {
    fn connect(base_url: &str) -> Result<Self> {
        let mut configuration = Configuration::new();
        configuration.base_path = base_url.to_owned();
        Ok(Self(configuration.into()))
    }

    async fn describe_table(&self) -> Result<usize> {
        let mut request = DescribeTableRequest::new();
        request.id = Some(TABLE.map(str::to_owned).into());
        request.version = Some(42);
        let table =
            table_api::describe_table(&self.0, &id(), request, None, None, None, None).await?;
        Ok(table.schema.map_or(0, |schema| schema.fields.len()))
    }

    async fn list_table_versions(&self) -> Result<usize> {
        let answer =
            table_api::list_table_versions(&self.0, &id(), None, None, None, None, None).await?;
        Ok(answer.versions.len())
    }

    /// All of the body at once, as Lance's own namespace over this peer reads it.
    async fn query_table(&self) -> Result<u64> {
        let mut vector = QueryTableRequestVector::new();
        vector.single_vector = Some(vec![0.5; 8]);
        let mut request = QueryTableRequest::new(10, vector);
        request.id = Some(TABLE.map(str::to_owned).into());
        let answer = table_api::query_table(&self.0, &id(), request, None).await?;
        Ok(answer.bytes().await?.len() as u64)
    }

    /// All of the body at once: the peer takes nothing else.
    async fn insert_into_table(&self) -> Result<Option<i64>> {
        let mut body = Vec::new();
        pieces().for_each(|piece| body.extend_from_slice(&piece));
        let answer = table_api::insert_into_table(&self.0, &id(), body, None, None, None).await?;
        Ok(answer.version)
    }
}
