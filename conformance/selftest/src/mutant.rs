//! What a mutant is.

use axum::Router;

/// A server that is broken in one way.
#[derive(Clone, Copy)]
pub struct Mutant {
    /// What the server does, in kebab case.
    pub name: &'static str,
    /// What the server does, in one sentence.
    pub does: &'static str,
    /// The scenarios that are played against it, as patterns.
    pub scenarios: &'static [&'static str],
    /// The requirements that the suite must report as broken, whatever the seed.
    pub breaks: &'static [&'static str],
    /// The requirements that it may report besides, since they depend on who comes first; no
    /// others.
    pub may_break: &'static [&'static str],
    /// The requirements that it must be warned of: what is broken is only recommended. Other
    /// warnings may come with it.
    pub warns: &'static [&'static str],
    /// Puts the fault before an honest router.
    pub wrap: fn(Router) -> Router,
}

/// A server that breaks just these requirements.
pub(crate) const fn breaking(
    name: &'static str,
    does: &'static str,
    scenarios: &'static [&'static str],
    breaks: &'static [&'static str],
    wrap: fn(Router) -> Router,
) -> Mutant {
    Mutant {
        name,
        does,
        scenarios,
        breaks,
        may_break: &[],
        warns: &[],
        wrap,
    }
}

impl std::fmt::Debug for Mutant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mutant")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
