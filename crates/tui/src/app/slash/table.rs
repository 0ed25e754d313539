//! Table of slash commands, in the order in which help shows them.

/// Every command, for the help screen.
pub(crate) const COMMANDS: &[(&str, &str)] = &[
    ("/help", "show the keys"),
    ("/review", "open the review: give verdicts on what waits"),
    (
        "/diff",
        "one diff of all that waits; turn or session after it: of what that changed",
    ),
    (
        "/places",
        "choose where an edit goes that fits several places",
    ),
    ("/status", "what waits and was decided, mode, model, checks"),
    ("/history, /log", "show what was written"),
    (
        "/approve",
        "approve all waiting hunks; what is unseen is shown first",
    ),
    ("/approve all", "approve all waiting hunks, also unseen"),
    ("/deny REASON", "deny all that wait"),
    ("/revert PATH", "take back the last change of a file"),
    (
        "/redo",
        "put back what was last taken back, in all of its files",
    ),
    ("/undo", "take back all of the last changeset"),
    ("/mode NAME", "plan, step, turn or write-through"),
    (
        "/theme NAME",
        "colours for this run: dark, light, high-contrast-dark, …",
    ),
    ("/retry", "ask again after a fault or a silence"),
    ("/compact", "make the conversation shorter"),
    (
        "/comments send",
        "send the comments of the review to the model",
    ),
    (
        "/critique",
        "have the review agent look at what waits; stop after it ends that",
    ),
    ("/plan", "go on with a plan that is held at a step"),
    ("/agent NAME TASK", "give an agent a task"),
    ("/agents", "list the agents, with their tools"),
    (
        "/bg PROMPT",
        "start a background agent; /bg alone lists them",
    ),
    ("/attached", "list the files that the model is given"),
    ("/detach PATH", "give it this file no more"),
    (
        "/mcp NAME",
        "MCP servers; start this one; allow or refuse before a name that the workspace brings",
    ),
    ("/new", "begin another conversation"),
    ("/fork", "go on with a copy of this one"),
    ("/sessions", "pick an earlier conversation to go on with"),
    ("/resume ID", "go on with an earlier one"),
    ("/model NAME", "pick a model to ask, or ask this one"),
    ("/copy", "copy the last answer, by the terminal"),
    (
        "/export PATH",
        "write the conversation to this new file, or beside the log",
    ),
    ("/quit", "quit signoff"),
    ("//TEXT", "send text that begins with a /"),
    ("!COMMAND", "run a command; what it changes is staged"),
];
