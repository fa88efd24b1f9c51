//! progenitor's client: run, split from the models, and its two shortcomings on this protocol mended.

use std::collections::BTreeMap;
use std::error::Error;

use proc_macro2::{Group, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use serde_json::Value;
use syn::visit_mut::VisitMut;
use syn::{Attribute, File, FnArg, ImplItem, ImplItemFn, Item, Pat, Type, Visibility, parse_quote};

use super::openapi::document::STREAM;
use super::openapi::operations::{ARROW_STREAM, Body, Operation};
use super::snake;

/// What progenitor made, in two parts.
pub(crate) struct Generated {
    pub(crate) models: Vec<Item>,
    pub(crate) client: File,
}

/// Runs progenitor on a converted document.
pub(crate) fn generate(document: Value) -> Result<Generated, Box<dyn Error>> {
    let document = serde_json::from_value(document)
        .map_err(|error| format!("the converted document is not OpenAPI 3.0: {error}"))?;
    let mut settings = progenitor::GenerationSettings::new();
    settings
        .with_hooks(progenitor::HooksMode::Expected)
        .with_inner_type(quote!(crate::exchange::Sending))
        .with_derive("PartialEq");
    let tokens = progenitor::Generator::new(&settings).generate_tokens(&document)?;
    let mut client: File = syn::parse2(tokens)?;
    let mut models = Vec::new();
    for item in std::mem::take(&mut client.items) {
        match item {
            Item::Mod(module) if module.ident == "types" => {
                models = module.content.map(|(_, items)| items).unwrap_or_default();
            }
            // The imports are written anew in `refine`, and nothing needs the prelude.
            Item::Use(_) => {}
            Item::Mod(module) if module.ident == "prelude" => {}
            // A check that the hooks exist; their calls check it too.
            Item::Const(_) => {}
            other => client.items.push(other),
        }
    }
    Ok(Generated { models, client })
}

/// The parameters of each method, in order.
pub(crate) type Methods = BTreeMap<String, Vec<(String, Type)>>;

/// The methods of the client, by name.
pub(crate) fn methods(client: &File) -> Result<Methods, Box<dyn Error>> {
    let mut methods = Methods::new();
    for function in functions(client) {
        let mut parameters = Vec::new();
        for input in &function.sig.inputs {
            if let FnArg::Typed(typed) = input {
                let Pat::Ident(name) = &*typed.pat else {
                    return Err(
                        format!("{} has a parameter without a name", function.sig.ident).into(),
                    );
                };
                parameters.push((name.ident.to_string(), (*typed.ty).clone()));
            }
        }
        methods.insert(function.sig.ident.to_string(), parameters);
    }
    Ok(methods)
}

fn functions(client: &File) -> impl Iterator<Item = &ImplItemFn> {
    client
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Impl(block) if block.trait_.is_none() => Some(&block.items),
            _ => None,
        })
        .flatten()
        .filter_map(|item| match item {
            ImplItem::Fn(function) if function.sig.asyncness.is_some() => Some(function),
            _ => None,
        })
}

/// The client as a private module of the SDK.
pub(crate) fn refine(
    mut client: File,
    operations: &[Operation],
) -> Result<TokenStream, Box<dyn Error>> {
    Private.visit_file_mut(&mut client);
    let mut arrow: Vec<String> = operations
        .iter()
        .filter(|operation| operation.body == Body::Arrow)
        .map(|operation| snake(&operation.id))
        .collect();
    for item in &mut client.items {
        let Item::Impl(block) = item else { continue };
        // `new` has a total timeout, which would cut a stream, and panics.
        block
            .items
            .retain(|item| !matches!(item, ImplItem::Fn(function) if function.sig.ident == "new"));
        for item in &mut block.items {
            let ImplItem::Fn(function) = item else {
                continue;
            };
            let name = function.sig.ident.to_string();
            let (tokens, replaced) = restore_arrow(function.block.to_token_stream());
            let expected = usize::from(arrow.contains(&name));
            if replaced != expected {
                return Err(format!(
                    "{name} names {STREAM} {replaced} times, not {expected}: the generator has \
                     changed how it sends streams; adapt build/wire.rs"
                )
                .into());
            }
            arrow.retain(|left| left != &name);
            function.block = syn::parse2(tokens)?;
        }
    }
    if !arrow.is_empty() {
        return Err(format!("no generated method sends an Arrow stream for {arrow:?}").into());
    }
    Ok(quote! {
        use progenitor_client::{
            ByteStream, ClientHooks, ClientInfo, Error, OperationInfo, ResponseValue,
        };

        // progenitor's own `encode_path` lets `\` through, which then separates segments.
        use crate::id::encode as encode_path;
        use crate::models as types;

        #client
    })
}

/// Replaces the stand-in of a streamed body by the media type of the protocol.
fn restore_arrow(tokens: TokenStream) -> (TokenStream, usize) {
    let stand_in = Literal::string(STREAM).to_string();
    let mut replaced = 0;
    let tokens = tokens
        .into_iter()
        .map(|tree| match tree {
            TokenTree::Literal(literal) if literal.to_string() == stand_in => {
                replaced += 1;
                TokenTree::Literal(Literal::string(ARROW_STREAM))
            }
            TokenTree::Group(group) => {
                let (inner, count) = restore_arrow(group.stream());
                replaced += count;
                TokenTree::Group(Group::new(group.delimiter(), inner))
            }
            other => other,
        })
        .collect();
    (tokens, replaced)
}

/// Makes everything private to the crate and leaves out attributes that a private module does not
/// need: documentation, and `allow`s, for which the including module answers.
struct Private;

impl VisitMut for Private {
    fn visit_visibility_mut(&mut self, visibility: &mut Visibility) {
        if matches!(visibility, Visibility::Public(_)) {
            *visibility = parse_quote!(pub(crate));
        }
    }

    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|attribute| {
            !attribute.path().is_ident("allow") && !attribute.path().is_ident("doc")
        });
    }
}
