//! The public methods: one an operation, from a request model to a response model.

use std::error::Error;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use serde_json::Value;
use syn::Type;

use super::docs::Docs;
use super::models::{Required, argument, is};
use super::openapi::operations::{ARROW_FILE, Answer, Body, DELIMITER, Operation, Parameter};
use super::wire::Methods;
use super::{ident, nested, snake};

/// The table of operations and the methods of the client.
pub(crate) fn generate(
    document: &Value,
    operations: &[Operation],
    methods: &Methods,
    required: &Required,
    docs: &Docs,
) -> Result<TokenStream, Box<dyn Error>> {
    if operations.len() != methods.len() {
        return Err(format!(
            "the document has {} operations and the generated client {} methods",
            operations.len(),
            methods.len()
        )
        .into());
    }
    let mut table = TokenStream::new();
    let mut bodies = TokenStream::new();
    for operation in operations {
        let parameters = methods
            .get(&snake(&operation.id))
            .ok_or_else(|| format!("the generated client has no method for {}", operation.id))?;
        let Operation {
            id, method, path, ..
        } = operation;
        let accept = match operation.answer {
            Answer::Arrow => ARROW_FILE,
            _ => "application/json",
        };
        table.extend(quote!(Operation::new(#id, #method, #path, #accept),));
        let index = Literal::usize_unsuffixed(
            operations
                .iter()
                .take_while(|other| other.id != operation.id)
                .count(),
        );
        let before = match operation.path.contains("{id}") {
            true => TokenStream::new(),
            false => nested::checks(document, &operation.request, &quote!(request)),
        };
        let doc = documentation(operation, docs);
        bodies.extend(facade(
            operation, parameters, required, &index, &doc, before,
        )?);
    }
    let count = operations.len();
    Ok(quote! {
        use crate::exchange::Write;
        use crate::operation::Operation;
        use crate::{ArrowBody, ArrowStream, Client, Error, models};

        /// Every operation of the protocol, in the order of openapi.yml.
        pub(crate) static OPERATIONS: [Operation; #count] = [#table];

        /// The operations of the protocol.
        impl Client { #bodies }
    })
}

fn facade(
    operation: &Operation,
    parameters: &[(String, Type)],
    required: &Required,
    index: &Literal,
    doc: &str,
    mut before: TokenStream,
) -> Result<TokenStream, Box<dyn Error>> {
    let name = ident(&operation.id);
    let request = format_ident!("{}", operation.request);
    let mut arguments = Vec::new();
    for (parameter, ty) in parameters {
        arguments.push(match parameter.as_str() {
            DELIMITER => quote!(exchange.delimiter()),
            "body" => body(operation, required, &mut before),
            other => {
                let parameter = operation
                    .parameters
                    .iter()
                    .find(|known| snake(&known.name) == other)
                    .ok_or_else(|| {
                        format!(
                            "{} has no parameter `{other}` in the document",
                            operation.id
                        )
                    })?;
                value(operation, parameter, ty, required, &mut before)?
            }
        });
    }
    let stream = (operation.body == Body::Arrow).then(|| {
        before.extend(quote!(exchange.hold(body.into());));
        quote!(, body: impl Into<ArrowBody>)
    });
    let (answer, finish) = match &operation.answer {
        Answer::Arrow => (quote!(ArrowStream), quote!(arrow(write))),
        other => {
            let response = format_ident!("{}", operation.response);
            let finish = match other {
                Answer::Property(property) => quote!(property(#property, write)),
                _ => quote!(json(write)),
            };
            (quote!(models::#response), finish)
        }
    };
    let method = format_ident!("{}", snake(&operation.id));
    Ok(quote! {
        #[doc = #doc]
        pub async fn #name(&self, request: &models::#request #stream) -> Result<#answer, Error> {
            let exchange = self.exchange(
                &OPERATIONS[#index],
                request.identity.as_ref(),
                request.context.as_ref(),
            )?;
            #before
            let write: Write<'_> = &|| exchange.wire().#method(#(#arguments),*);
            exchange.#finish.await
        }
    })
}

fn body(operation: &Operation, required: &Required, before: &mut TokenStream) -> TokenStream {
    match &operation.body {
        Body::Property(property, _) => {
            let field = ident(property);
            match required.contains(&operation.request, property) {
                true => quote!(&request.#field),
                false => {
                    before.extend(quote! {
                        let #field = exchange.required(#property, request.#field.as_ref())?;
                    });
                    quote!(#field)
                }
            }
        }
        Body::Arrow => quote!(exchange.upload()),
        Body::None | Body::Request => quote!(request),
    }
}

/// The value of a parameter, taken from the request model.
fn value(
    operation: &Operation,
    parameter: &Parameter,
    ty: &Type,
    required: &Required,
    before: &mut TokenStream,
) -> Result<TokenStream, Box<dyn Error>> {
    let name = parameter.name.as_str();
    let field = ident(name);
    let always = required.contains(&operation.request, name);
    let (wanted, optional) = match argument(ty, "Option") {
        Some(inner) => (inner, true),
        None => (ty, false),
    };
    if parameter.in_path {
        let given = match always {
            true => quote!(Some(&request.#field)),
            false => quote!(request.#field.as_deref()),
        };
        let checked = match name {
            "id" => quote!(exchange.identifier(#given)?),
            _ => quote!(exchange.segment(#name, #given)?),
        };
        before.extend(quote!(let #field = #checked;));
        return Ok(quote!(#field));
    }
    if parameter.as_json {
        let given = match always {
            true => quote!(Some(&request.#field)),
            false => quote!(request.#field.as_ref()),
        };
        before.extend(quote!(let #field = exchange.json_text(#name, #given)?;));
        return match optional {
            true => Ok(quote!(#field.as_deref())),
            false => Err(format!("{}: `{name}` is a map and required", operation.id).into()),
        };
    }
    let borrowed = matches!(wanted, Type::Reference(_));
    let text = matches!(wanted, Type::Reference(reference) if is(&reference.elem, "str"));
    let given = match (always, borrowed, text) {
        (true, true, _) => quote!(Some(&request.#field)),
        (true, false, _) => quote!(Some(request.#field)),
        (false, true, true) => quote!(request.#field.as_deref()),
        (false, true, false) => quote!(request.#field.as_ref()),
        (false, false, _) => quote!(request.#field),
    };
    if optional {
        return Ok(given);
    }
    before.extend(quote!(let #field = exchange.required(#name, #given)?;));
    Ok(quote!(#field))
}

fn documentation(operation: &Operation, docs: &Docs) -> String {
    let (text, mut errors) = docs.of_operation(operation);
    if !errors.is_empty() {
        errors.push_str("\n\n");
    }
    let body = match operation.body {
        Body::Arrow => {
            "\n\n`body` is an Arrow IPC stream, of bytes or as it comes. The request's timeout begins \
             when it has been sent."
        }
        _ => "",
    };
    let statuses: Vec<String> = operation
        .statuses
        .iter()
        .map(|status| format!("`{status}`"))
        .collect();
    let statuses = statuses.join(", ");
    let text = format!(
        "{text}\n\n`{}`: `{} {}`, answered with {statuses}.{body}\n\n# Errors\n\n\
         {errors}An [`Error`] when the request cannot be sent as it is, when the server does not \
         answer or refuses, or when its answer cannot be read.",
        operation.id, operation.method, operation.path
    );
    format!(" {}", text.replace('\n', "\n "))
}
