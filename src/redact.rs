//! Stand-ins for secrets in `Debug` output.

use std::collections::HashMap;
use std::fmt;

/// A value that is there and not shown.
pub(crate) struct Hidden;

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[hidden]")
    }
}

/// A map of which only the keys are shown, in order.
pub(crate) struct Keys<'a>(pub(crate) &'a HashMap<String, String>);

impl fmt::Debug for Keys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut keys: Vec<&String> = self.0.keys().collect();
        keys.sort();
        f.debug_map()
            .entries(keys.into_iter().map(|key| (key, Hidden)))
            .finish()
    }
}
