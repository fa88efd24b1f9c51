//! The examples do what they say.

use serde_json::json;
use wiremock::ResponseTemplate;

use crate::pages::{sent_token, served};
use crate::server::client;

#[path = "../../examples/list_everything.rs"]
#[expect(dead_code, reason = "the test calls what `main` calls")]
mod list_everything;

#[tokio::test]
async fn the_example_lists_every_namespace_table_and_version() {
    let server = served(|request| {
        let token = sent_token(request);
        let body = match (request.url.path(), token.as_deref()) {
            ("/v1/namespace/$/list", None) => {
                json!({ "namespaces": ["prod"], "page_token": "p" })
            }
            ("/v1/namespace/$/list", Some("p")) => json!({ "namespaces": ["dev"] }),
            ("/v1/namespace/prod/list", None) => json!({ "namespaces": ["eu"] }),
            ("/v1/namespace/dev/list" | "/v1/namespace/prod$eu/list", None) => {
                json!({ "namespaces": [] })
            }
            ("/v1/namespace/prod/table/list", None) => {
                json!({ "tables": ["users"], "page_token": "p" })
            }
            ("/v1/namespace/prod/table/list", Some("p")) => json!({ "tables": ["orders"] }),
            // As servers do that give whole identifiers.
            ("/v1/namespace/prod$eu/table/list", None) => json!({ "tables": ["prod$eu$events"] }),
            (path, None) if path.ends_with("/table/list") => json!({ "tables": [] }),
            ("/v1/table/prod$users/version/list", None) => {
                json!({ "versions": [{ "version": 12, "manifest_path": "m" }], "page_token": "p" })
            }
            ("/v1/table/prod$users/version/list", Some("p")) => {
                json!({ "versions": [{ "version": 11, "manifest_path": "m" }] })
            }
            ("/v1/table/prod$orders/version/list", None) => {
                let body = json!({ "error": "no", "code": 0 });
                return ResponseTemplate::new(406).set_body_json(body);
            }
            ("/v1/table/prod$eu$events/version/list", None) => json!({ "versions": [] }),
            other => panic!("nobody asks for {other:?}"),
        };
        ResponseTemplate::new(200).set_body_json(body)
    })
    .await;
    let mut out = Vec::new();
    list_everything::list_everything(&client(&server), &mut out)
        .await
        .unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "(root)\n\
         dev\n\
         prod\n    \
         prod$orders: the server keeps no versions\n    \
         prod$users: 2 versions, latest 12\n\
         prod$eu\n    \
         prod$eu$events: no version\n"
    );
}
