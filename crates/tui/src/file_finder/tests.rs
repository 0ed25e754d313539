//! The search of files: in: files and questions. Out: what is listed, in which order.

use super::*;

fn search(files: &[&str]) -> Search {
    let (sender, _) = mpsc::channel();
    let listed = files.iter().rev().zip(1..).map(|(path, changed)| Listed {
        path: (*path).into(),
        changed,
    });
    let mut search = Search {
        root: PathBuf::from("/nowhere"),
        reserved: Default::default(),
        sender,
        files: listed.collect(),
        listing: None,
        listed_at: Some(Instant::now()),
        definitions: Vec::new(),
        known: Definitions::default(),
        matcher: Matcher::new(Config::DEFAULT.match_paths()),
    };
    search.end_listing();
    search
}

fn names(search: &mut Search, query: &str, staged: &[&str]) -> Vec<String> {
    let found = search.find(&Wanted {
        query: query.to_owned(),
        staged: staged.iter().map(|path| (*path).to_owned()).collect(),
    });
    found.choices.into_iter().map(|it| it.name).collect()
}

#[test]
fn what_changed_last_comes_first_and_what_is_staged_before_it() {
    let mut search = search(&["src/new.rs", "src/old.rs", "docs/oldest.md"]);
    let all = ["src/new.rs", "src/old.rs", "docs/oldest.md"];
    assert_eq!(names(&mut search, "", &[]), all);
    let staged = names(&mut search, "", &["src/old.rs", "not_yet.rs"]);
    assert_eq!(staged[..2], ["src/old.rs", "not_yet.rs"]);
    assert_eq!(names(&mut search, "srcold", &[]), ["src/old.rs"]);
    assert_eq!(names(&mut search, "md", &[]), ["docs/oldest.md"]);
    assert!(names(&mut search, "zz", &[]).is_empty());
}

#[test]
fn images_are_listed_and_said_to_be_some() {
    let mut search = search(&["img/shot.PNG", "src/png.rs"]);
    let found = search.find(&Wanted {
        query: "png".to_owned(),
        staged: Vec::new(),
    });
    let mut listed: Vec<(&str, &str)> = found
        .choices
        .iter()
        .map(|it| (it.mention.as_str(), it.about.as_str()))
        .collect();
    listed.sort_unstable();
    assert_eq!(listed, [("@img/shot.PNG", "image"), ("@src/png.rs", "")]);
}

#[test]
fn definitions_are_found_by_their_names() {
    let mut search = search(&["src/reader.rs"]);
    assert!(names(&mut search, "parsehead", &[]).is_empty());
    search.definitions = vec![Definition {
        name: "Reader.parse_header".to_owned(),
        what: "method",
        path: "src/reader.rs".into(),
    }];
    assert_eq!(
        names(&mut search, "parsehead", &[]),
        ["Reader.parse_header"]
    );
    assert_eq!(names(&mut search, "", &[]), ["src/reader.rs"]);
}

/// Files are listed by the ignore rules, and definitions read, on other threads.
#[test]
fn files_and_definitions_of_a_folder_are_found() {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in [
        (".gitignore", "target\n"),
        ("target/out.rs", "fn hidden() {}\n"),
        (
            "src/reader.rs",
            "struct Reader;\nimpl Reader {\n    fn parse_header() {}\n}\n",
        ),
    ] {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let (sender, reports) = mpsc::channel();
    let report = move |found| sender.send(found).is_ok();
    let finder = FileFinder::start(folder.path().to_owned(), Default::default(), report).unwrap();
    let find = |query: &str, expected: &str| {
        finder.find(Wanted {
            query: query.to_owned(),
            staged: Vec::new(),
        });
        let all = reports.iter().find_map(|found: Found| {
            let has = found.choices.iter().any(|it| it.mention == expected);
            (has && found.query == query).then_some(found)
        });
        let all = all.unwrap().choices;
        assert!(
            all.iter().all(|it| !it.mention.contains("target/")),
            "{all:?}"
        );
    };
    find("reader", "@src/reader.rs");
    find("header", "@Reader.parse_header");
}
