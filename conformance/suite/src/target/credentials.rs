//! Who asks, and what credentials a request carries for that.

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName};
use serde_json::{Map, Value};

use super::Target;
use crate::call::Caller;

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

impl Target {
    /// The headers that carry this caller's credentials, and those that all requests carry.
    pub(crate) fn headers_of(&self, caller: &Caller) -> HeaderMap {
        let mut headers = self.headers.clone();
        if matches!(caller, Caller::Known) {
            return headers;
        }
        for name in self.bad.keys().chain([&AUTHORIZATION, &API_KEY]) {
            headers.remove(name);
        }
        let own = match caller {
            Caller::Stranger => self.bad.clone(),
            Caller::With(own) => own.clone(),
            Caller::Known | Caller::Nobody => HeaderMap::new(),
        };
        headers.extend(own);
        headers
    }

    /// The good credentials: the headers that a bad one is given for.
    pub(crate) fn credentials(&self) -> HeaderMap {
        let known = self.headers.iter();
        let of_bad = known.filter(|(name, _)| self.bad.contains_key(*name));
        let owned = of_bad.map(|(name, value)| (name.clone(), value.clone()));
        owned.collect()
    }

    /// The credentials that the server does not know.
    pub(crate) fn bad_credentials(&self) -> &HeaderMap {
        &self.bad
    }

    /// A caller's credentials as the `identity` of a body: its API key and its bearer token; none if
    /// it has neither.
    pub(crate) fn identity(&self, caller: &Caller) -> Option<Value> {
        let headers = self.headers_of(caller);
        let text = |name: &HeaderName| headers.get(name)?.to_str().ok();
        let told = |name: &HeaderName| self.bad.contains_key(name);
        let mut identity = Map::new();
        if let Some(key) = text(&API_KEY).filter(|_| told(&API_KEY)) {
            identity.insert("api_key".to_owned(), Value::from(key));
        }
        let token = text(&AUTHORIZATION).filter(|_| told(&AUTHORIZATION));
        if let Some((scheme, token)) = token.and_then(|value| value.split_once(' '))
            && scheme.eq_ignore_ascii_case("bearer")
        {
            identity.insert("auth_token".to_owned(), Value::from(token.trim()));
        }
        (!identity.is_empty()).then_some(Value::Object(identity))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Given;

    #[test]
    fn a_bad_credential_goes_with_a_good_one() {
        let target = Target::new("http://host")
            .unwrap()
            .with_header("X-Api-Key", "the good one")
            .unwrap()
            .with_header("x-tenant", "a")
            .unwrap();
        assert!(target.given().is_empty());
        for (name, value) in [("authorization", "Bearer x"), ("x-api-key", "the good one")] {
            assert!(target.clone().with_bad_credential(name, value).is_err());
        }
        let target = target
            .with_bad_credential("x-api-key", "the bad one")
            .unwrap();
        assert_eq!(target.given(), [Given::Credentials, Given::Identity]);
        let key = |caller| {
            let headers = target.headers_of(&caller);
            assert_eq!(headers["x-tenant"], "a");
            let key = headers.get("x-api-key")?;
            Some(key.to_str().unwrap().to_owned())
        };
        assert_eq!(key(Caller::Known).unwrap(), "the good one");
        assert_eq!(key(Caller::Stranger).unwrap(), "the bad one");
        assert_eq!(key(Caller::Nobody), None);
        let shown = target.without_secrets("the good one, the bad one");
        assert_eq!(shown, "redacted, redacted");
    }
}
