//! Listings: every item once and in order, whatever the pages are like, and never without an end.

use std::pin::Pin;

use futures::stream::FusedStream;
use futures::{FutureExt, Stream, StreamExt, TryStreamExt};
use lance_namespace_client::models::*;
use lance_namespace_client::{Client, Error, ErrorKind, Items, Paged, Pages};
use proptest::prelude::*;
use serde_json::{Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::conversion::openapi::document::convert;
use crate::conversion::openapi::listing::listings;
use crate::pages::{
    limits, names, page, requests, sent, sent_limit, sent_token, served, serving, serving_pages,
    serving_tokens, token,
};
use crate::sample::{Amount, answer, document};
use crate::server::{answering, client};

fn tables(server: &MockServer) -> Items<ListTablesRequest> {
    client(server).namespace(["prod"]).tables()
}

fn request() -> ListTablesRequest {
    ListTablesRequest::new().with_id(["prod"])
}

/// What comes before the first error, and the error.
async fn until_error<T>(stream: impl Stream<Item = Result<T, Error>>) -> (Vec<T>, Error) {
    let mut given = Vec::new();
    let mut stream = std::pin::pin!(stream);
    while let Some(next) = stream.next().await {
        match next {
            Ok(item) => given.push(item),
            Err(error) => {
                assert!(stream.next().await.is_none(), "an error is the end");
                return (given, error);
            }
        }
    }
    panic!("no error came");
}

/// Lists two pages of one item each, and holds the second request against the first.
async fn list_two_pages<R: Paged>(operation: &str, request: R, in_body: bool) {
    let (_, body) = answer(&document(), operation, Amount::All);
    let body = body.unwrap();
    let server = served(move |request| {
        let mut body = body.clone();
        body["page_token"] = match sent_token(request) {
            None => json!(token(1)),
            Some(_) => Value::Null,
        };
        ResponseTemplate::new(200).set_body_json(body)
    })
    .await;
    let items: Vec<_> = client(&server).items(request).try_collect().await.unwrap();
    assert_eq!(items.len(), 2, "{operation}");

    let [first, second] = &requests(&server).await[..] else {
        panic!("{operation}: a request for each page");
    };
    let places = |request: &Request| {
        let mut query: Vec<(String, String)> = request.url.query_pairs().into_owned().collect();
        query.retain(|(name, _)| name != "page_token");
        let mut body = serde_json::from_slice(&request.body).unwrap_or(json!({}));
        body.as_object_mut().unwrap().remove("page_token");
        (request.url.path().to_owned(), query, body)
    };
    assert_eq!(places(first), places(second), "{operation}");
    assert_eq!(sent_token(first), None, "{operation}");
    assert_eq!(sent_token(second), Some(token(1)), "{operation}");
    let query = second.url.query().unwrap_or_default();
    for name in ["limit=1", "page_token="] {
        assert_eq!(query.contains(name), !in_body, "{operation}: {query}");
    }
    assert_eq!(sent_limit(second), Some(1), "{operation}");
}

#[tokio::test]
async fn every_paged_operation_is_asked_for_its_second_page_in_the_right_place() {
    let mut listed = Vec::new();
    macro_rules! list_two_pages {
        ($($operation:literal($request:expr) in $place:literal;)*) => {$(
            list_two_pages($operation, $request.with_limit(1), $place == "body").await;
            listed.push($operation);
        )*};
    }
    list_two_pages! {
        "ListNamespaces"(ListNamespacesRequest::new().with_id(["a"])) in "query";
        "ListTables"(request().with_include_declared(true)) in "query";
        "ListAllTables"(ListAllTablesRequest::new().with_include_declared(true)) in "query";
        "ListTableVersions"(
            ListTableVersionsRequest::new().with_id(["t"]).with_descending(true)
        ) in "query";
        "ListTableIndices"(
            ListTableIndicesRequest::new().with_id(["t"]).with_branch("b")
        ) in "body";
        "ListTableTags"(ListTableTagsRequest::new().with_id(["t"])) in "query";
        "ListTableBranches"(ListTableBranchesRequest::new().with_id(["t"])) in "query";
    }
    let converted = convert(&document()).unwrap();
    let mut known: Vec<_> = listings(&converted.document, &converted.operations)
        .unwrap()
        .into_iter()
        .map(|listing| listing.operation)
        .collect();
    known.sort();
    listed.sort_unstable();
    assert_eq!(listed, known);
}

#[tokio::test]
async fn handles_list_what_is_theirs() {
    async fn path<R: Paged>(list: impl FnOnce(Client) -> Items<R>) -> String {
        let empty = json!({ "tables": [], "namespaces": [], "versions": [], "tags": {},
                            "branches": {}, "indexes": [] });
        let server = answering(ResponseTemplate::new(200).set_body_json(empty)).await;
        let items: Vec<_> = list(client(&server)).try_collect().await.unwrap();
        assert!(items.is_empty());
        let sent = requests(&server).await.remove(0);
        format!("{} {}", sent.method, sent.url.path())
    }
    let table = |client: Client| client.table(["a", "t"]);
    assert_eq!(
        [
            path(|client| client.namespace(["a"]).namespaces()).await,
            path(|client| client.namespace(["a"]).tables()).await,
            path(|client| client.all_tables()).await,
            path(|client| table(client).versions()).await,
            path(|client| table(client).tags()).await,
            path(|client| table(client).branches()).await,
            path(|client| table(client).indices()).await,
        ],
        [
            "GET /v1/namespace/a/list",
            "GET /v1/namespace/a/table/list",
            "GET /v1/table",
            "POST /v1/table/a$t/version/list",
            "POST /v1/table/a$t/tags/list",
            "POST /v1/table/a$t/branches/list",
            "POST /v1/table/a$t/index/list",
        ]
    );
}

#[tokio::test]
async fn no_item_is_lost_at_the_edge_of_a_page() {
    for (size, expected) in [(1, 15), (5, 3), (14, 2), (15, 1), (16, 1)] {
        let server = serving(15).await;
        let items: Vec<_> = tables(&server).page_size(size).try_collect().await.unwrap();
        assert_eq!(items, names(15), "pages of {size}");
        assert_eq!(limits(&server).await, vec![Some(size); expected]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn items_come_in_order_however_they_are_cut(
        sizes in proptest::collection::vec(0_usize..5, 1..8),
        total in proptest::option::of(0_usize..30),
    ) {
        let all = names(sizes.iter().sum());
        let mut rest = all.clone().into_iter();
        let pages = sizes.iter().map(|size| rest.by_ref().take(*size).collect()).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let server = serving_pages(pages).await;
            let listing = match total {
                Some(total) => tables(&server).total(total),
                None => tables(&server),
            };
            let items: Vec<_> = listing.try_collect().await.unwrap();
            let wanted = all.len().min(total.unwrap_or(usize::MAX));
            prop_assert_eq!(&items[..], &all[..wanted]);
            Ok(())
        })?;
    }
}

#[tokio::test]
async fn a_token_that_is_absent_null_or_empty_is_the_end() {
    for body in [
        json!({ "tables": ["t"] }),
        json!({ "tables": ["t"], "page_token": null }),
        json!({ "tables": ["t"], "page_token": "" }),
    ] {
        let server = answering(ResponseTemplate::new(200).set_body_json(body)).await;
        let mut pages = client(&server).pages(request());
        assert_eq!(pages.next().await.unwrap().unwrap().tables, ["t"]);
        assert_eq!(pages.token(), None);
        assert!(pages.is_terminated());
        assert!(pages.next().await.is_none());
        assert_eq!(requests(&server).await.len(), 1);
    }
}

#[tokio::test]
async fn an_empty_page_with_a_token_is_not_the_end() {
    let server = serving_pages(vec![vec![], vec![], names(2), vec![]]).await;
    let pages: Vec<_> = client(&server)
        .pages(request())
        .map_ok(|page| page.tables.len())
        .try_collect()
        .await
        .unwrap();
    assert_eq!(pages, [0, 0, 2, 0]);
    let items: Vec<_> = tables(&server).try_collect().await.unwrap();
    assert_eq!(items, names(2));
}

#[tokio::test]
async fn a_page_that_is_a_map_is_given_by_name() {
    let names: Vec<String> = (10..40).map(|number| format!("v{number}")).collect();
    let tag = json!({ "version": 1, "manifestSize": 2 });
    let tags: serde_json::Map<_, _> = names
        .iter()
        .rev()
        .map(|name| (name.clone(), tag.clone()))
        .collect();
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({ "tags": tags }))).await;
    let tags: Vec<(String, TagContents)> = client(&server)
        .table(["t"])
        .tags()
        .try_collect()
        .await
        .unwrap();
    assert_eq!(tags[0].1.version, 1);
    let given: Vec<String> = tags.into_iter().map(|(name, _)| name).collect();
    assert_eq!(given, names);
}

#[tokio::test]
async fn a_token_that_comes_again_ends_the_listing_with_an_error() {
    for (tokens, given) in [
        (&["a", "a"][..], &["t0"][..]),
        (&["a", "b", "c", "a"], &["t0", "t1", "t2"]),
        (&["a", "b", "b"], &["t0", "t1"]),
    ] {
        let server = serving_tokens(tokens).await;
        let mut items = tables(&server);
        let (before, error) = until_error(&mut items).await;
        assert_eq!(before, given);
        assert_eq!(error.kind(), ErrorKind::Decode);
        assert_eq!(error.operation().unwrap().id(), "ListTables");
        let again = format!(
            "page token {:?} for the second time",
            tokens.last().unwrap()
        );
        assert!(error.to_string().contains(&again), "{error}");
        assert_eq!(requests(&server).await.len(), tokens.len());
        assert_eq!(items.token(), Some(tokens[tokens.len() - 2]));
    }
}

#[tokio::test]
async fn the_token_that_a_listing_began_with_counts_as_one_it_had() {
    let server = serving_tokens(&["b", "a"]).await;
    let (before, _) = until_error(tables(&server).from_token("a")).await;
    assert_eq!(before, ["t0"]);
}

#[tokio::test]
async fn an_error_keeps_what_was_given_and_where_to_begin_again() {
    let fails = ResponseTemplate::new(500).set_body_json(json!({ "error": "no", "code": 18 }));
    let server = MockServer::start().await;
    for answer in [page(&names(2), Some(token(2))), fails] {
        Mock::given(any())
            .respond_with(answer)
            .up_to_n_times(1)
            .mount(&server)
            .await;
    }
    Mock::given(any())
        .respond_with(page(&["t2".to_owned()], None))
        .mount(&server)
        .await;

    let mut items = tables(&server);
    let (mut all, error) = until_error(&mut items).await;
    assert_eq!(all, names(2));
    assert_eq!(error.kind(), ErrorKind::Server);
    assert_eq!(error.status().unwrap(), 500);
    assert!(items.is_terminated());
    assert_eq!(items.token(), Some(token(2).as_str()));

    let rest: Vec<_> = tables(&server)
        .from_token(items.token().unwrap())
        .try_collect()
        .await
        .unwrap();
    all.extend(rest);
    assert_eq!(all, names(3));
    let tokens: Vec<_> = requests(&server).await.iter().map(sent_token).collect();
    assert_eq!(tokens, [None, Some(token(2)), Some(token(2))]);
}

#[tokio::test]
async fn a_listing_can_be_left_and_continued_at_any_page() {
    let server = serving(10).await;
    let mut pages = client(&server).pages(request().with_limit(3));
    assert_eq!(pages.token(), None);
    let mut given = pages.next().await.unwrap().unwrap().tables;
    let saved = pages.token().unwrap().to_owned();
    assert_eq!(saved, token(3));
    drop(pages);
    let continued = request().with_limit(3).with_page_token(saved);
    let pages = client(&server).pages(continued);
    assert_eq!(pages.token(), Some(token(3).as_str()));
    let rest: Vec<_> = pages.try_collect().await.unwrap();
    given.extend(rest.into_iter().flat_map(|page| page.tables));
    assert_eq!(given, names(10));
}

#[tokio::test]
async fn the_token_of_items_is_that_of_the_page_at_hand_until_all_of_it_is_given() {
    let server = serving(5).await;
    let mut items = tables(&server).page_size(2);
    let mut tokens = Vec::new();
    while items.try_next().await.unwrap().is_some() {
        tokens.push(items.token().map(str::to_owned));
    }
    let [two, four] = [Some(token(2)), Some(token(4))];
    assert_eq!(tokens, [None, two.clone(), two, four, None]);
}

#[tokio::test]
async fn an_empty_token_is_the_first_page() {
    let server = serving(2).await;
    let items: Vec<_> = tables(&server).from_token("").try_collect().await.unwrap();
    assert_eq!(items, names(2));
    assert_eq!(sent(&requests(&server).await[0], "page_token"), None);
}

#[tokio::test]
async fn nothing_is_sent_ahead_of_what_is_asked_for() {
    let server = serving(4).await;
    let mut items = tables(&server).page_size(2);
    assert_eq!(requests(&server).await.len(), 0);
    for (given, sent) in [(1, 1), (2, 1), (3, 2), (4, 2)] {
        items.try_next().await.unwrap().unwrap();
        assert_eq!(requests(&server).await.len(), sent, "after {given}");
    }
    assert_eq!(items.try_next().await.unwrap(), None);
    assert_eq!(requests(&server).await.len(), 2);
}

#[tokio::test]
async fn a_call_that_waits_is_not_made_twice() {
    let server = serving(2).await;
    let mut items = tables(&server);
    assert!(items.next().now_or_never().is_none());
    assert_eq!(items.next().await.unwrap().unwrap(), "t0");
    assert_eq!(requests(&server).await.len(), 1);
}

#[tokio::test]
async fn a_total_ends_the_listing_without_another_page() {
    let server = serving(10).await;
    let mut items = tables(&server).page_size(3).total(6);
    let given: Vec<_> = items.by_ref().try_collect().await.unwrap();
    assert_eq!(given, names(6));
    assert!(items.is_terminated());
    assert_eq!(limits(&server).await, [Some(3), Some(3)]);
    assert_eq!(items.token(), Some(token(6).as_str()));

    let server = serving(10).await;
    let given: Vec<_> = tables(&server).total(0).try_collect().await.unwrap();
    assert_eq!(given, Vec::<String>::new());
    assert_eq!(requests(&server).await.len(), 0);
}

#[tokio::test]
async fn no_page_is_larger_than_the_total_and_all_are_of_one_size() {
    for (size, total, expected) in [
        (Some(50), 6, vec![Some(6)]),
        (Some(4), 6, vec![Some(4), Some(4)]),
        (None, 6, vec![Some(6)]),
        // Too large to ask for unless the caller says so.
        (None, 101, vec![None, None, None]),
    ] {
        let server = serving(10).await;
        let listing = tables(&server).total(total);
        let listing = match size {
            Some(size) => listing.page_size(size),
            None => listing,
        };
        let items: Vec<_> = listing.try_collect().await.unwrap();
        assert_eq!(items, names(10.min(total)));
        assert_eq!(limits(&server).await, expected);
    }
    // A token may belong to the size that it was given for.
    let server = serving(10).await;
    let listing = tables(&server).from_token(token(2)).page_size(3).total(1);
    let items: Vec<_> = listing.try_collect().await.unwrap();
    assert_eq!(items, ["t2"]);
    assert_eq!(limits(&server).await, [Some(3)]);
}

#[tokio::test]
async fn a_server_that_ignores_the_limit_loses_nothing() {
    let server = serving_pages(vec![names(7)]).await;
    let items: Vec<_> = tables(&server).page_size(2).try_collect().await.unwrap();
    assert_eq!(items, names(7));
    let items: Vec<_> = tables(&server).total(3).try_collect().await.unwrap();
    assert_eq!(items, names(3));
}

#[tokio::test]
async fn a_limit_below_one_is_refused_before_anything_is_sent() {
    let server = serving(3).await;
    for limit in [0, -1, i64::MIN] {
        let (_, error) = until_error(tables(&server).page_size(limit).total(3)).await;
        assert_eq!(error.kind(), ErrorKind::Request);
        assert!(error.to_string().contains(&format!("`limit` is {limit}")));
        let pages = client(&server).pages(request().with_limit(limit));
        let (_, error) = until_error(pages).await;
        assert_eq!(error.operation().unwrap().id(), "ListTables");
    }
    assert_eq!(requests(&server).await.len(), 0);
}

#[tokio::test]
async fn the_pages_of_a_handle_have_its_settings() {
    let server = serving(5).await;
    let listing = tables(&server)
        .page_size(2)
        .from_token(token(1))
        .with(|request| request.with_include_declared(true));
    let pages: Vec<_> = listing.pages().try_collect().await.unwrap();
    let pages: Vec<_> = pages.into_iter().map(|page| page.tables).collect();
    assert_eq!(pages, [["t1", "t2"], ["t3", "t4"]]);
    for sent in requests(&server).await {
        assert!(sent.url.query().unwrap().contains("include_declared=true"));
        assert_eq!(sent_limit(&sent), Some(2));
    }
}

#[tokio::test]
async fn listings_can_be_kept_and_moved_and_shown() {
    fn movable<T: Send + Unpin + 'static>(value: T) -> T {
        value
    }
    let client = Client::new("http://localhost:9").unwrap();
    let items: Items<ListAllTablesRequest> = movable(client.all_tables().from_token("a"));
    assert_eq!(
        format!("{items:?}"),
        "Items { pages: Pages { operation: \"ListAllTables\", token: Some(\"a\"), ended: false, .. }, \
         at_hand: 0, left: None }"
    );
    let pages: Pages<ListAllTablesRequest> = movable(items.pages());
    let _: Pin<Box<dyn Stream<Item = Result<ListTablesResponse, Error>> + Send>> = Box::pin(pages);
}
