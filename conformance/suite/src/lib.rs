//! The scenarios and the engine of the Lance Namespace conformance suite.
//!
//! A [`Plan`](plan::Plan) chooses [`Scenario`](scenario::Scenario)s; [`certify`](run::certify)
//! plays them against a [`Target`](target::Target) over HTTP and answers a [`Run`](run::Run) with
//! a verdict. Each scenario writes a transcript, one line a step, and is compared with the golden
//! one; whatever differs is a finding that cites a [`Requirement`](requirement::Requirement).

pub mod answer;
pub mod call;
pub mod calls;
pub mod cleanup;
mod codes;
pub mod coverage;
pub mod declaration;
pub mod doctor;
pub mod entry;
pub mod exchange;
pub mod exit;
pub mod expectation;
pub mod golden;
pub mod halt;
#[cfg(feature = "harness")]
pub mod harness;
pub mod history;
pub mod instance;
pub mod log;
pub mod names;
pub mod namespace;
pub mod outcome;
pub mod pages;
pub mod part;
pub mod plan;
pub mod play;
pub mod protocol;
pub mod proxy;
pub mod race;
pub mod report;
pub mod requirement;
pub mod result;
pub mod rows;
pub mod run;
pub mod scenario;
pub mod scenarios;
mod sdk;
pub mod server;
pub mod session;
pub mod soak;
pub mod stage;
pub mod staging;
pub mod steps;
mod support;
pub mod survey;
pub mod target;
mod tier;
pub mod timing;
mod validity;
pub mod wire;
pub mod workload;
