//! Authentication: who is not known is refused, and changes nothing.

mod effects;
mod identity;
mod refused;
mod requests;

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] =
    &[refused::SCENARIOS, effects::SCENARIOS, identity::SCENARIOS];
