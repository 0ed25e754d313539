//! What a program finds of a home folder and an environment.

use std::os::unix::fs::symlink;

use super::*;

/// Makes files in a home folder and returns what is found there.
fn found(
    files: &[&str],
    links: &[(&str, &str)],
    variables: &[(&str, &str)],
) -> (tempfile::TempDir, UserFiles) {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().join("home");
    for file in files {
        let file = home.join(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, "").expect("a file");
    }
    for (link, target) in links {
        symlink(home.join(target), home.join(link)).expect("a link");
    }
    let root = home.join("work/space");
    fs::create_dir_all(&root).expect("a folder");
    let own = [home.join(".local/state/signoff")];
    let place = UserPlace {
        home: &home,
        root: &root,
        own: &own,
    };
    let files = UserFiles::find(place, |name| {
        let named = variables.iter().find(|(own, _)| *own == name);
        named.map(|(_, value)| value.replace('~', &home.display().to_string()))
    });
    (folder, files)
}

fn below(folder: &tempfile::TempDir, paths: &[PathBuf]) -> Vec<String> {
    let home = folder.path().join("home");
    let each = paths
        .iter()
        .filter_map(|path| path.strip_prefix(&home).ok());
    let mut names: Vec<String> = each.map(|path| path.display().to_string()).collect();
    names.sort();
    names
}

#[test]
fn toolchains_and_caches_are_found_and_nothing_else_of_the_home_folder() {
    let files = [
        ".cargo/bin/cargo",
        ".cargo/credentials.toml",
        ".cargo/registry/x",
        ".rustup/x",
        ".local/bin/tool",
        ".local/share/keyrings/x",
        ".cache/pip/x",
        ".cache/browser/x",
        ".ssh/id",
        "tools/node/bin/node",
        "tools/node/lib/x",
        "service/bin/tool",
        "service/credentials.json",
        "own/registry/x",
        "work/space/node_modules/.bin/tsc",
        "work/bin/x",
    ];
    let path = "~/.cargo/bin:~/.local/bin:~/tools/node/bin:~/service/bin:~:~/work/space/node_modules/.bin:~/work/bin:/usr/bin";
    let (folder, files) = found(&files, &[], &[("PATH", path)]);
    let shown = below(&folder, &files.shown);
    let expected = [
        ".cargo/bin",
        ".local/bin",
        ".rustup",
        "service/bin",
        "tools/node/bin",
        "tools/node/lib",
        "work/bin",
    ];
    assert_eq!(shown, expected);
    assert_eq!(
        below(&folder, &files.caches),
        [".cache/pip", ".cargo/registry"]
    );
}

#[test]
fn a_build_folder_need_not_be_there_and_is_no_folder_of_the_users() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["home/ws", "state", "there"] {
        fs::create_dir_all(at(folder.path(), name)).expect("a folder");
    }
    let own = [at(folder.path(), "state")];
    let (home, root) = (at(folder.path(), "home"), at(folder.path(), "home/ws"));
    let place = UserPlace {
        home: &home,
        root: &root,
        own: &own,
    };
    for (named, is_given) in [
        ("there", true),
        ("missing/target", true),
        ("home/missing", true),
        ("home", false),
        ("home/ws/target", false),
        ("state/x", false),
        ("missing/../home/x", false),
    ] {
        let path = at(folder.path(), named);
        let value = path.display().to_string();
        let found = UserFiles::find(place, |name| {
            (name == "CARGO_TARGET_DIR").then(|| value.clone())
        });
        assert_eq!(found.caches.contains(&path), is_given, "{named}");
    }
}

fn at(folder: &Path, name: &str) -> PathBuf {
    folder.join(name)
}

#[test]
fn a_variable_names_another_folder_and_a_link_is_followed() {
    let files = ["own/registry/x", "versions/1/bin/tool", "bin/other"];
    let links = [("bin/tool", "versions/1/bin/tool"), ("all", ".")];
    let variables = [
        ("CARGO_HOME", "~/own"),
        ("PATH", "~/bin"),
        ("NVM_DIR", "~/all"),
    ];
    let (folder, files) = found(&files, &links, &variables);
    assert_eq!(below(&folder, &files.shown), ["bin", "versions/1/bin/tool"]);
    assert_eq!(below(&folder, &files.caches), ["own/registry"]);
}

#[test]
fn variables_that_hold_keys_are_given_only_by_name() {
    let all = [
        ("PATH", "/bin"),
        ("LC_ALL", "C"),
        ("RUSTFLAGS", "-C x"),
        ("GITHUB_TOKEN", "x"),
        ("AWS_SECRET_ACCESS_KEY", "x"),
        ("NODE_AUTH_TOKEN", "x"),
        ("DATABASE_URL", "postgres://u:p@h/d"),
        ("CARGO_BUILD_URL", "https://u:p@h/"),
        ("PYTHONPATH", "/x"),
        ("SSH_AUTH_SOCK", "/run/x"),
        ("PYTHON_GITLAB_PAT", "x"),
        ("https_proxy", "u:p@proxy:8080"),
        ("HTTPS_PROXY", "http://proxy"),
        ("NAMED", "x"),
        ("RUST_GH", "ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        ("CARGO_BUILD_X", "Bearer x"),
        ("NODE_JWT", "eyJhbGciOi.eyJzdWIi.c2ln"),
        ("NODE_CONFIG", r#"{"db": {"password" : "x"}}"#),
        ("PYTHON_PW", "x"),
        ("RUSTUP_DIST_SERVER", "https://h/x?private_token=x"),
        ("PYTHON_BASIC", "Basic am9lOnNlY3JldA=="),
        ("RUSTC_LOGIN", "joe:pw"),
        ("NODE_DB", "Server=h;User Id=joe;Password=hunter2"),
        ("PYTHON_DB", "host=h password=hunter2"),
        ("PYTHON_BLOBS", "AccountName=a;AccountKey=abc123=="),
        ("GOFLAGS", "-ldflags=-X=main.secret=abc"),
        ("LDFLAGS", "-X main.apiToken=abc"),
        ("CMAKE_ARGS", "-DTOKEN=abc -DX=1"),
        ("MAKEFLAGS", "-j4 -- PASSWORD=abc"),
        (
            "CFLAGS",
            "-DKEY_SIZE=4 -DTOKEN -DWITH_AUTH=ON -DMAX_PASSES=3",
        ),
        ("CXXFLAGS", "-O2 -fdebug-prefix-map=/a=/b"),
        ("PYTHONWARNINGS", "error::DeprecationWarning"),
        ("RUST_LOG", "info,server::auth=debug"),
        ("NODE_PATH", "/x/secrets:/y/keys"),
        ("GIT_AUTHOR_EMAIL", "a@b"),
        ("GIT_COMMITTER_NAME", "Bearer x"),
        ("GIT_AUTH", "x"),
    ];
    let all = all.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let given = environment(all.into_iter(), &["NAMED".to_owned()]);
    let given: Vec<String> = given.into_iter().map(|(name, _)| name).collect();
    let expected = [
        "PATH",
        "LC_ALL",
        "RUSTFLAGS",
        "PYTHONPATH",
        "HTTPS_PROXY",
        "NAMED",
        "CFLAGS",
        "CXXFLAGS",
        "PYTHONWARNINGS",
        "RUST_LOG",
        "NODE_PATH",
        "GIT_AUTHOR_EMAIL",
    ];
    assert_eq!(given, expected);
}

#[test]
fn an_interpreter_is_shown_with_its_library_by_each_name_that_it_has() {
    let files = [
        "brew/bin/tool",
        "brew/Cellar/python/3.12/bin/python3.12",
        "brew/Cellar/python/3.12/lib/os.py",
        "hidden/bin/python3",
        "hidden/lib/os.py",
        "work/space/.venv/pyvenv.cfg",
        "work/space/.venv/bin/x",
        "work/space/venv/bin/x",
        "venvs/a/bin/x",
    ];
    let links = [
        ("brew/bin/python3", "brew/Cellar/python/3.12/bin/python3.12"),
        ("brew/opt", "brew/Cellar"),
        (
            "work/space/.venv/bin/python",
            "work/space/.venv/bin/python3",
        ),
        (
            "work/space/.venv/bin/python3",
            "brew/opt/python/3.12/bin/python3.12",
        ),
        // A repository can have any link: what is not shown for another reason is not shown for this one.
        ("work/space/venv/bin/python", "hidden/bin/python3"),
    ];
    let (folder, files) = found(&files, &links, &[("PATH", "~/brew/bin")]);
    let expected = [
        "brew/Cellar/python/3.12/bin/python3.12",
        "brew/Cellar/python/3.12/lib",
        "brew/bin",
        "brew/opt/python/3.12/bin/python3.12",
        "brew/opt/python/3.12/lib",
    ];
    assert_eq!(below(&folder, &files.shown), expected);
}

#[test]
fn the_users_own_environment_is_shown_with_what_it_was_made_of() {
    let files = [
        "venvs/a/bin/x",
        "elsewhere/bin/python3",
        "elsewhere/lib/os.py",
    ];
    let links = [("venvs/a/bin/python", "elsewhere/bin/python3")];
    let (folder, files) = found(&files, &links, &[("VIRTUAL_ENV", "~/venvs/a")]);
    let expected = ["elsewhere/bin/python3", "elsewhere/lib", "venvs/a"];
    assert_eq!(below(&folder, &files.shown), expected);
}
