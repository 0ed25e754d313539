//! Secrets in the forms in which servers repeat them.

use proptest::prelude::*;

use super::*;
use crate::provider::Protocol;

const KEY: &str = "sk-te/st+01234=56789";

fn secrets(key: &str, base_url: &str, headers: &[&str]) -> Secrets {
    Secrets::of(&Endpoint {
        key: Some(key.into()),
        headers: headers
            .iter()
            .map(|value| ("X-Any".to_owned(), SecretString::from(*value)))
            .collect(),
        proxy: Some("http://me:proxy-pw@proxy:1".into()),
        ..Endpoint::open(Protocol::Openai, base_url.to_owned(), String::new())
    })
}

#[test]
fn a_key_is_found_in_every_form() {
    let secrets = secrets(KEY, "", &[]);
    for form in [
        KEY.to_owned(),
        KEY.replace('/', "\\/"),
        KEY.replace('/', "\\\\\\/"),
        KEY.replace('/', "%2f")
            .replace('+', "%2B")
            .replace('=', "%3D"),
        KEY.replace('/', "%252F").replace('+', "%25252b"),
        KEY.replace('+', "\\u002b").replace('=', "\\\\u003D"),
        KEY.replace('/', "&#x2F;").replace('+', "&#43;"),
        each_byte(&|byte| format!("%{byte:02X}")),
        each_byte(&|byte| format!("\\x{byte:02x}")),
        KEY.replace("st+", "st\r\n +"),
        STANDARD.encode(KEY),
        URL_SAFE_NO_PAD.encode(KEY),
        format!("{}...", &KEY[..12]),
    ] {
        let told = secrets.shown(&format!("a {form} z"));
        assert!(
            told.starts_with("a [secret]") && told.ends_with('z'),
            "{form}: {told}"
        );
        assert!(
            !told.contains("sk-te") && !told.contains("567"),
            "{form}: {told}"
        );
    }
}

fn each_byte(form: &dyn Fn(u8) -> String) -> String {
    KEY.bytes().map(form).collect::<String>()
}

#[test]
fn a_key_in_basic_credentials_is_found_behind_names_of_any_length() {
    let secrets = secrets(KEY, "", &[]);
    for name in ["", "u", "me", "you", "somebody"] {
        let whole = STANDARD.encode(format!("{name}:{KEY}"));
        let told = secrets.shown(&format!("Basic {whole}"));
        assert!(told.contains("[secret]"), "{told}");
        // What is left of it tells the name and no more than two bits of the key.
        assert!(
            told.len() < "Basic [secret]".len() + 2 * name.len() + 6,
            "{told}"
        );
    }
}

#[test]
fn the_beginning_of_a_key_is_found_where_a_text_ends() {
    let secrets = secrets(KEY, "", &[]);
    for end in 4..KEY.len() {
        assert_eq!(
            secrets.shown(&format!("got {}", &KEY[..end])),
            "got [secret]"
        );
    }
    assert_eq!(
        secrets.shown("sk- is how keys begin"),
        "sk- is how keys begin"
    );
}

#[test]
fn headers_passwords_and_keys_of_queries_are_secrets() {
    let basic = format!("Basic {}", STANDARD.encode("me:header-pw"));
    let base = "https://me:url%2Fpw@a.com/v1?key=query-key&api-version=2026-01-01";
    let secrets = secrets("k", base, &["Bearer other-token", &basic, "42"]);
    let told = "other-token header-pw url/pw url%2fpw query-key proxy-pw k 42 2026-01-01 Bearer";
    let expected = "[secret] [secret] [secret] [secret] [secret] [secret] k 42 2026-01-01 Bearer";
    assert_eq!(secrets.shown(told), expected);
}

#[test]
fn nothing_secret_is_in_secrets_as_text() {
    let told = format!("{:?}", secrets(KEY, "http://me:url-pw@a", &["other-token"]));
    assert!(
        !told.contains("sk-") && !told.contains("-pw") && !told.contains("other"),
        "{told}"
    );
}

proptest! {
    #[test]
    fn no_text_around_a_key_hides_it(
        before in "[a-z%&\\\\ é]{0,420}",
        after in "[a-z%&\\\\ é]{0,20}",
    ) {
        let told = secrets(KEY, "", &[]).shown(&format!("{before}{KEY}{after}"));
        prop_assert!(!told.contains("sk-te"), "{told}");
    }
}

#[test]
fn long_texts_of_signs_take_no_longer_than_others() {
    // Each is a minute or more of work if it grows with the square of the length.
    for sign in [
        "://a:b/",
        "\\",
        "%25",
        "://",
        "?key=",
        "&",
        "&#",
        "sk-te/st",
        "\u{1}",
        "@",
        "http://a:",
    ] {
        let text = sign.repeat((1 << 20) / sign.len());
        let told = secrets(KEY, "", &[]).shown(&text);
        assert!(told.chars().count() <= 401, "{sign}");
    }
}
