//! The first start: nothing is configured.

use crate::screen::Screen;
use crate::world::World;

const KEY: &str = "sk-very-secret-0123456789";

/// Nothing is sent to the service until the user picks a model and asks it.
#[test]
fn a_key_without_a_model_offers_models_and_is_not_shown() {
    let world = World::new(&[("a.txt", "a\n")]);
    let mut screen = Screen::open_in(&world, &[], &[("ANTHROPIC_API_KEY", KEY)]);
    screen.shows("a key for Anthropic is set, but no model");
    screen.shows("Down and Enter pick a model");
    screen.shows("tokens of context, $");
    screen.press("\u{1b}[B\r");
    screen.shows("From now on claude-");
    screen.press("\u{3}\u{3}");
    let left = screen.left();
    assert!(!left.raw.contains(KEY), "{}", left.contents);
    let offline = world.run(&["exec", "--offline", "help"]);
    offline.done().says("rename");
}
