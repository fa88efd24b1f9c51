//! progenitor's client: run, split from the models, and made into what writes requests. Sending them
//! is the SDK's, which has to know more of an attempt than progenitor's hooks are told.

use std::collections::BTreeMap;
use std::error::Error;

use proc_macro2::{Group, Ident, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use serde_json::Value;
use syn::visit_mut::VisitMut;
use syn::{
    Attribute, Expr, ExprMethodCall, File, FnArg, ImplItem, ImplItemFn, Item, Pat, Stmt, Type,
    Visibility, parse_quote,
};

use super::models::argument;
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
    settings.with_derive("PartialEq");
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
            // Hooks, and what they see of the client.
            Item::Impl(block) if block.trait_.is_some() => {}
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
    // The SDK has a client of its own, whose time-outs cut no stream.
    client.items.retain(|item| !matches!(item, Item::Struct(_)));
    for item in &mut client.items {
        let Item::Impl(block) = item else { continue };
        block.items.retain(
            |item| matches!(item, ImplItem::Fn(function) if function.sig.asyncness.is_some()),
        );
        for item in &mut block.items {
            let ImplItem::Fn(function) = item else {
                continue;
            };
            let name = function.sig.ident.to_string();
            function.sig.asyncness = None;
            write_only(function)?;
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
        // progenitor's own `encode_path` lets `\` through, which then separates segments.
        use crate::id::encode as encode_path;
        use crate::models as types;

        /// Writes requests.
        pub(crate) struct Client {
            pub(crate) client: reqwest::Client,
            /// Its path is in `baseurl`.
            pub(crate) base: reqwest::Url,
            /// The path of the base URL, without a slash at its end.
            pub(crate) baseurl: String,
        }

        #client
    })
}

/// Makes a method that sends a request into one that gives it. Of progenitor's own header,
/// `api-version`, the protocol knows nothing.
fn write_only(function: &mut ImplItemFn) -> Result<(), Box<dyn Error>> {
    let mut kept = Vec::new();
    let mut request = None;
    for statement in &function.block.stmts {
        match statement {
            Stmt::Local(local) if names(&local.pat, "url") => kept.push(statement.clone()),
            Stmt::Local(local) if names(&local.pat, "header_map") => {}
            Stmt::Expr(Expr::MethodCall(call), _) if sets_version(call) => {}
            Stmt::Local(local) if names(&local.pat, "request") => {
                request = local.init.as_ref().map(|init| (*init.expr).clone());
                break;
            }
            other => {
                return Err(changed(
                    function,
                    &format!("the statement `{}`", other.to_token_stream()),
                ));
            }
        }
    }
    let Some(Expr::Try(tried)) = request else {
        return Err(changed(function, "no fallible `request`"));
    };
    let mut request = *tried.expr;
    let mut writing = Writing {
        optional: optional(function),
        headers: 0,
        addresses: 0,
    };
    writing.visit_expr_mut(&mut request);
    if (writing.headers, writing.addresses) != (1, 1) {
        return Err(changed(
            function,
            "headers or an address set otherwise than once",
        ));
    }
    function.sig.output = parse_quote!(-> ::reqwest::Result<::reqwest::Request>);
    function.block = parse_quote!({ #(#kept)* #request });
    Ok(())
}

fn names(pattern: &Pat, name: &str) -> bool {
    matches!(pattern, Pat::Ident(given) if given.ident == name)
}

fn sets_version(call: &ExprMethodCall) -> bool {
    let header = call
        .args
        .first()
        .map(|first| first.to_token_stream().to_string());
    call.method == "append" && header.is_some_and(|header| header.contains("\"api-version\""))
}

fn changed(function: &ImplItemFn, what: &str) -> Box<dyn Error> {
    let name = &function.sig.ident;
    format!("{name} has {what}: the generator writes requests in another way; adapt build/wire.rs")
        .into()
}

/// The parameters that may be absent.
fn optional(function: &ImplItemFn) -> Vec<Ident> {
    let inputs = function.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    });
    let named = inputs.filter_map(|typed| match &*typed.pat {
        Pat::Ident(name) if argument(&typed.ty, "Option").is_some() => Some(name.ident.clone()),
        _ => None,
    });
    named.collect()
}

/// Rewrites how a request is written: without `.headers(..)`, with an address whose host is not read
/// anew each time, and with nothing done for a parameter that is absent. All but the first is for speed.
struct Writing {
    optional: Vec<Ident>,
    headers: usize,
    addresses: usize,
}

impl VisitMut for Writing {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        syn::visit_mut::visit_expr_mut(self, expression);
        let Expr::MethodCall(call) = expression else {
            return;
        };
        let receiver = &call.receiver;
        if call.method == "headers" {
            self.headers += 1;
            *expression = (**receiver).clone();
        } else if call.method == "get" || call.method == "post" {
            self.addresses += 1;
            let method = &call.method;
            *expression = parse_quote!(#receiver.#method(crate::address::at(&self.base, &url)));
        } else if call.method == "query"
            && let Some(name) = call.args.first().and_then(|value| self.absent(value))
        {
            let query = &call.args;
            *expression = parse_quote!(crate::address::with(
                #receiver,
                #name.is_some(),
                #query
            ));
        }
    }
}

impl Writing {
    /// The optional parameter that a query parameter is made of.
    fn absent(&self, value: &Expr) -> Option<Ident> {
        let Expr::Reference(reference) = value else {
            return None;
        };
        let Expr::Call(made) = &*reference.expr else {
            return None;
        };
        let Some(Expr::Reference(inner)) = made.args.last() else {
            return None;
        };
        let Expr::Path(path) = &*inner.expr else {
            return None;
        };
        let name = path.path.get_ident()?;
        self.optional.contains(name).then(|| name.clone())
    }
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
