//! From openapi.yml to Rust: convert, generate with progenitor, refine, check.

mod docs;
mod facade;
mod models;
mod nested;
mod openapi;
mod paging;
mod setters;
mod wire;

use std::error::Error;

use heck::ToSnakeCase;
use openapi::document::{Converted, convert};
use proc_macro2::{Ident, Span, TokenStream};
use serde_json::Value;

/// The generated files, by name.
pub(crate) fn generate(source: &str) -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
    // Errors of a document read straight into its types point at the wrong line.
    let source: Value = yaml_serde::from_str(source)
        .map_err(|error| format!("openapi.yml is not YAML: {error}"))?;
    let Converted {
        document,
        operations,
    } = convert(&source)?;
    let required = models::Required::read(&document);
    let generated = wire::generate(document.clone())?;
    let methods = wire::methods(&generated.client)?;
    let docs = docs::Docs::read(&source, &operations);
    let paging = paging::generate(&document, &operations)?;
    let models = models::refine(generated.models, &docs, &required, &operations)?;
    let wire = wire::refine(generated.client, &operations)?;
    let facade = facade::generate(&document, &operations, &methods, &required, &docs)?;
    Ok(vec![
        ("models.rs", print(models)?),
        ("wire.rs", print(wire)?),
        ("facade.rs", print(facade)?),
        ("paging.rs", print(paging)?),
    ])
}

fn print(code: TokenStream) -> Result<String, Box<dyn Error>> {
    Ok(prettyplease::unparse(&syn::parse2(code)?))
}

/// The name of a method or a field, as progenitor writes it.
fn snake(name: &str) -> String {
    let name = name.to_snake_case();
    match syn::parse_str::<Ident>(&name) {
        Ok(_) => name,
        Err(_) => format!("{name}_"),
    }
}

fn ident(name: &str) -> Ident {
    Ident::new(&snake(name), Span::call_site())
}
