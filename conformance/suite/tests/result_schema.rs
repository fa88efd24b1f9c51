//! The JSON Schema of results is the one that is committed.

use lance_namespace_suite::result::RunResult;

#[test]
fn the_schema_of_results_is_up_to_date() {
    let committed = include_str!("../result.schema.json");
    assert!(
        committed == RunResult::json_schema(),
        "the types of a result have changed; look whether others can still read it (if not, count \
         SCHEMA up), then:\n\
         cargo run -- schema > conformance/suite/result.schema.json"
    );
}
