//! Rules on pages of the web.
//!
//! A rule's pattern is matched with the address in the one spelling that it has: `allow`, `web_fetch`, `https://docs.rs/*`.
//! Without a rule the user is asked: an address carries data away, and what comes back is anybody's text.
//!
//! In: an address. Out: what the last rule that matches says. What the user allows for good is allowed for the whole host.

use super::pattern::matches;
use super::{Permission, Policy, lifted};
use crate::subjects::Subjects;
use crate::web::WebAddress;

impl Policy {
    /// Returns what becomes of a call of `tool` that asks for a page.
    pub(super) fn of_page(&self, tool: &str, address: &WebAddress) -> Permission {
        let text = address.to_string();
        let [own, narrower] = [&self.rules, &self.narrower].map(|rules| {
            rules
                .iter()
                .rfind(|rule| matches(&rule.tool, tool) && matches(&rule.pattern, &text))
                .map(|rule| rule.action)
        });
        let always = self.always.iter().any(|(allowed, subjects)| {
            matches!(subjects, Subjects::Page(page) if allowed == tool && page.origin() == address.origin())
        });
        lifted(own.unwrap_or(Permission::Ask), always).max(narrower.unwrap_or(Permission::Allow))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Rule;
    use super::*;
    use crate::permission::Consent;
    use crate::tool_spec::Reach;

    fn rule(pattern: &str, action: Permission) -> Rule {
        Rule {
            tool: "web_fetch".to_owned(),
            pattern: pattern.to_owned(),
            action,
        }
    }

    fn page(address: &str) -> Subjects {
        Subjects::Page(WebAddress::parse(address).unwrap())
    }

    #[test]
    fn pages_are_asked_for_unless_a_rule_knows_their_address() {
        let user = vec![
            rule("https://docs.rs/*", Permission::Allow),
            rule("https://docs.rs/private/*", Permission::Deny),
        ];
        let mut policy = Policy::new(user, vec![rule("https://docs.rs/old/*", Permission::Ask)]);
        let denied = Consent::Denied("a rule forbids it".to_owned());
        for (address, expected) in [
            ("https://docs.rs/serde", Consent::Granted),
            ("https://DOCS.rs/a/../serde", Consent::Granted),
            ("https://docs.rs/private/x", denied),
            ("https://docs.rs/old/x", Consent::Needed),
            ("http://docs.rs/serde", Consent::Needed),
            ("https://docs.rs.evil.example/", Consent::Needed),
        ] {
            assert_eq!(judged(&policy, address), expected, "{address}");
        }
        policy.always("web_fetch", page("https://a.example/one"));
        assert_eq!(judged(&policy, "https://a.example/two"), Consent::Granted);
        assert_eq!(
            judged(&policy, "https://a.example:8443/two"),
            Consent::Needed
        );
        assert_eq!(judged(&policy, "http://a.example/two"), Consent::Needed);
    }

    fn judged(policy: &Policy, address: &str) -> Consent {
        policy.judge("web_fetch", Reach::Observe, &page(address))
    }
}
