//! The generated models, refined: open for later fields, lenient in reading, silent on secrets.

use std::collections::BTreeMap;
use std::error::Error;

use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;
use syn::{Attribute, Field, Fields, Item, ItemStruct, LitStr, Type, parse_quote};

use super::docs::Docs;
use super::openapi::operations::{Answer, Operation};
use super::setters;

/// Texts that are secrets wherever they stand.
const SECRET_TEXTS: [&str; 2] = ["api_key", "auth_token"];
/// Maps whose values may be secrets: headers, and what opens a store.
const SECRET_MAPS: [&str; 2] = ["context", "storage_options"];

/// The required properties of each model, in the document's order.
pub(crate) struct Required(BTreeMap<String, Vec<String>>);

impl Required {
    /// Reads them from a converted document.
    pub(crate) fn read(document: &Value) -> Self {
        let schemas = document["components"]["schemas"].as_object();
        let of = |schema: &Value| -> Vec<String> {
            let names = schema["required"].as_array().into_iter().flatten();
            names.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Self(
            schemas
                .into_iter()
                .flatten()
                .map(|(name, schema)| (name.clone(), of(schema)))
                .collect(),
        )
    }

    /// Whether `property` of `model` is required.
    pub(crate) fn contains(&self, model: &str, property: &str) -> bool {
        self.position(model, property).is_some()
    }

    fn position(&self, model: &str, property: &str) -> Option<usize> {
        let names = self.0.get(model)?;
        names.iter().position(|name| name == property)
    }
}

/// A field of a model, looked at.
pub(crate) struct Property {
    pub(crate) field: Field,
    /// Its name in the protocol.
    pub(crate) name: String,
    /// Its type without `Option`.
    pub(crate) inner: Type,
    pub(crate) optional: bool,
    /// Required and nullable: `null` is sent where nothing is set.
    pub(crate) sent_as_null: bool,
}

/// The models as a public module of the SDK.
pub(crate) fn refine(
    items: Vec<Item>,
    docs: &Docs,
    required: &Required,
    operations: &[Operation],
) -> Result<TokenStream, Box<dyn Error>> {
    let mut code = TokenStream::new();
    let mut names = Vec::new();
    for item in items {
        match item {
            Item::Struct(model) => {
                names.push(model.ident.to_string());
                code.extend(refine_model(model, docs, required)?);
            }
            // Conversion errors belong to types that check their values; the conversion of the
            // document leaves none.
            Item::Mod(module) if module.ident == "error" => {}
            other => {
                return Err(format!(
                    "the generator made something else than a struct of a model; adapt \
                     build/openapi/schema.rs so that it does not arise: {}",
                    quote!(#other)
                )
                .into());
            }
        }
    }
    for operation in operations {
        if operation.answer == Answer::Arrow {
            continue;
        }
        if !names.contains(&operation.response) {
            return Err(format!("{} answers a model that was not generated", operation.id).into());
        }
    }
    code.extend(contexts(operations));
    Ok(code)
}

fn refine_model(
    mut model: ItemStruct,
    docs: &Docs,
    required: &Required,
) -> Result<TokenStream, Box<dyn Error>> {
    let name = model.ident.to_string();
    let mut properties = look(&model)?;
    let request = properties.iter().any(|known| known.name == "identity");
    for property in &mut properties {
        property.field.attrs = attributes(property, request)?;
        property
            .field
            .attrs
            .push(doc(&docs.of_property(&name, &property.name)));
    }
    // The order of `required` in the document is the order in which `new` takes its arguments.
    let mut arguments: Vec<&Property> = properties.iter().filter(|known| !known.optional).collect();
    arguments.sort_by_key(|known| required.position(&name, &known.name));

    let secret = properties.iter().any(is_secret);
    let debug = secret.then(|| debug(&model.ident, &properties));
    let derive_debug = (!secret).then(|| quote!(Debug,));
    let derive_default = arguments.is_empty().then(|| quote!(Default,));
    let constructors = setters::generate(&model.ident, &arguments, &properties)?;
    let fields = properties.iter().map(|property| &property.field);
    let ident = &model.ident;
    model.attrs = vec![doc(&docs.of_model(&name))];
    let attributes = &model.attrs;
    Ok(quote! {
        #(#attributes)*
        #[derive(Clone, #derive_debug #derive_default PartialEq)]
        #[derive(::serde::Deserialize, ::serde::Serialize)]
        #[non_exhaustive]
        pub struct #ident { #(#fields,)* }

        #debug

        #constructors
    })
}

fn look(model: &ItemStruct) -> Result<Vec<Property>, Box<dyn Error>> {
    let Fields::Named(fields) = &model.fields else {
        return Err(format!("{} has no named fields", model.ident).into());
    };
    fields
        .named
        .iter()
        .map(|field| {
            let (inner, optional) = match argument(&field.ty, "Option") {
                Some(inner) => (inner.clone(), true),
                None => (field.ty.clone(), false),
            };
            let serde = serde(field)?;
            Ok(Property {
                name: serde.name,
                field: field.clone(),
                inner,
                optional,
                sent_as_null: optional && !serde.left_out,
            })
        })
        .collect()
}

/// What the generator's attributes say of a field.
struct Serde {
    /// Its name in JSON.
    name: String,
    /// Whether it is left out of JSON when nothing is set.
    left_out: bool,
}

fn serde(field: &Field) -> Result<Serde, Box<dyn Error>> {
    let ident = field.ident.as_ref().map(ToString::to_string);
    let mut serde = Serde {
        name: ident.unwrap_or_default(),
        left_out: false,
    };
    let attributes = field.attrs.iter();
    for attribute in attributes.filter(|known| known.path().is_ident("serde")) {
        attribute.parse_nested_meta(|meta| {
            if let Ok(value) = meta.value() {
                let value: LitStr = value.parse()?;
                if meta.path.is_ident("rename") {
                    serde.name = value.value();
                }
            }
            serde.left_out |= meta.path.is_ident("skip_serializing_if");
            Ok(())
        })?;
    }
    Ok(serde)
}

/// The serde attributes of a field, written anew.
fn attributes(property: &Property, request: bool) -> Result<Vec<Attribute>, Box<dyn Error>> {
    let mut attributes: Vec<Attribute> = Vec::new();
    let field = property.field.ident.as_ref().map(ToString::to_string);
    if field.as_deref() != Some(&property.name) {
        let name = &property.name;
        attributes.push(parse_quote!(#[serde(rename = #name)]));
    }
    // In a request both travel as headers; in an answer the context is part of the body.
    if request && ["identity", "context"].contains(&property.name.as_str()) {
        attributes.push(parse_quote!(#[serde(default, skip_serializing)]));
        return Ok(attributes);
    }
    if property.sent_as_null {
        attributes.push(parse_quote!(#[serde(default)]));
    } else if property.optional {
        attributes.push(parse_quote!(#[serde(default, skip_serializing_if = "Option::is_none")]));
    }
    let reader = match (
        property.optional,
        is(&property.inner, "HashMap"),
        is(&property.inner, "Vec"),
    ) {
        (true, true, _) => Some("crate::lenient::optional_map"),
        (false, true, _) => Some("crate::lenient::map"),
        (false, _, true) => Some("crate::lenient::list"),
        _ => None,
    };
    let values = argument(&property.inner, "HashMap");
    // A map of text has a reader of its own, which is faster.
    let reader = match (reader, values) {
        (Some("crate::lenient::optional_map"), Some(value)) if is(value, "String") => {
            Some("crate::lenient::optional_texts")
        }
        (reader, _) => reader,
    };
    // A map whose values may be null keeps them.
    let nullable_values = values.is_some_and(|value| is(value, "Option"));
    if let Some(reader) = reader.filter(|_| !nullable_values) {
        attributes.push(parse_quote!(#[serde(deserialize_with = #reader)]));
    }
    Ok(attributes)
}

fn is_secret(property: &Property) -> bool {
    let name = property.name.as_str();
    SECRET_TEXTS.contains(&name) || SECRET_MAPS.contains(&name)
}

/// `Debug` that says that a secret is there, not what it is.
fn debug(model: &syn::Ident, properties: &[Property]) -> TokenStream {
    let fields = properties.iter().map(|property| {
        let field = &property.field.ident;
        let name = field.as_ref().map(ToString::to_string);
        match property.name.as_str() {
            text if SECRET_TEXTS.contains(&text) => {
                quote!(.field(#name, &self.#field.as_ref().map(|_| crate::redact::Hidden)))
            }
            map if SECRET_MAPS.contains(&map) => {
                quote!(.field(#name, &self.#field.as_ref().map(crate::redact::Keys)))
            }
            _ => quote!(.field(#name, &self.#field)),
        }
    });
    let name = model.to_string();
    quote! {
        impl ::std::fmt::Debug for #model {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_struct(#name)#(#fields)*.finish()
            }
        }
    }
}

/// Lets the SDK put the headers of an answer into its context.
fn contexts(operations: &[Operation]) -> TokenStream {
    let mut models: Vec<&String> = operations
        .iter()
        .filter(|operation| operation.answer != Answer::Arrow)
        .map(|operation| &operation.response)
        .collect();
    models.sort();
    models.dedup();
    let impls = models.into_iter().map(|model| {
        let model = quote::format_ident!("{model}");
        quote! {
            impl crate::context::CarriesContext for #model {
                fn context_mut(
                    &mut self,
                ) -> &mut Option<::std::collections::HashMap<String, String>> {
                    &mut self.context
                }
            }
        }
    });
    quote!(#(#impls)*)
}

/// The last type argument of `ty` if it is a `wrapper`.
pub(crate) fn argument<'a>(ty: &'a Type, wrapper: &str) -> Option<&'a Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if last.ident != wrapper {
        return None;
    }
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.last()? {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

/// Whether `ty` is a `wrapper`, whatever its arguments.
pub(crate) fn is(ty: &Type, wrapper: &str) -> bool {
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == wrapper),
        _ => false,
    }
}

fn doc(text: &str) -> Attribute {
    let text = format!(" {}", text.replace('\n', "\n "));
    parse_quote!(#[doc = #text])
}
