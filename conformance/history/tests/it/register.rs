//! One version, put to stateright's own register.

use lance_namespace_history::operation::{Answer, Call, History, Outcome, Refusal};
use stateright::semantics::write_once_register::{WORegister, WORegisterOp, WORegisterRet};
use stateright::semantics::{ConsistencyTester, LinearizabilityTester};

/// Whether stateright finds an order of creates and describes of one version. None if there is anything
/// else in the history.
pub(crate) fn is_linearizable_register(history: &History) -> Option<bool> {
    let mut tester = LinearizabilityTester::new(WORegister(None::<String>));
    let mut events = Vec::new();
    for (at, operation) in history.operations.iter().enumerate() {
        let call = match &operation.call {
            Call::CreateVersion(put) => WORegisterOp::Write(put.entry.entry.clone()),
            Call::DescribeVersion {
                version: Some(_), ..
            } => WORegisterOp::Read,
            _ => return None,
        };
        events.push((operation.start, 0, at, call.clone()));
        if operation.outcome != Outcome::Unknown {
            events.push((operation.end, 1, at, call));
        }
    }
    events.sort_by_key(|(time, kind, at, _)| (*time, *kind, *at));
    for (_, kind, at, call) in events {
        let operation = &history.operations[at];
        let thread = match operation.outcome {
            Outcome::Unknown => 1_000 + at,
            _ => operation.client as usize,
        };
        let told = if kind == 0 {
            tester.on_invoke(thread, call).map(|_| ())
        } else {
            let answer = match &operation.outcome {
                Outcome::Ok(Answer::Entry(entry)) => {
                    WORegisterRet::ReadOk(Some(entry.entry.clone()))
                }
                Outcome::Ok(_) => WORegisterRet::WriteOk,
                Outcome::Refused(Refusal::Exists) => WORegisterRet::WriteFail,
                Outcome::Refused(_) => WORegisterRet::ReadOk(None),
                Outcome::Unknown => return None,
            };
            tester.on_return(thread, answer).map(|_| ())
        };
        told.expect("a client has one call at a time");
    }
    Some(tester.is_consistent())
}
