//! Images that are attached to prompts.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};

use crate::screen::Screen;
use crate::server::{Asked, Server};
use crate::world::World;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
/// The same as a URL.
const URL: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==";

fn world() -> World {
    let world = World::new(&[("notes.md", "# Title\n")]);
    world.write("shot.png", PNG);
    world
}

/// Returns the images of the messages of a request.
fn images(asked: &Asked) -> Vec<&Value> {
    let messages = asked.body["messages"].as_array().unwrap().iter();
    let parts = messages.filter_map(|message| message["content"].as_array());
    let images = parts.flatten().filter(|part| part["type"] == "image_url");
    images.map(|part| &part["image_url"]["url"]).collect()
}

#[test]
fn an_image_is_sent_with_the_prompt_and_with_those_after_it() {
    let world = world();
    let server = Server::start();
    let url = server.url();
    let to = ["exec", "--url", &url, "--model", "gpt-4o"];
    let running = world.start(&[&to[..], &["--json", "what is in @shot.png?"]].concat());
    let asked = server.next();
    assert_eq!(images(&asked), [&json!(URL)]);
    asked.say("A picture.");
    let events = running.end().done().events();
    let of = |kind: &str| events.iter().find(|event| event["type"] == kind).cloned();
    assert_eq!(of("images").unwrap()["images"], json!([["shot.png", 16]]));
    let state = world.state_files();
    let kept: Vec<_> = state
        .iter()
        .filter(|file| file.parent().unwrap().ends_with("images"))
        .collect();
    let [copy] = kept.as_slice() else {
        panic!("{state:?}");
    };
    assert_eq!(fs::read(copy).unwrap(), PNG);
    assert_eq!(
        fs::metadata(copy).unwrap().permissions().mode() & 0o777,
        0o600
    );
    // The file itself is not read again.
    fs::remove_file(world.at("shot.png")).unwrap();
    let running = world.start(&[&to[..], &["--continue", "and now?"]].concat());
    let asked = server.next();
    assert_eq!(images(&asked), [&json!(URL)]);
    asked.say("The same.");
    running.end().done();
    fs::remove_file(copy).unwrap();
    let running = world.start(&[&to[..], &["--continue", "and now?"]].concat());
    let asked = server.next();
    assert!(images(&asked).is_empty());
    let said = asked.said_by("user").concat();
    assert!(
        said.contains("(image shot.png was here: its copy"),
        "{said}"
    );
    asked.say("Gone.");
    running.end().done();
}

#[test]
fn nothing_is_sent_where_an_image_cannot_be() {
    let world = world();
    let server = Server::start();
    let url = server.url();
    fs::write(world.beside("shot.png"), PNG).unwrap();
    symlink(world.beside("shot.png"), world.at("link.png")).unwrap();
    world.write("text.png", "no image");
    for (prompt, why) in [
        ("see @text.png", "text.png is not a PNG"),
        ("see @missing.png", "missing.png cannot be attached"),
        ("see @link.png", "link.png cannot be attached"),
    ] {
        let ended = world.run(&["exec", "--url", &url, "--model", "gpt-4o", prompt]);
        assert_eq!(ended.code, Some(1), "{ended:#?}");
        ended.says(why);
    }
    let ended = world.run(&["exec", "--offline", "see @shot.png"]);
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    ended.says("takes no images: shot.png");
    assert!(!server.was_asked());
}

#[test]
fn a_piped_prompt_names_no_image_outside() {
    let world = world();
    let server = Server::start();
    let url = server.url();
    let outside = world.beside("shot.png");
    fs::write(&outside, PNG).unwrap();
    let prompt = format!("see @{}", outside.display());
    let to = ["exec", "--url", &url, "--model", "gpt-4o"];
    let ended = world.feed(&[&to[..], &["-"]].concat(), &prompt);
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    ended.says("is outside of the workspace");
    assert!(!server.was_asked());
    let running = world.start(&[&to[..], &[&prompt]].concat());
    let asked = server.next();
    assert_eq!(images(&asked), [&json!(URL)]);
    asked.say("A picture.");
    running.end().done().says("shot.png (16 bytes)");
}

/// A terminal pastes the path of a file that is dropped on it.
#[test]
fn the_pasted_path_of_an_image_outside_attaches_it() {
    let world = world();
    let server = Server::start();
    let url = server.url();
    let outside = world.beside("a shot.png");
    fs::write(&outside, PNG).unwrap();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "gpt-4o"]);
    screen.press("what is this?");
    screen.press(&format!("\x1b[200~'{}'\x1b[201~", outside.display()));
    screen.shows("› what is this? [image a shot.png 16 bytes]");
    screen.press("\r");
    let asked = server.next();
    assert_eq!(images(&asked), [&json!(URL)]);
    asked.say("A picture.");
    screen.shows("image attached: ");
    screen.shows("A picture.");
    // What cannot be sent is back in the input.
    screen.press("see @missing.png\r");
    screen.shows("missing.png cannot be attached");
    screen.shows("› see @missing.png");
    assert!(!server.was_asked());
}

#[test]
fn the_line_mode_takes_images_the_same_way() {
    let world = world();
    let server = Server::start();
    let url = server.url();
    let mut running = world.start(&["--plain", "--url", &url, "--model", "gpt-4o"]);
    running.say("see @missing.png\nsee @shot.png\n");
    let asked = server.next();
    assert_eq!(images(&asked), [&json!(URL)]);
    asked.say("A picture.");
    running.say("quit\n");
    running.end().done().says("missing.png cannot be attached");
}
