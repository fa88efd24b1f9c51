//! The family `data` against the data plane in memory, since the reference server has none: here
//! its golden transcripts are recorded.

use lance_namespace_selftest::data_plane;
use lance_namespace_selftest::trial::serve;
use lance_namespace_suite::play::{Played, Rules, Status, play};
use lance_namespace_suite::scenario::Tier;
use lance_namespace_suite::scenarios;
use lance_namespace_suite::session::Session;
use lance_namespace_suite::target::Target;

#[tokio::test(flavor = "multi_thread")]
async fn an_honest_data_plane_writes_the_golden_transcripts() {
    let served = serve(data_plane::over).await;
    let target = Target::new(served.url()).unwrap();
    let session = Session::open(target, 7).await.unwrap();
    // Whoever records them has no golden ones yet.
    let rules = Rules {
        golden: false,
        ..Rules::default()
    };
    let mut others = Vec::new();
    for (number, scenario) in scenarios::all() {
        if scenario.tier != Tier::Data {
            continue;
        }
        let played = play(&session, scenario, number, &rules).await;
        match played.status {
            Status::Pass => compare(&played),
            status => others.push((scenario.id, status, played.findings, played.reason)),
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}

/// Compares a transcript with the golden one, in `suite/snapshots/data/NAME.snap`.
fn compare(played: &Played) {
    let (family, name) = played.scenario.id.split_once('/').unwrap();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(format!("../../../suite/snapshots/{family}"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, played.transcript));
}
