//! Connection faults.
//!
//! In: a response that is a refusal, or an error of the connection. Out: a [`ProviderError`]
//! of one line, without the address as it was configured, which may hold credentials.

use std::error::Error;
use std::time::Duration;

use reqwest::{Response, StatusCode};
use serde_json::Value;

use crate::provider::ProviderError;
use crate::provider::openai::{flat, refusal_text};

/// Returns a refusal in the server's own words, or the usual ones for its status.
pub(super) fn refused(response: &Response, body: &str) -> ProviderError {
    let status = response.status();
    let mut message = refusal_text(body);
    if message.is_empty() {
        message = reason(status);
    }
    if status.is_redirection()
        && let Some(to) = header(response, "location")
    {
        message = format!("{message}: it points to {}", flat(to));
    }
    ProviderError::Status {
        code: status.as_u16(),
        message,
        retry_after: asked_pause(|name| header(response, name), body),
    }
}

/// Returns how long a server asks to wait, in the most exact of the forms that there are: `retry-after-ms`, `Retry-After` in
/// seconds or as a date, and `retryDelay` in the body of Google's. A date is compared with the server's own.
fn asked_pause<'a>(header: impl Fn(&str) -> Option<&'a str>, body: &str) -> Option<Duration> {
    if let Some(thousandfold) = header("retry-after-ms").and_then(seconds) {
        return Some(thousandfold / 1000);
    }
    let after = header("retry-after");
    after
        .and_then(seconds)
        .or_else(|| {
            let (until, now) = (http_date(after?)?, http_date(header("date")?)?);
            Some(Duration::from_secs(until.saturating_sub(now)))
        })
        .or_else(|| retry_delay(body))
}

fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.trim().parse().ok()?).ok()
}

/// Returns the pause that a refusal of Google's names among its details.
fn retry_delay(body: &str) -> Option<Duration> {
    let body: Value = serde_json::from_str(body).ok()?;
    let refusal = body.get(0).unwrap_or(&body);
    let details = refusal.pointer("/error/details")?.as_array()?;
    let delay = details
        .iter()
        .find_map(|one| one.get("retryDelay")?.as_str());
    seconds(delay?.strip_suffix('s')?)
}

/// Returns the second of a date as HTTP writes it, `Wed, 21 Oct 2015 07:28:00 GMT`, from the same beginning for all.
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let (_, rest) = text.split_once(", ")?;
    let [day, month, year, time, "GMT"] = rest.split(' ').collect::<Vec<_>>()[..] else {
        return None;
    };
    let month = MONTHS.iter().position(|name| *name == month)? as u64;
    let (day, year): (u64, u64) = (day.parse().ok()?, year.parse().ok()?);
    let [hour, minute, second] = time.split(':').collect::<Vec<_>>()[..] else {
        return None;
    };
    let [hour, minute, second] = [hour, minute, second].map(|part| part.parse::<u64>().ok());
    // A year begins in March, so that the day that may be missing is its last (Richards, `The Mapping of Time`).
    let (month, year) = ((month + 10) % 12, year.checked_sub(u64::from(month < 2))?);
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day;
    Some(((days * 24 + hour?) * 60 + minute?) * 60 + second?)
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

fn reason(status: StatusCode) -> String {
    status
        .canonical_reason()
        .unwrap_or("no reason given")
        .to_lowercase()
}

/// Returns the innermost cause: the outer ones repeat the address, credentials included.
pub(super) fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    if cause.is::<reqwest::Error>() {
        return "the request could not be sent".to_owned();
    }
    let said = flat(&cause.to_string());
    // What hyper says of a connection that ends within an answer.
    let is_closed = [
        "unexpected EOF",
        "unexpected end of file",
        "end of file before",
    ];
    if is_closed.iter().any(|words| said.contains(words)) {
        return "the server closed the connection".to_owned();
    }
    said
}

/// Returns the error of an answer that is not whole.
pub(super) fn cut(detail: String) -> ProviderError {
    ProviderError::Cut { detail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_ask_for_a_pause_in_many_forms() {
        type Case<'a> = (&'a [(&'a str, &'a str)], &'a str, Option<u64>);
        const DATE: (&str, &str) = ("date", "Tue, 29 Feb 2028 23:59:50 GMT");
        let google = r#"{"error":{"code":429,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}"#;
        let listed = format!("[{google}]");
        let cases: [Case<'_>; 12] = [
            (&[("retry-after", "3")], "", Some(3_000)),
            (&[("retry-after", " 1.5 ")], "", Some(1_500)),
            (
                &[("retry-after-ms", "250"), ("retry-after", "1")],
                "",
                Some(250),
            ),
            (
                &[DATE, ("retry-after", "Wed, 01 Mar 2028 00:00:05 GMT")],
                "",
                Some(15_000),
            ),
            // It is over by now.
            (
                &[DATE, ("retry-after", "Tue, 29 Feb 2028 23:59:00 GMT")],
                "",
                Some(0),
            ),
            (&[], google, Some(34_500)),
            (&[], &listed, Some(34_500)),
            (&[("retry-after", "2")], google, Some(2_000)),
            (&[("retry-after", "soon")], google, Some(34_500)),
            (
                &[("retry-after", "Wed, 01 Mar 2028 00:00:05 GMT")],
                "",
                None,
            ),
            (&[("retry-after", "-1")], "{}", None),
            (&[], "no JSON", None),
        ];
        for (headers, body, expected) in cases {
            let header = |name: &str| {
                headers
                    .iter()
                    .find(|(own, _)| *own == name)
                    .map(|(_, value)| *value)
            };
            let expected = expected.map(Duration::from_millis);
            assert_eq!(asked_pause(header, body), expected, "{headers:?} {body}");
        }
    }

    #[test]
    fn dates_follow_each_other_by_a_day() {
        for (one, next) in [
            ("31 Dec 2027", "01 Jan 2028"),
            ("28 Feb 2027", "01 Mar 2027"),
            ("28 Feb 2028", "29 Feb 2028"),
            ("28 Feb 2100", "01 Mar 2100"),
            ("30 Apr 2026", "01 May 2026"),
        ] {
            let second = |day: &str| http_date(&format!("Mon, {day} 12:00:00 GMT")).unwrap();
            assert_eq!(second(next) - second(one), 86_400, "{one}");
        }
    }
}
