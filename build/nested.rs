//! Identifiers within a batch, which has none on its path: they keep the same rules.

use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;

use super::ident;

/// How deep models of a batch may lie within each other. Models can contain themselves.
const DEPTH: usize = 4;

/// Code that checks each identifier within `value`, a model of the converted document.
pub(crate) fn checks(document: &Value, model: &str, value: &TokenStream) -> TokenStream {
    below(document, model, value, DEPTH)
}

fn below(document: &Value, model: &str, value: &TokenStream, depth: usize) -> TokenStream {
    let schema = &document["components"]["schemas"][model];
    let required = schema["required"].as_array();
    let mut code = TokenStream::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let field = ident(name);
        let always = required.is_some_and(|names| names.iter().any(|known| known == name));
        if name == "id" && property["type"] == "array" {
            code.extend(match always {
                true => quote!(exchange.nested(Some(&#value.#field))?;),
                false => quote!(exchange.nested(#value.#field.as_deref())?;),
            });
            continue;
        }
        let list = property["type"] == "array";
        let place = if list { &property["items"] } else { property };
        let Some(inner) = model_of(place).filter(|_| depth > 0) else {
            continue;
        };
        let checks = below(document, inner, &quote!(inner), depth - 1);
        if checks.is_empty() {
            continue;
        }
        code.extend(match (list, always) {
            (true, true) => quote!(for inner in &#value.#field { #checks }),
            (true, false) => quote!(for inner in #value.#field.iter().flatten() { #checks }),
            (false, true) => quote!({ let inner = &#value.#field; #checks }),
            (false, false) => quote!(if let Some(inner) = &#value.#field { #checks }),
        });
    }
    code
}

fn model_of(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}
