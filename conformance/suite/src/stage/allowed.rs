//! What the server is declared not to allow: a scenario ends before it asks for that.

use super::Stage;
use crate::call::Call;
use crate::names::{self, Made};
use crate::scenario::Given;
use crate::support::PROBE;

impl Stage {
    /// Ends the scenario before a call that the server is declared not to allow: this never comes
    /// back then.
    pub(super) async fn ends_if_not_allowed(&self, call: &Call) {
        // Whether a server has an operation is asked all the same: it says so itself.
        if self.0.scenario.id == PROBE.id {
            return;
        }
        let target = self.target();
        let (delimiter, parent) = (target.delimiter(), target.parent().len());
        let lacks = target.names().lacks(call, delimiter, parent);
        let lacks = lacks.or_else(|| self.lacks_its_own(call));
        if let Some(lacks) = lacks {
            self.0.lacks.send_replace(Some(lacks));
            std::future::pending::<()>().await;
        }
    }

    /// What a call would need for a namespace of the scenario's own, where it has none: to ask for what
    /// others have there too, or to make there what does not bear its name.
    fn lacks_its_own(&self, call: &Call) -> Option<Given> {
        let place = self.place();
        if !place.is_shared() {
            return None;
        }
        let id = call.id.as_deref().unwrap_or_default();
        let of_namespace = call.operation.path.contains("/namespace/") && id == place.id;
        let of_all = call.operation.id == "ListAllTables";
        let asks = of_namespace || of_all;
        let made = names::made(call, self.target().delimiter());
        let beside = |made: &Made| !place.holds(made.id());
        (asks || made.iter().any(beside)).then_some(Given::Depth)
    }

    /// Waits until a step needs what the server is declared not to allow.
    pub(crate) async fn lacks(&self) -> Given {
        let mut lacks = self.0.lacks.subscribe();
        // The stage itself can send as long as this waits.
        let lacks = lacks.wait_for(Option::is_some).await;
        match lacks.ok().and_then(|lacks| *lacks) {
            Some(lacks) => lacks,
            None => std::future::pending().await,
        }
    }
}
