//! The order of version numbers.

/// Whether these numbers are strictly descending.
///
/// # Errors
///
/// What stands where it must not, in words.
pub fn descending(numbers: &[&str]) -> Result<(), String> {
    let mut before: Option<i64> = None;
    for &text in numbers {
        let Ok(number) = text.parse() else {
            return Err(format!("{text} is no whole number of 64 bits"));
        };
        match before {
            Some(before) if before <= number => return Err(format!("{number} follows {before}")),
            _ => before = Some(number),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_by_number() {
        assert_eq!(descending(&["100", "99", "10", "9"]), Ok(()));
        assert!(descending(&["99", "9", "100", "10"]).is_err());
        assert!(descending(&["2", "2"]).is_err());
        assert!(descending(&["9007199254740993.0", "1"]).is_err());
    }
}
