//! The answers that the server gives, of the size and shape of real ones.

use serde_json::{Value, json};

/// The fields of the described table's schema.
pub(crate) const FIELDS: usize = 20;
/// The types of most of them.
const SCALARS: [&str; 4] = ["int64", "utf8", "float64", "bool"];
/// The versions in a listing.
pub(crate) const VERSIONS: usize = 10_000;
/// The version that an insert makes.
pub(crate) const INSERTED: i64 = 43;

/// The body of `DescribeTable`.
pub(crate) fn table() -> Vec<u8> {
    let fields: Vec<Value> = (0..FIELDS).map(field).collect();
    json!({
        "table": "users",
        "namespace": ["prod"],
        "version": 42,
        "location": "s3://lakehouse-eu-central-1/warehouse/prod/users.lance",
        "table_uri": "s3://lakehouse-eu-central-1/warehouse/prod/users.lance",
        "schema": { "fields": fields, "metadata": { "owner": "growth" } },
        "storage_options": {
            "aws_access_key_id": "ASIAQWERTYUIOPASDFGH",
            "aws_secret_access_key": "c2VjcmV0LWtleS1vZi1mb3J0eS1jaGFyYWN0ZXJzIQ",
            "aws_session_token": "Rm9yIHNlc3Npb25zIHRva2VucyBhcmUgbG9uZy4".repeat(16),
            "aws_region": "eu-central-1",
            "allow_http": "false",
            "expires_at_millis": "1790000000000",
        },
        "properties": {
            "owner": "growth",
            "retention_days": "365",
            "classification": "internal",
            "lance.auto_cleanup.interval": "20",
            "lance.auto_cleanup.older_than": "14days",
        },
        "managed_versioning": true,
    })
    .to_string()
    .into_bytes()
}

/// A field of the schema: mostly scalars, here and there a vector or a structure.
fn field(index: usize) -> Value {
    let kind = match index {
        7 => json!({
            "type": "fixed_size_list",
            "length": 768,
            "fields": [{ "name": "item", "nullable": true, "type": { "type": "float32" } }],
        }),
        13 => json!({
            "type": "struct",
            "fields": [
                { "name": "street", "nullable": true, "type": { "type": "utf8" } },
                { "name": "city", "nullable": true, "type": { "type": "utf8" } },
            ],
        }),
        _ => json!({ "type": SCALARS[index % SCALARS.len()] }),
    };
    let mut field = json!({ "name": format!("column_{index}"), "nullable": true, "type": kind });
    if index.is_multiple_of(5) {
        field["metadata"] = json!({ "comment": "a note on what this column holds" });
    }
    field
}

/// The body of `ListTableVersions`, each version with or without metadata.
pub(crate) fn versions(metadata: bool) -> Vec<u8> {
    let versions: Vec<Value> = (1..=VERSIONS)
        .rev()
        .map(|version| {
            let mut entry = json!({
                "version": version,
                "manifest_path": format!(
                    "warehouse/prod/users.lance/_versions/{:020}.manifest",
                    u64::MAX - version as u64
                ),
                "manifest_size": 4096 + version,
                "e_tag": format!("\"{version:032x}\""),
                "timestamp_millis": 1_760_000_000_000_u64 + 60_000 * version as u64,
            });
            if metadata {
                entry["metadata"] = json!({ "writer": "ingest-7", "operation": "Append" });
            }
            entry
        })
        .collect();
    json!({ "versions": versions }).to_string().into_bytes()
}

/// The body of `InsertIntoTable`.
pub(crate) fn inserted() -> Vec<u8> {
    json!({ "version": INSERTED }).to_string().into_bytes()
}
