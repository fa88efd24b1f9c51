//! Sentences of the catalogue as HTML.

use maud::{Markup, html};

/// A sentence; what stands in backticks is code.
pub(super) fn prose(sentence: &str) -> Markup {
    html! {
        @for (place, part) in sentence.split('`').enumerate() {
            @if place % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}
