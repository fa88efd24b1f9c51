//! What the scenarios cover of the protocol, as an honest server with every operation shows it.

use lance_namespace_selftest::data_plane;
use lance_namespace_selftest::trial::trial;
use lance_namespace_suite::coverage::{Coverage, KEPT};
use lance_namespace_suite::plan::Plan;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../suite/coverage.md");

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: .ci/selftest plays it"]
async fn coverage_is_as_it_is_kept_and_of_every_operation() {
    let plan = Plan::new(&[], &[]).unwrap();
    let run = trial(&plan, 1, data_plane::over).await;
    let coverage = Coverage::of(&run.played);
    assert_eq!(coverage.missing(), Vec::<&str>::new(), "never asked for");
    let table = coverage.to_string();
    // As the golden transcripts are recorded.
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(TABLE, &table).unwrap();
        return;
    }
    assert!(
        table == KEPT,
        "coverage.md is out of date: INSTA_UPDATE=always .ci/selftest coverage\n{}",
        lance_namespace_suite::golden::diff(KEPT, &table)
    );
}
