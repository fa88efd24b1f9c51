//! `Retry-After`.

use std::time::{Duration, SystemTime};

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

/// How long the server asks to wait: seconds, or until a date. A date is read by the clock of the
/// server where the answer has one, and one that has passed is no wait. Of several headers the
/// longest counts, and what is neither is passed over.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers
        .get_all(RETRY_AFTER)
        .iter()
        .filter_map(|value| wait(value.to_str().ok()?.trim(), headers))
        .max()
}

fn wait(text: &str, headers: &HeaderMap) -> Option<Duration> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number too large for 64 bits is still a long time.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let until = httpdate::parse_http_date(text).ok()?;
    let now = headers
        .get(DATE)
        .and_then(|date| httpdate::parse_http_date(date.to_str().ok()?).ok())
        .unwrap_or_else(SystemTime::now);
    Some(until.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reqwest::header::HeaderValue;

    use super::*;

    fn asked(values: &[&str]) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(RETRY_AFTER, HeaderValue::from_str(value).unwrap());
        }
        headers.insert(
            DATE,
            HeaderValue::from_static("Sun, 06 Nov 1994 08:49:00 GMT"),
        );
        retry_after(&headers)
    }

    #[test]
    fn seconds_are_seconds() {
        assert_eq!(asked(&["0"]), Some(Duration::ZERO));
        assert_eq!(asked(&[" 120 "]), Some(Duration::from_secs(120)));
    }

    #[test]
    fn a_number_beyond_64_bits_is_the_longest_wait() {
        let asked = asked(&["99999999999999999999999"]);
        assert_eq!(asked, Some(Duration::from_secs(u64::MAX)));
    }

    #[test]
    fn a_date_is_read_by_the_clock_of_the_server() {
        let dates = [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ];
        for date in dates {
            assert_eq!(asked(&[date]), Some(Duration::from_secs(37)), "{date}");
        }
    }

    #[test]
    fn without_a_date_of_the_answer_it_is_read_by_ones_own_clock() {
        let mut headers = HeaderMap::new();
        let soon = SystemTime::now() + Duration::from_secs(100);
        let text = httpdate::fmt_http_date(soon);
        headers.insert(RETRY_AFTER, HeaderValue::from_str(&text).unwrap());
        let wait = retry_after(&headers).unwrap().as_secs();
        assert!((90..=100).contains(&wait), "{wait}");
    }

    #[test]
    fn a_date_that_has_passed_is_no_wait() {
        assert_eq!(
            asked(&["Sun, 06 Nov 1994 08:48:00 GMT"]),
            Some(Duration::ZERO)
        );
    }

    #[test]
    fn of_several_the_longest_counts() {
        let asked = asked(&["5", "Sun, 06 Nov 1994 08:49:37 GMT", "soon"]);
        assert_eq!(asked, Some(Duration::from_secs(37)));
    }

    #[test]
    fn what_is_neither_is_passed_over() {
        for value in ["", "-1", "1.5", "soon", "1 2", "+3"] {
            assert_eq!(asked(&[value]), None, "{value:?}");
        }
    }

    proptest! {
        #[test]
        fn no_header_is_too_strange(
            value in proptest::collection::vec(any::<u8>(), 0..40),
            date in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            let mut headers = HeaderMap::new();
            for (name, bytes) in [(RETRY_AFTER, value), (DATE, date)] {
                if let Ok(value) = HeaderValue::from_bytes(&bytes) {
                    headers.insert(name, value);
                }
            }
            retry_after(&headers);
        }

        #[test]
        fn every_number_of_seconds_is_itself(seconds in any::<u64>()) {
            prop_assert_eq!(asked(&[&seconds.to_string()]), Some(Duration::from_secs(seconds)));
        }
    }
}
