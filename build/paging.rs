//! Paging: what the listings of the SDK need to know of each paged operation.

use std::error::Error;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use serde_json::Value;

use super::openapi::listing::{Item, Listing, Shape, listings};
use super::openapi::operations::Operation;
use super::{ident, snake};

/// The implementations of `Paged`, one for the request model of each paged operation.
pub(crate) fn generate(
    document: &Value,
    operations: &[Operation],
) -> Result<TokenStream, Box<dyn Error>> {
    let listings = listings(document, operations)?;
    let mut code = TokenStream::new();
    for (index, operation) in operations.iter().enumerate() {
        let found = listings
            .iter()
            .find(|known| known.operation == operation.id);
        if let Some(listing) = found {
            code.extend(paged(operation, index, listing));
        }
    }
    Ok(quote! {
        use super::facade::OPERATIONS;
        use crate::operation::Operation;
        use crate::page::sealed::{Call, Listing, by_name};
        use crate::page::Paged;
        use crate::{Client, models};

        #code
    })
}

fn paged(operation: &Operation, index: usize, listing: &Listing) -> TokenStream {
    let index = Literal::usize_unsuffixed(index);
    let request = format_ident!("{}", operation.request);
    let response = format_ident!("{}", operation.response);
    let method = format_ident!("{}", snake(&operation.id));
    let item = match &listing.item {
        Item::Text => quote!(String),
        Item::Model(name) => {
            let model = format_ident!("{name}");
            quote!(models::#model)
        }
    };
    let property = ident(&listing.property);
    let mut items = quote!(page.#property);
    if !listing.required {
        items.extend(quote!(.unwrap_or_default()));
    }
    let (item, items) = match listing.shape {
        Shape::List => (item, items),
        Shape::Map => (quote!((String, #item)), quote!(by_name(#items))),
    };
    quote! {
        impl Paged for models::#request {
            type Page = models::#response;
            type Item = #item;
        }

        impl Listing for models::#request {
            const OPERATION: &'static Operation = &OPERATIONS[#index];

            fn page_token(&mut self) -> &mut Option<String> {
                &mut self.page_token
            }

            fn limit(&mut self) -> &mut Option<i64> {
                &mut self.limit
            }

            fn ask(self, client: Client) -> Call<models::#response> {
                Box::pin(async move { client.#method(&self).await })
            }

            fn next(page: &models::#response) -> Option<&str> {
                page.page_token.as_deref()
            }

            fn items(page: models::#response) -> Vec<#item> {
                #items
            }
        }
    }
}
