//! What programs cannot do in an overlay: each is a way out that was open once, or beside one.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;

use serde_json::json;

use crate::commits::{IDENTITY, plainly};
use crate::run::sh;
use crate::untried::untried;
use crate::world::World;

/// Returns a world whose programs run in an overlay, or none where the system makes none.
pub(crate) fn world(files: &[(&str, &str)]) -> Option<World> {
    let world = World::new(files);
    world.configure("[run]\nshadow = \"overlay\"\n");
    let tried = world.run(&["run", "--", "true"]);
    if tried.code == Some(125) {
        untried("confinement", &tried.stderr);
        return None;
    }
    Some(world)
}

#[test]
fn a_program_has_no_rights_and_finds_no_way_to_more() {
    let Some(world) = world(&[]) else { return };
    for (command, expected) in [
        (
            "grep -cP 'Cap.*:\\t0000000000000000' /proc/self/status",
            "5\n",
        ),
        ("grep NoNewPrivs /proc/self/status", "NoNewPrivs:\t1\n"),
        ("grep Seccomp: /proc/self/status", "Seccomp:\t2\n"),
        (
            "[ $(ls -d /proc/[0-9]* | wc -l) -lt 8 ] && echo few",
            "few\n",
        ),
        (
            "ls /dev | sort | tr '\\n' ' '",
            "fd full null ptmx pts random shm stderr stdin stdout tty urandom zero ",
        ),
        ("ls /tmp /var/tmp | grep -v : | tr -d '\\n'", ""),
        // By which `git` reaches hosts by SSH, and nothing else.
        ("find /run ! -type d", "/run/signoff/bin/signoff\n"),
        ("ls -A ~", ""),
    ] {
        let ran = sh(&world, command);
        // Where the workspace is in a temporary folder, that is there.
        let stdout = ran.stdout.lines().filter(|line| !line.contains("tmp"));
        let stdout: String = stdout.map(|line| format!("{line}\n")).collect();
        let expected: String = expected.lines().map(|line| format!("{line}\n")).collect();
        assert_eq!(stdout, expected, "{command}: {}", ran.stderr);
    }
    for command in [
        "mount -t tmpfs none /tmp",
        "umount /proc",
        "unshare -U true",
        "unshare -m true",
        "unshare -n true",
        "nsenter -t 1 -m true",
        "chroot / true",
        "hostname changed",
        "echo 1 > /proc/sys/kernel/core_pattern",
        "echo b > /proc/sysrq-trigger",
        "mknod device b 8 0",
        "mknod device c 1 1",
        "touch /usr/x /etc/x /x /dev/x /var/x",
        "echo > /dev/kmsg",
        "cat /proc/kcore | head -c 1 | grep .",
        "cat /proc/1/environ",
        "cat /proc/1/mem",
        "ls -l /proc/1/fd/",
        "kill -9 1; sleep 0.1; ls /proc/1/exe; false",
        "python3 -c 'import socket; socket.socket(40, 1)'",
        "python3 -c 'import socket; socket.socket(16, 3, 15)'",
        "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80), 1)'",
        "python3 -c 'import socket; socket.socket(17, 3, 768)'",
        "python3 -c 'import socket; socket.socket(2, 3, 1)'",
        "python3 -c 'import socket; socket.socket(2, 1, 132)'",
        "python3 -c 'import socket; socket.socket(38, 5)'",
        "python3 -c 'import socket; socket.socket(31, 3, 1)'",
        "python3 -c 'import socket; socket.socket(16, 3, 4)'",
        "python3 -c 'import socket; socket.socket(2, 2).sendto(b\"name\", (\"8.8.8.8\", 53))'",
        "python3 -c 'import socket; socket.socket(10, 2).sendto(b\"name\", (\"ff02::fb\", 5353))'",
        "python3 -c 'import socket; socket.socket(1).connect(\"\\0/tmp/.X11-unix/X0\")'",
        "python3 -c 'import socket; socket.getaddrinfo(\"a.example\", 80)'",
        "python3 -c 'import fcntl; fcntl.ioctl(0, 0x5412, b\"x\")'",
        "keyctl show",
        "dmesg",
        "su -c true",
    ] {
        let ran = sh(&world, &format!("({command}) >/dev/null"));
        assert_ne!(ran.code, Some(0), "{command}");
    }
}

#[test]
fn all_is_read_only_but_what_is_the_programs_own_and_layers_wait_for_no_disk() {
    let Some(world) = world(&[]) else { return };
    let mounts = sh(&world, "cat /proc/self/mountinfo").done().stdout;
    let mut own = Vec::new();
    for line in mounts.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let is_layer = line.contains("upperdir=");
        assert_eq!(line.contains("volatile"), is_layer, "{line}");
        if !fields[5].starts_with("ro,nosuid,nodev") {
            own.push(fields[4]);
        }
    }
    own.sort();
    let [home, root] = ["home", "ws"].map(|name| world.beside(name).display().to_string());
    let mut expected = vec![
        "/dev/full",
        "/dev/null",
        "/dev/pts",
        "/dev/random",
        "/dev/shm",
        "/dev/tty",
        "/dev/urandom",
        "/dev/zero",
        "/proc",
        "/run",
        "/tmp",
        "/var/tmp",
        &home,
        &root,
    ];
    expected.sort();
    assert_eq!(own, expected, "{mounts}");
}

#[test]
fn a_program_finds_no_secrets() {
    let Some(world) = world(&[(".env", "OWN=1\n")]) else {
        return;
    };
    let secrets = [
        ".npmrc",
        ".pgpass",
        ".netrc",
        ".ssh/id_ed25519",
        ".aws/credentials",
        ".config/gh/hosts.yml",
        ".config/google-chrome/Default/Cookies",
        ".mozilla/firefox/x/logins.json",
        ".cargo/credentials.toml",
        ".docker/config.json",
        ".kube/config",
        ".git-credentials",
        ".bash_history",
        ".local/share/keyrings/login.keyring",
        "own-notes.txt",
    ];
    for name in secrets {
        let file = world.beside(&format!("home/{name}"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "SECRET\n").unwrap();
    }
    fs::create_dir_all(world.beside("home/.cargo/bin")).unwrap();
    fs::write(
        world.beside("home/.gitconfig"),
        "[user]\n\tname = A B\n[http]\n\textraHeader = Authorization: SECRET\n",
    )
    .unwrap();
    let mut command = world.command(&["run", "--", "sh", "-c", "grep -rs SECRET ~ / --include='*' -l --exclude-dir=proc --exclude-dir=usr --exclude-dir=sys --exclude-dir=etc; env; git config user.name"]);
    for name in [
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "DATABASE_PASSWORD",
        "OWN_SETTING",
        "SSH_AUTH_SOCK",
        "NODE_AUTH_TOKEN",
    ] {
        command.env(name, "SECRET");
    }
    let ran = crate::world::finish(command, b"");
    assert!(
        !ran.stdout.contains("SECRET") && !ran.stdout.contains("home/"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("A B"), "{}", ran.stdout);
    // What the user names is there.
    world.configure(
        "[run]\nshadow = \"overlay\"\nshow = [\"~/own-notes.txt\"]\nenv = [\"OWN_SETTING\"]\n",
    );
    let mut command = world.command(&[
        "run",
        "--",
        "sh",
        "-c",
        "cat ~/own-notes.txt; echo $OWN_SETTING; echo x >> ~/own-notes.txt",
    ]);
    command.env("OWN_SETTING", "given");
    let ran = crate::world::finish(command, b"");
    assert_eq!(ran.stdout, "SECRET\ngiven\n", "{}", ran.stderr);
    assert_eq!(
        fs::read_to_string(world.beside("home/own-notes.txt")).unwrap(),
        "SECRET\n"
    );
}

#[test]
fn sockets_of_other_programs_are_out_of_reach() {
    let Some(world) = world(&[]) else { return };
    let _beside = UnixListener::bind(world.beside("socket")).unwrap();
    let _within = UnixListener::bind(world.at("socket")).unwrap();
    // A folder of the home folder that programs find.
    fs::create_dir_all(world.beside("home/.rustup")).unwrap();
    fs::write(world.beside("home/.rustup/settings.toml"), "own\n").unwrap();
    let shown = world.beside("home/.rustup/socket");
    let _shown = UnixListener::bind(&shown).unwrap();
    let found = sh(
        &world,
        "cat ~/.rustup/settings.toml; test -S ~/.rustup/socket",
    )
    .done();
    assert_eq!(found.stdout, "own\n");
    for path in [world.beside("socket"), world.at("socket"), shown] {
        let connect = format!(
            "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"{}\")'",
            path.display()
        );
        assert_ne!(sh(&world, &connect).code, Some(0), "{}", path.display());
    }
}

#[test]
fn a_program_holds_none_of_the_users_files() {
    let Some(world) = world(&[]) else { return };
    fs::write(world.beside("input"), "typed\n").unwrap();
    let output = fs::File::create(world.beside("output")).unwrap();
    let script = "cat; readlink /proc/self/fd/* | grep -c beside; chmod 777 /proc/self/fd/1 /proc/self/fd/0; ls /proc/self/fd | wc -l";
    let mut command = world.command(&["run", "--", "sh", "-c", script]);
    command
        .stdin(fs::File::open(world.beside("input")).unwrap())
        .stdout(output);
    assert!(command.status().unwrap().success());
    let printed = fs::read_to_string(world.beside("output")).unwrap();
    assert_eq!(printed, "typed\n0\n4\n");
    for name in ["input", "output"] {
        let mode = fs::metadata(world.beside(name))
            .unwrap()
            .permissions()
            .mode();
        assert_ne!(mode & 0o777, 0o777, "{name}");
    }
}

#[test]
fn whatever_a_program_leaves_stops_no_later_one() {
    let Some(world) = world(&[("a.txt", "a\n"), (".gitignore", "built/\n")]) else {
        return;
    };
    for command in [
        "chmod 000 .",
        "mkdir -p built/x; chmod 000 built",
        "mkdir closed; echo x > closed/x; chmod 000 closed",
        "python3 -c \"import os\nfor i in range(2000): os.mkdir('d' * 200); os.chdir('d' * 200)\"",
        "mkdir built; cd built; python3 -c \"import os\nfor i in range(2000): os.mkdir('d' * 200); os.chdir('d' * 200)\"",
        "mkdir -p a.d/b; ln -s / a.d/b/root; ln -s . a.d/self",
        "kill -9 -1; kill -9 $$",
    ] {
        sh(&world, command);
        world.run(&["deny", "--all", "--reason", "no"]);
        assert_eq!(sh(&world, "cat a.txt").stdout, "a\n", "{command}");
    }
}

#[test]
fn what_hides_itself_is_proposed() {
    let Some(world) = world(&[("a.txt", "a\n"), (".gitignore", "built/\n")]) else {
        return;
    };
    for (command, expected) in [
        ("echo '*' >> .gitignore; echo x > new", ".gitignore new"),
        ("echo '*' > .ignore; echo x > new", ".ignore new"),
        (
            "mkdir d; echo '*' > d/.gitignore; echo x > d/new",
            "d/.gitignore d/new",
        ),
        (
            "mkdir .git; mkdir .git/info; echo '*' > .git/info/exclude; echo x > new",
            "new",
        ),
    ] {
        sh(&world, command).done();
        let review = world.review();
        let paths: Vec<&str> = review
            .iter()
            .map(|own| own["path"].as_str().unwrap())
            .collect();
        assert_eq!(paths.join(" "), expected, "{command}");
        world.run(&["deny", "--all", "--reason", "no"]);
    }
}

#[test]
fn layers_of_the_user_and_of_checks_are_apart() {
    let Some(world) = world(&[(".gitignore", "built/\n")]) else {
        return;
    };
    sh(&world, "mkdir built; echo poison > built/tool").done();
    let layers = fs::read_dir(world.beside("state/signoff/workspaces")).unwrap();
    let shadow = layers.flatten().next().unwrap().path().join("shadow");
    assert!(shadow.join("user/0/workspace/upper/built/tool").exists());
    assert!(!shadow.join("checks/0/workspace/upper/built").exists());
}

#[test]
fn more_than_can_be_reviewed_is_refused_and_history_stays() {
    let Some(world) = world(&[("a.txt", "a\n")]) else {
        return;
    };
    sh(&world, "echo b > a.txt").done();
    world.run(&["approve", "--all"]).done();
    let flood = sh(
        &world,
        "for i in $(seq 60); do truncate -s 8000000 f$i; done; echo c > a.txt",
    )
    .done();
    assert!(
        flood.stderr.contains("more than 64 MiB"),
        "{}",
        flood.stderr
    );
    assert_eq!(world.review().len(), 0);
    world.run(&["deny", "--all", "--reason", "no"]);
    assert_eq!(world.history().len(), 1);
}

#[test]
fn only_what_this_program_wrote_is_kept_and_nothing_that_runs_by_itself() {
    let ignored = "built/\n.envrc\nnode_modules/\n.venv/\nenv/\n";
    let Some(world) = world(&[(".gitignore", ignored)]) else {
        return;
    };
    sh(&world, "mkdir built; echo 1 > built/earlier").done();
    let kept = sh_kept(
        &world,
        "echo 2 > built/now; echo x > .envrc; mkdir -p node_modules/.bin node_modules/p/.vscode; echo x > node_modules/.bin/tsc; \
         cd node_modules; echo y > p/package.json; echo x > p/.vscode/tasks.json; ln -s ../p/cli.js .bin/p; ln -s ../../tool .bin/out; \
         ln -s /bin/sh .bin/sh; cd ..; \
         mkdir -p .venv/bin .venv/lib env/bin; touch .venv/pyvenv.cfg .venv/bin/pytest .venv/lib/a.py env/bin/activate env/bin/x",
    );
    for (name, is_written) in [
        ("built/now", true),
        ("node_modules/p/package.json", true),
        ("node_modules/p/.vscode/tasks.json", false),
        (".venv/lib/a.py", true),
        ("env/bin/x", false),
        ("built/earlier", false),
        (".envrc", false),
        ("node_modules/.bin/tsc", false),
        ("node_modules/.bin/sh", false),
        (".venv/pyvenv.cfg", false),
        (".venv/bin/pytest", false),
        ("env/bin/activate", false),
    ] {
        assert_eq!(
            world.at(name).exists(),
            is_written,
            "{name}: {}",
            kept.stderr
        );
    }
    let link = |name: &str| std::fs::read_link(world.at(name)).is_ok();
    assert!(link("node_modules/.bin/p"), "{}", kept.stderr);
    assert!(!link("node_modules/.bin/out"), "{}", kept.stderr);
    let written = "4 ignored files (15 bytes) written: .venv, built, node_modules";
    for told in [
        written,
        "not written: .envrc: ",
        "not written: .venv/bin: ",
        "not written: env/bin: ",
    ] {
        assert!(kept.stderr.contains(told), "{told}: {}", kept.stderr);
    }
    let nothing = sh_kept(&world, "echo y > .envrc");
    assert!(
        !nothing.stderr.contains(" written: .envrc\n"),
        "{}",
        nothing.stderr
    );
    assert!(
        !nothing.stderr.contains("ignored file"),
        "{}",
        nothing.stderr
    );
}

/// Folders that cannot be staged are counted beyond a number, and hold no later program up.
#[test]
fn a_flood_of_what_cannot_be_staged_is_counted() {
    let Some(world) = world(&[("a.txt", "a\n")]) else {
        return;
    };
    let command = "for i in $(seq 1100); do echo e$i; done | xargs mkdir; mv a.txt e1/";
    let ran = world
        .run(&["run", "--json", "--", "sh", "-c", command])
        .done();
    let told = ran.json();
    assert_eq!(
        told["refused"].as_array().unwrap().len(),
        1000,
        "{}",
        ran.stderr
    );
    assert_eq!(told["refused_more"], 99);
    assert!(
        ran.stderr.contains("not staged: 1049 more"),
        "{}",
        ran.stderr
    );
}

fn sh_kept(world: &World, command: &str) -> crate::world::Ended {
    world.run(&["run", "--keep-ignored", "--", "sh", "-c", command])
}

#[test]
fn what_rules_deny_to_read_no_command_finds() {
    let Some(world) = world(&[("keys/own.txt", "SECRET\n"), ("a.txt", "a\n")]) else {
        return;
    };
    world.configure(
        "[run]\nshadow = \"overlay\"\n[[permissions]]\ntool = \"read\"\npattern = \"keys/*\"\naction = \"deny\"\n",
    );
    let bash = json!({ "delta": "call", "name": "bash", "arguments": {
        "command": "cat a.txt keys/own.txt; rm -f keys/own.txt; echo x >> keys/own.txt; echo b > a.txt" } });
    let answers = [
        json!({ "deltas": [bash] }),
        json!({ "deltas": [{ "delta": "text", "text": "Done." }] }),
    ];
    let replay = world.beside("replay.jsonl");
    let lines = answers.map(|answer| answer.to_string()).join("\n");
    fs::write(&replay, lines).unwrap();
    let exec = ["exec", "--json", "--replay", replay.to_str().unwrap(), "go"];
    let events = world.run(&exec);
    assert!(!events.stdout.contains("SECRET"), "{}", events.stdout);
    let review = world.review();
    let paths: Vec<&str> = review
        .iter()
        .map(|own| own["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["a.txt"]);
}

#[test]
fn a_link_that_leads_out_of_the_workspace_shows_nothing() {
    let Some(world) = world(&[("a.txt", "a\n")]) else {
        return;
    };
    fs::create_dir_all(world.beside("home/.ssh")).unwrap();
    fs::write(world.beside("home/.ssh/id"), "SECRET\n").unwrap();
    std::os::unix::fs::symlink("../home/.ssh", world.at("out")).unwrap();
    for command in [
        "cat out/id",
        "rm out; mkdir out; echo x > out/id",
        "cat out/id",
        "mkdir -p out; echo y > out/other; rm -f out/id",
        "rm -rf out; mv a.txt out",
    ] {
        let ran = sh(&world, command);
        let review = world.run(&["review"]).stdout;
        for said in [&ran.stdout, &ran.stderr, &review] {
            assert!(!said.contains("SECRET"), "{command}: {said}");
        }
    }
    world.run(&["deny", "--all", "--reason", "no"]);
    sh(&world, "ls").done();
    assert_eq!(world.review().len(), 0);
}

/// Git goes on where it was, in the workspace's repository and in the one around it, and each branch and file is named.
#[test]
fn git_works_on_what_programs_find_of_a_repository() {
    let Some(world) = world(&[("a.txt", "a\n"), ("sub/b.txt", "b\n")]) else {
        return;
    };
    let git = "export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b; \
               git init -q . && git add a.txt sub && git commit -qm first && echo c >> a.txt && git stash -q && \
               echo '#!/bin/sh' > .git/hooks/pre-commit && echo 'echo token=x; exit 1' >> .git/hooks/pre-commit && \
               chmod +x .git/hooks/pre-commit";
    let mut setup = std::process::Command::new("sh");
    let made = setup.args(["-c", git]).current_dir(world.root()).status();
    assert!(made.unwrap().success());
    let before = world.files();
    let quiet = sh(
        &world,
        "export GIT_OPTIONAL_LOCKS=0; git status; git log --oneline; git diff; git stash list",
    )
    .done();
    assert!(
        quiet.stdout.contains("first") && quiet.stdout.contains("stash@{0}"),
        "{quiet:?}"
    );
    assert!(quiet.stdout.contains("nothing to commit"), "{quiet:?}");
    assert!(!quiet.stderr.contains("not taken over"), "{quiet:?}");
    let script = "set -e; export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b; \
                  git stash pop; git add -A; git commit -m second; git log --oneline; git checkout -b other; \
                  git reset --hard HEAD~1; git reflog";
    let ran = sh(&world, script).done();
    assert!(ran.stdout.contains("second"), "{ran:?}");
    for told in ["\"second\" (1 file) on branch m", "new branch other"] {
        assert!(ran.stderr.contains(told), "{told}: {ran:?}");
    }
    assert_eq!(world.files(), before);
    let inner = "git --git-dir=../.git log --oneline; ls ../.git/hooks; cat ../.git/COMMIT_EDITMSG 2>&1 | grep -v No";
    let inner = world.run(&["-C", "sub", "run", "--", "sh", "-c", inner]);
    assert!(inner.stdout.ends_with("first\n"), "{inner:?}");
    assert_eq!(inner.stdout.lines().count(), 1, "{inner:?}");
}

#[test]
fn programs_read_the_repository_around_the_workspace_and_build_in_its_ignored_folders() {
    let files = [
        ("top.txt", "top\n"),
        ("lib/l.txt", "l\n"),
        ("sub/b.txt", "b\n"),
    ];
    let Some(world) = world(&files) else { return };
    plainly(
        &world,
        "git init -q -b main; printf 'target/\nout/\n' > .gitignore; mkdir out; git add .; git commit -qm first",
    );
    let before = world.files();
    let inner = |script: &str| world.run(&["-C", "sub", "run", "--", "sh", "-c", script]);
    let read = "git log --format=%s; git status --short; cat ../top.txt ../lib/l.txt; ls ..";
    let read = inner(read).done();
    assert_eq!(
        read.stdout,
        "first\ntop\nl\nlib\nout\nsub\ntarget\ntop.txt\n"
    );
    let built = "mkdir ../target/debug ../out/made; (echo x > ../lib/l.txt) || echo kept";
    assert_eq!(inner(built).done().stdout, "kept\n");
    // The next program finds what was built, and the disk has none of it.
    assert_eq!(
        inner("ls ../target ../out").done().stdout,
        "../out:\nmade\n\n../target:\ndebug\n"
    );
    let commit = format!("{IDENTITY}git commit --allow-empty -qm x");
    inner(&commit).done().says("waits for a sign-off");
    assert_eq!(world.files(), before);
    // Rules of the workspace do not know its names.
    world.configure("[run]\nshadow = \"overlay\"\n[[permissions]]\ntool = \"read\"\npattern = \"keys/*\"\naction = \"deny\"\n");
    inner("cat ../top.txt").ends(1);
    inner(&commit).ends(128).says(
        "the repository lies outside of the workspace and is read-only to programs: if that is why it failed, `/commit`",
    );
}

#[test]
fn what_stands_in_settings_of_the_repository_and_of_services_is_not_shown() {
    let Some(world) = world(&[("a.txt", "a\n")]) else {
        return;
    };
    let git = "git init -q . && git remote add origin https://user:SECRET@host/repo";
    let mut setup = std::process::Command::new("sh");
    let made = setup.args(["-c", git]).current_dir(world.root()).status();
    assert!(made.unwrap().success());
    world.program(
        &world.beside("home/.fly/bin/tool"),
        "#!/bin/sh\necho tool\n",
    );
    fs::write(world.beside("home/.fly/config.yml"), "SECRET\n").unwrap();
    let settings =
        "[remote \"o\"]\n\turl = https://h/r?private_token=SECRET\n[core]\n\tpager = less\n";
    for name in [
        "modules/lib/config",
        "modules/deep/er/config",
        "worktrees/w/config.worktree",
        "config.worktree",
        "credentials",
    ] {
        world.write(&format!(".git/{name}"), settings);
    }
    for name in [
        "config.orig",
        "config~",
        ".git-credentials",
        "branches/origin",
        "lfs/x",
        "gc.log",
    ] {
        world.write(&format!(".git/{name}"), "SECRET\n");
    }
    world.write(
        ".git/hooks/pre-push",
        "curl -H 'Authorization: Bearer SECRET'\n",
    );
    let cloned = "0 1 A <a@b> 1 +0000\tclone: from https://user:SECRET@host/repo\n";
    world.write(".git/logs/HEAD", cloned);
    world.write(".git/logs/refs/remotes/origin/HEAD", cloned);
    fs::create_dir_all(world.beside("home/.local/share/uv/credentials")).unwrap();
    for name in [
        ".local/share/uv/credentials/credentials.toml",
        ".nvm/versions/node/v22/etc/npmrc",
        ".dotnet/corefx/cryptography/x509stores/my/own.pfx",
    ] {
        let file = world.beside(&format!("home/{name}"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "SECRET\n").unwrap();
    }
    let script = "tool; cat .git/config ~/.fly/config.yml; git remote -v; git status --short; echo $HTTPS_PROXY; \
                  cat .git/modules/lib/config; grep -rs SECRET .git ~";
    let mut command = world.command(&["run", "--net", "--", "sh", "-c", script]);
    let path = format!("{}:/usr/bin:/bin", world.beside("home/.fly/bin").display());
    command
        .env("PATH", path)
        .env("HTTPS_PROXY", "user:SECRET@proxy:8080");
    let ran = crate::world::finish(command, b"");
    assert!(ran.stdout.starts_with("tool\n"), "{ran:?}");
    assert!(ran.stdout.contains("?? a.txt"), "{ran:?}");
    assert!(ran.stdout.contains("pager = less"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("SECRET"), "{}", ran.stdout);
}

#[test]
fn an_ignored_file_that_the_user_saved_meanwhile_is_not_overwritten() {
    let Some(world) = world(&[(".gitignore", "*.log\nvendor/\n"), ("x.log", "1\n")]) else {
        return;
    };
    fs::create_dir_all(world.at("vendor/lib/.git")).unwrap();
    let script = "echo theirs > x.log; echo new > y.log; mkdir -p vendor/lib/.git/hooks; \
                  echo x > vendor/lib/.git/hooks/post-checkout; echo v > vendor/v; echo ready; read go";
    let mut running = world.start(&["run", "--keep-ignored", "--", "sh", "-c", script]);
    assert_eq!(running.line(), "ready\n");
    world.write("x.log", "mine\n");
    running.say("go\n");
    let ended = running.end();
    assert_eq!(world.text("x.log"), "mine\n", "{}", ended.stderr);
    assert!(
        ended.stderr.contains("not written: x.log"),
        "{}",
        ended.stderr
    );
    assert_eq!(world.text("y.log"), "new\n");
    assert_eq!(world.text("vendor/v"), "v\n");
    assert!(!world.at("vendor/lib/.git/hooks").exists());
}

#[test]
fn what_is_moved_to_where_files_are_ignored_is_not_deleted() {
    let Some(world) = world(&[
        (".gitignore", "built/\n"),
        ("a.txt", "a\n"),
        ("b.txt", "b\n"),
    ]) else {
        return;
    };
    sh(&world, "mkdir built; mv a.txt built/; rm b.txt").done();
    let ended = world.run(&["approve", "--all"]).ends(3);
    ended.says("what it removes is in built/a.txt, which is not staged");
    assert!(world.at("a.txt").exists() && !world.at("b.txt").exists());
}

#[test]
fn an_ignored_link_that_leads_elsewhere_is_not_written() {
    let Some(world) = world(&[(".gitignore", "built/\n"), ("a.txt", "a\n")]) else {
        return;
    };
    fs::write(world.beside("own"), "mine\n").unwrap();
    let script = format!(
        "mkdir built; cd built; ln -s {} out; ln -s ../.git/hooks h; ln -s ../a.txt in; ln -s in own",
        world.beside("own").display()
    );
    let ran = world
        .run(&["run", "--keep-ignored", "--", "sh", "-c", &script])
        .done();
    for (name, is_written) in [("out", false), ("h", false), ("in", true), ("own", true)] {
        let there = fs::symlink_metadata(world.at("built").join(name)).is_ok();
        assert_eq!(there, is_written, "{name}: {}", ran.stderr);
    }
}
