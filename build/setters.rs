//! How models are made: `new` with what is required, `with_...` for the rest. A field that a later
//! release adds breaks neither.

use std::collections::BTreeSet;
use std::error::Error;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Ident, Type};

use super::models::{Property, argument, is};

/// The most arguments that clippy lets a function have.
const MANY: usize = 7;

/// The constructors of one model.
pub(crate) fn generate(
    model: &Ident,
    required: &[&Property],
    properties: &[Property],
) -> Result<TokenStream, Box<dyn Error>> {
    let arguments = required.iter().map(|property| {
        let field = &property.field.ident;
        let (ty, _) = taken(&property.inner, field);
        quote!(#field: #ty)
    });
    let values = required.iter().map(|property| {
        let field = &property.field.ident;
        match taken(&property.inner, field) {
            (_, None) => quote!(#field),
            (_, Some(value)) => quote!(#field: #value),
        }
    });
    let absent = properties
        .iter()
        .filter(|property| property.optional)
        .map(|property| {
            let field = &property.field.ident;
            quote!(#field: None)
        });
    let many = (required.len() > MANY).then(
        || quote!(#[expect(clippy::too_many_arguments, reason = "the protocol requires them all")]),
    );
    let doc = match required {
        [] => format!("A `{model}` in which nothing is set."),
        _ => format!("A `{model}` with what the protocol requires."),
    };
    let setters = setters(model, properties)?;
    Ok(quote! {
        impl #model {
            #[doc = #doc]
            #many
            pub fn new(#(#arguments),*) -> Self {
                Self { #(#values,)* #(#absent,)* }
            }

            #setters
        }
    })
}

fn setters(model: &Ident, properties: &[Property]) -> Result<TokenStream, Box<dyn Error>> {
    let mut names = BTreeSet::new();
    let mut setters = TokenStream::new();
    for property in properties.iter().filter(|property| property.optional) {
        let field = &property.field.ident;
        let plain = field.as_ref().map(ToString::to_string).unwrap_or_default();
        // Behind `with_` no keyword needs the underscore that sets a field apart from one.
        let base = plain.trim_end_matches('_');
        let name = match base.starts_with("with_") {
            true => format_ident!("{base}"),
            false => format_ident!("with_{base}"),
        };
        if !names.insert(name.clone()) {
            return Err(format!(
                "{model} has two properties whose setter is called `{name}`; name one of them \
                 otherwise in build/setters.rs"
            )
            .into());
        }
        let (ty, value) = taken(&property.inner, field);
        let value = value.unwrap_or_else(|| quote!(#field));
        let doc = format!("Sets `{}`.", property.name);
        setters.extend(quote! {
            #[doc = #doc]
            #[must_use]
            pub fn #name(mut self, #field: #ty) -> Self {
                self.#field = Some(#value);
                self
            }
        });
    }
    Ok(setters)
}

/// The type that a caller may give for a field of type `ty`, and the field's value made from it
/// unless it is the same.
fn taken(ty: &Type, name: &Option<Ident>) -> (TokenStream, Option<TokenStream>) {
    let (taken, value) = if is(ty, "String") {
        (quote!(impl Into<String>), quote!(#name.into()))
    } else if is(ty, "Box") {
        (quote!(impl Into<#ty>), quote!(#name.into()))
    } else if let Some(item) = argument(ty, "Vec") {
        match is(item, "String") {
            true => (
                quote!(impl IntoIterator<Item = impl Into<String>>),
                quote!(#name.into_iter().map(Into::into).collect()),
            ),
            false => (
                quote!(impl IntoIterator<Item = #item>),
                quote!(#name.into_iter().collect()),
            ),
        }
    } else if let Some(value) = argument(ty, "HashMap") {
        let (taken, value) = match is(value, "String") {
            true => (quote!(impl Into<String>), quote!(value.into())),
            false => (quote!(#value), quote!(value)),
        };
        (
            quote!(impl IntoIterator<Item = (impl Into<String>, #taken)>),
            quote!(#name.into_iter().map(|(key, value)| (key.into(), #value)).collect()),
        )
    } else {
        return (quote!(#ty), None);
    };
    (taken, Some(value))
}
