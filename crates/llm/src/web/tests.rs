//! Reading pages of a server on this machine.

use super::*;
use crate::loopback::{Loopback, Reply};

fn web(inside: &[&str]) -> Web {
    Web::new(WebSettings {
        inside: inside.iter().map(|host| (*host).to_owned()).collect(),
        search: Some("https://search.example/?q={query}&f=html".to_owned()),
    })
}

/// The rules say nothing: the user was asked about the first address.
fn asked(_address: &WebAddress) -> PageRule {
    PageRule::Asked
}

async fn read(replies: Vec<Reply>) -> (Result<String, WebError>, Vec<String>) {
    let server = Loopback::start(replies);
    let address = WebAddress::parse(&server.url()).unwrap();
    let page = web(&["127.0.0.1"]).read(&address, asked).await;
    let requests = server.requests();
    let text = page.map(|page| match page.content {
        PageContent::Text { text, .. } => text,
        PageContent::Image(image) => format!("{} {}", image.format.media_type(), image.bytes.len()),
    });
    (text, requests)
}

#[tokio::test]
async fn a_page_is_text_and_what_is_no_page_is_said() {
    let page = |status: &str, kind: &str, headers: &str, body: &str| {
        Reply::page(status, kind, headers, body)
    };
    for (reply, expected) in [
        (
            page("200 OK", "text/html", "", "<p>One <i>two</i></p>"),
            Ok("One two"),
        ),
        (page("200 OK", "application/json", "", "{}"), Ok("{}")),
        (
            page("200 OK", "application/pdf", "", "PDF"),
            Err(WebError::NoText("application/pdf".to_owned())),
        ),
        (
            page("200 OK", "image/svg+xml", "", "GIF89a..."),
            Ok("image/gif 9"),
        ),
        (
            page("404 Not Found", "text/html", "", "x"),
            Err(WebError::Refused(404)),
        ),
        (
            page(
                "302 Found",
                "text/html",
                "location: https://other.example/x\r\n",
                "",
            ),
            Err(WebError::Moved("https://other.example/x".to_owned())),
        ),
        (
            page(
                "302 Found",
                "text/html",
                "location: file:///etc/passwd\r\n",
                "",
            ),
            Err(AddressError::None("file:///etc/passwd".to_owned()).into()),
        ),
    ] {
        let (text, requests) = read(vec![reply]).await;
        assert_eq!(
            text.as_ref().map(|text| text.trim_end()),
            expected.as_ref().map(|text| *text)
        );
        let sent = requests.concat().to_lowercase();
        assert!(
            !sent.contains("cookie") && !sent.contains("authorization"),
            "{sent}"
        );
    }
}

#[tokio::test]
async fn a_page_that_moves_on_its_host_is_followed_for_a_while() {
    let there = Reply::page("200 OK", "text/plain", "", "here");
    let (text, requests) = read(vec![moved(), there]).await;
    assert_eq!(text.as_deref(), Ok("here"));
    assert!(
        requests.last().unwrap().starts_with("GET /there "),
        "{requests:?}"
    );
    let (text, _) = read((0..=MOST_MOVES).map(|_| moved()).collect()).await;
    assert_eq!(text, Err(WebError::Circle));
}

fn moved() -> Reply {
    Reply::page("301 Moved", "text/html", "location: /there\r\n", "")
}

#[tokio::test]
async fn a_long_page_is_cut_and_one_that_breaks_off_is_none() {
    let long = "x".repeat(MOST + 10);
    let server = Loopback::start(vec![Reply::page("200 OK", "text/plain", "", &long)]);
    let address = WebAddress::parse(&server.url()).unwrap();
    let page = web(&["127.0.0.1"]).read(&address, asked).await.unwrap();
    let PageContent::Text { text, is_cut } = page.content else {
        panic!("{:?}", page.content);
    };
    assert_eq!((text.len(), is_cut), (MOST, true));
    let broken = Reply::page("200 OK", "text/plain", "content-length: 9\r\n", "x").unended();
    let (text, _) = read(vec![broken]).await;
    assert!(matches!(text, Err(WebError::Broken(_))), "{text:?}");
}

/// Neither a number nor a name that leads to this machine is asked, unless the user names it.
#[tokio::test]
async fn this_machine_and_its_network_are_not_asked() {
    let server = Loopback::start(vec![]);
    let by_name = server.url().replace("127.0.0.1", "localhost");
    for (text, host) in [(server.url(), "127.0.0.1"), (by_name, "localhost")] {
        let address = WebAddress::parse(&text).unwrap();
        let refused = web(&[]).read(&address, asked).await;
        assert_eq!(refused, Err(WebError::Inside(host.to_owned())));
    }
    assert_eq!(server.requests(), Vec::<String>::new());
}

#[test]
fn words_become_an_address() {
    let found = web(&[]).search("a b&c=\u{e4}#").unwrap().unwrap();
    assert_eq!(
        found.to_string(),
        "https://search.example/?q=a%20b%26c%3D%C3%A4%23&f=html"
    );
    assert_eq!(Web::new(WebSettings::default()).search("a"), None);
}

#[tokio::test]
async fn the_rules_of_the_first_address_hold_where_it_moves_to() {
    for (first, then, is_followed) in [
        (PageRule::Asked, PageRule::Asked, true),
        (PageRule::Asked, PageRule::Allowed, true),
        (PageRule::Allowed, PageRule::Allowed, true),
        // A rule allows the first one: nobody said yes to the other.
        (PageRule::Allowed, PageRule::Asked, false),
        (PageRule::Asked, denied(), false),
        (PageRule::Allowed, denied(), false),
    ] {
        let moved = Reply::page("302 Found", "text/html", "location: /private/x\r\n", "");
        let secret = Reply::page("200 OK", "text/plain", "", "secret");
        let server = Loopback::start(vec![moved, secret]);
        let address = WebAddress::parse(&server.url()).unwrap();
        let page = web(&["127.0.0.1"])
            .read(&address, |address| {
                if address.to_string().contains("/private/") {
                    then.clone()
                } else {
                    first.clone()
                }
            })
            .await;
        let to = address.joined("/private/x").unwrap().to_string();
        let expected = match &then {
            _ if is_followed => None,
            PageRule::Denied(why) => Some(WebError::Denied(to, why.clone())),
            PageRule::Allowed | PageRule::Asked => Some(WebError::Moved(to)),
        };
        assert_eq!(page.err(), expected);
        let private = server.requests().concat().contains("/private/");
        assert_eq!(private, is_followed);
    }
}

fn denied() -> PageRule {
    PageRule::Denied("a rule forbids it".to_owned())
}
