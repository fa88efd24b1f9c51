//! A day of the calendar.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use toml::value::Datetime;

/// A day of the calendar, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// The year.
    pub year: u16,
    /// The month, from 1.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
}

impl Date {
    /// Today, by this machine's clock.
    #[must_use]
    pub fn today() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self::after_days(since.map_or(0, |since| since.as_secs() / (24 * 60 * 60)))
    }

    /// So many days after the first of January 1970.
    fn after_days(mut days: u64) -> Self {
        let is_leap = |year: u16| {
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
        };
        let mut year = 1970;
        loop {
            let length = if is_leap(year) { 366 } else { 365 };
            if days < length {
                break;
            }
            days -= length;
            year += 1;
        }
        let february = if is_leap(year) { 29 } else { 28 };
        let mut month = 1;
        for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
            if days < length {
                break;
            }
            days -= length;
            month += 1;
        }
        Self {
            year,
            month,
            // Fewer than 31 are left.
            day: u8::try_from(days + 1).unwrap_or(1),
        }
    }

    fn of(date: Datetime) -> Option<Self> {
        let (None, None, Some(date)) = (date.time, date.offset, date.date) else {
            return None;
        };
        Some(Self {
            year: date.year,
            month: date.month,
            day: date.day,
        })
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl serde::Serialize for Date {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// From a date of TOML, or a text, as in JSON.
impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Date;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a date such as 2027-01-31")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Date, E> {
                let date = text.parse().ok().and_then(Date::of);
                date.ok_or_else(|| E::custom(format!("{text:?} is no date such as 2027-01-31")))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Date, A::Error> {
                let date = Datetime::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Date::of(date)
                    .ok_or_else(|| de::Error::custom("this is more than a date such as 2027-01-31"))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_through_leap_years() {
        for (days, date) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_453, "2025-12-31"),
            (20_454, "2026-01-01"),
        ] {
            assert_eq!(Date::after_days(days).to_string(), date);
        }
    }
}
