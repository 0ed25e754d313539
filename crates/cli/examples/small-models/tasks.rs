//! One-line tasks on small projects.

/// A task.
pub(crate) struct Task {
    /// What it is called.
    pub(crate) name: &'static str,
    /// The project.
    pub(crate) files: &'static [(&'static str, &'static str)],
    /// What the user asks for.
    pub(crate) request: &'static str,
    /// The file that is to change, and the ways in which that is right: old text and new.
    pub(crate) change: (&'static str, &'static [(&'static str, &'static str)]),
}

const SHOP_PY: &str = "\"\"\"A small shop.\"\"\"\n\nfrom dataclasses import dataclass\n\nTAX = 0.19\nMAX_ITEMS = 20\n\n\n@dataclass\nclass Item:\n    name: str\n    price: float\n    count: int = 1\n\n\nclass Cart:\n    def __init__(self):\n        self.items = []\n\n    def add(self, item):\n        if len(self.items) > MAX_ITEMS:\n            raise ValueError(\"the cart is full\")\n        self.items.append(item)\n\n    def remove(self, name):\n        self.items = [item for item in self.items if item.name != name]\n\n    def total(self):\n        total = 0\n        for item in self.items:\n            total += item.price\n        return total * (1 + TAX)\n\n    def is_empty(self):\n        return len(self.items) == 0\n\n\ndef describe(cart):\n    lines = []\n    for item in cart.items:\n        lines.append(f\"{item.count} x {item.name}: {item.price:.2f}\")\n    lines.append(f\"Totl: {cart.total():.2f}\")\n    return \"\\n\".join(lines)\n";
const SHOP_TEST: &str = "from shop import Cart, Item\n\n\ndef test_empty():\n    assert Cart().is_empty()\n\n\ndef test_total():\n    cart = Cart()\n    cart.add(Item(\"pen\", 2.0))\n    assert round(cart.total(), 2) == 2.38\n";
const SHOP: &[(&str, &str)] = &[
    ("shop.py", SHOP_PY),
    ("test_shop.py", SHOP_TEST),
    (
        "README.md",
        "# Shop\n\nA small shop.\n\n## Usage\n\n    python -m shop\n",
    ),
];
const TEMPERATURE_RS: &str = "//! Temperatures.\n\n/// A scale.\n#[derive(Clone, Copy, Debug)]\npub enum Scale {\n    Celsius,\n    Fahrenheit,\n}\n\n/// Degrees on a scale.\n#[derive(Clone, Copy, Debug)]\npub struct Temperature {\n    pub degrees: f64,\n    pub scale: Scale,\n}\n\nimpl Temperature {\n    /// Makes one.\n    pub fn new(degrees: f64, scale: Scale) -> Self {\n        Self { degrees, scale }\n    }\n\n    /// Returns it in degrees Celsius.\n    pub fn celsius(&self) -> f64 {\n        match self.scale {\n            Scale::Celsius => self.degrees,\n            Scale::Fahrenheit => (self.degrees + 32.0) * 5.0 / 9.0,\n        }\n    }\n\n    /// Returns whether water freezes.\n    pub fn freezes(&self) -> bool {\n        self.celsius() <= 0.0\n    }\n}\n";
const TEMPERATURE: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[package]\nname = \"temperature\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    ),
    ("src/lib.rs", "pub mod temperature;\n"),
    ("src/temperature.rs", TEMPERATURE_RS),
];
const QUEUE_JS: &str = "'use strict';\n\nconst DEFAULT_RETRIES = 3;\nconst DELAY_MS = 100;\n\nclass Queue {\n  constructor(worker, retries = DEFAULT_RETRIES) {\n    this.worker = worker;\n    this.retries = retries;\n    this.jobs = [];\n    this.running = false;\n  }\n\n  push(job) {\n    this.jobs.push(job);\n    this.run();\n  }\n\n  async run() {\n    if (this.running) return;\n    this.running = true;\n    while (this.jobs.length > 0) {\n      const job = this.jobs.pop();\n      await this.attempt(job);\n    }\n    this.running = false;\n  }\n\n  async attempt(job) {\n    for (let i = 0; i < this.retries; i++) {\n      try {\n        return await this.worker(job);\n      } catch (error) {\n        console.log('retrying', error.message);\n        await sleep(DELAY_MS);\n      }\n    }\n  }\n}\n\nfunction sleep(ms) {\n  return new Promise((resolve) => setTimeout(resolve, ms));\n}\n\nmodule.exports = { Queue, sleep };\n";
const QUEUE: &[(&str, &str)] = &[
    (
        "package.json",
        "{\n  \"name\": \"queue\",\n  \"version\": \"1.2.0\",\n  \"main\": \"queue.js\",\n  \"scripts\": {\n    \"test\": \"node test.js\"\n  }\n}\n",
    ),
    ("queue.js", QUEUE_JS),
    (
        "test.js",
        "const { Queue } = require('./queue');\nnew Queue(async (job) => console.log(job)).push(1);\n",
    ),
];
const SERVER_GO: &str = "package main\n\nimport (\n\t\"fmt\"\n\t\"log\"\n\t\"net/http\"\n)\n\nconst addr = \":8080\"\n\nfunc hello(w http.ResponseWriter, r *http.Request) {\n\tname := r.URL.Query().Get(\"name\")\n\tif name == \"\" {\n\t\tname = \"world\"\n\t}\n\tfmt.Fprintf(w, \"hello %s\\n\", name)\n}\n\nfunc health(w http.ResponseWriter, r *http.Request) {\n\tw.WriteHeader(http.StatusOK)\n}\n\nfunc main() {\n\thttp.HandleFunc(\"/hello\", hello)\n\thttp.HandleFunc(\"/health\", health)\n\tlog.Fatal(http.ListenAndServe(addr, nil))\n}\n";
const SERVER: &[(&str, &str)] = &[
    ("go.mod", "module server\n\ngo 1.21\n"),
    ("main.go", SERVER_GO),
    (
        "config.yaml",
        "port: 8080\nlog:\n  level: info\n  format: text\n",
    ),
];

const EVENTS: &[(&str, &str)] = &[
    (
        "eventlog.py",
        "import json\nimport time\nfrom pathlib import Path\n\n\nclass EventLog:\n    \"\"\"Writes events to a file, one JSON object a line.\"\"\"\n\n    def __init__(self, path, limit=1000):\n        self.path = Path(path)\n        self.limit = limit\n        self.buffer = []\n\n    def add(self, kind, **fields):\n        event = {\"time\": time.time(), \"kind\": kind}\n        event.update(fields)\n        self.buffer.append(event)\n        if len(self.buffer) > 50:\n            self.flush()\n\n    def flush(self):\n        with self.path.open(\"w\") as file:\n            for event in self.buffer:\n                file.write(json.dumps(event) + \"\\n\")\n        self.buffer.clear()\n\n    def read(self, kind=None):\n        if not self.path.exists():\n            return None\n        events = [json.loads(line) for line in self.path.read_text().splitlines()]\n        if kind:\n            events = [event for event in events if event[\"kind\"] == kind]\n        return events[: self.limit]\n",
    ),
    ("README.md", "# Events\n\nA log of events.\n"),
    (
        "test_eventlog.py",
        "from eventlog import EventLog\n\n\ndef test_empty(tmp_path):\n    assert not EventLog(tmp_path / \"log\").read()\n",
    ),
];
const CACHE: &[(&str, &str)] = &[
    (
        "src/cache.rs",
        "use std::collections::HashMap;\n\n/// A cache with a limit.\npub struct Cache {\n    entries: HashMap<String, String>,\n    limit: usize,\n    hits: u64,\n}\n\nimpl Cache {\n    pub fn new(limit: usize) -> Self {\n        Cache { entries: HashMap::new(), limit, hits: 0 }\n    }\n\n    /// Looks up a key.\n    pub fn get(&mut self, key: &str) -> Option<&String> {\n        let found = self.entries.get(key);\n        found\n    }\n\n    /// Stores a value, if there is room.\n    pub fn put(&mut self, key: &str, value: &str) -> bool {\n        if self.entries.len() > self.limit {\n            return false;\n        }\n        self.entries.insert(key.to_string(), value.to_string());\n        true\n    }\n\n    /// Removes a key.\n    pub fn remove(&mut self, key: &str) {\n        self.entries.remove(key);\n    }\n\n    /// Returns the number of entires.\n    pub fn len(&self) -> usize {\n        self.entries.len()\n    }\n}\n",
    ),
    (
        "Cargo.toml",
        "[package]\nname = \"cache\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    ),
    ("src/lib.rs", "pub mod cache;\n"),
];
const API: &[(&str, &str)] = &[
    (
        "src/api.ts",
        "import { Request, Response } from \"express\";\n\nexport interface User {\n  id: number;\n  name: string;\n  email?: string;\n}\n\nconst users: User[] = [];\n\nexport function listUsers(req: Request, res: Response) {\n  const limit = Number(req.query.limit ?? 20);\n  res.json(users.slice(0, limit));\n}\n\nexport function getUser(req: Request, res: Response) {\n  const user = users.find((user) => user.id === Number(req.params.id));\n  if (!user) {\n    res.status(400).json({ error: \"user not found\" });\n    return;\n  }\n  res.json(user);\n}\n\nexport function createUser(req: Request, res: Response) {\n  const user: User = { id: users.length + 1, name: req.body.name };\n  users.push(user);\n  res.json(user);\n}\n",
    ),
    (
        "package.json",
        "{\n  \"name\": \"api\",\n  \"version\": \"1.0.0\"\n}\n",
    ),
    (
        "src/index.ts",
        "import express from \"express\";\nimport { createUser, getUser, listUsers } from \"./api\";\n\nconst app = express();\napp.get(\"/users\", listUsers);\napp.get(\"/users/:id\", getUser);\napp.post(\"/users\", createUser);\napp.listen(3000);\n",
    ),
];
const CONFIG: &[(&str, &str)] = &[
    (
        "config/config.go",
        "package config\n\nimport (\n\t\"os\"\n\t\"strconv\"\n)\n\n// Config is what the service needs to start.\ntype Config struct {\n\tHost    string\n\tPort    int\n\tVerbose bool\n}\n\n// Load reads the configuration from the environment.\nfunc Load() (Config, error) {\n\tconfig := Config{Host: \"localhost\", Port: 3000}\n\tif host := os.Getenv(\"APP_HOST\"); host != \"\" {\n\t\tconfig.Host = host\n\t}\n\tif port := os.Getenv(\"APP_PORT\"); port != \"\" {\n\t\tnumber, err := strconv.Atoi(port)\n\t\tif err != nil {\n\t\t\treturn config, nil\n\t\t}\n\t\tconfig.Port = number\n\t}\n\treturn config, nil\n}\n\n// Address returns the address to listen on.\nfunc (c Config) Address() string {\n\treturn c.Host + \":\" + strconv.Itoa(c.Port)\n}\n",
    ),
    ("go.mod", "module service\n\ngo 1.21\n"),
    (
        "main.go",
        "package main\n\nimport (\n\t\"fmt\"\n\n\t\"service/config\"\n)\n\nfunc main() {\n\tloaded, err := config.Load()\n\tfmt.Println(loaded.Address(), err)\n}\n",
    ),
];
const STATISTICS: &[(&str, &str)] = &[
    (
        "stats.py",
        "def mean(values):\n    return sum(values) / len(values)\n\n\ndef median(values):\n    ordered = sorted(values)\n    middle = len(ordered) // 2\n    if len(ordered) % 2:\n        return ordered[middle]\n    return (ordered[middle] + ordered[middle + 1]) / 2\n\n\ndef mode(values):\n    counts = {}\n    for value in values:\n        counts[value] = counts.get(value, 0) + 1\n    return min(counts, key=counts.get)\n",
    ),
    ("README.md", "# Statistics\n"),
    (
        "test_stats.py",
        "from stats import mean, median\n\n\ndef test_mean():\n    assert mean([1, 3]) == 2\n\n\ndef test_median():\n    assert median([3, 1, 2]) == 2\n",
    ),
];
const MESSAGES: &[(&str, &str)] = &[
    (
        "src/messages.rs",
        "pub const WELCOME: &str = \"Welcome to the aplication\";\npub const GOODBYE: &str = \"See you soon\";\npub const NOT_FOUND: &str = \"The file was not found\";\n\npub fn greeting(name: &str) -> String {\n    format!(\"{WELCOME}, {name}!\")\n}\n",
    ),
    (
        "Cargo.toml",
        "[package]\nname = \"greeter\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    ),
    (
        "src/main.rs",
        "mod messages;\n\nfn main() {\n    println!(\"{}\", messages::greeting(\"you\"));\n}\n",
    ),
];

/// The tasks.
pub(crate) const TASKS: &[Task] = &[
    Task {
        name: "typo",
        files: SHOP,
        request: "Fix the typo \"Totl\" in shop.py",
        change: ("shop.py", &[("Totl", "Total")]),
    },
    Task {
        name: "constant",
        files: SHOP,
        request: "In shop.py, set the tax to 0.21",
        change: ("shop.py", &[("TAX = 0.19", "TAX = 0.21")]),
    },
    Task {
        name: "off-by-one",
        files: SHOP,
        request: "shop.py: a cart must not hold more than MAX_ITEMS items; the comparison in add is off by one",
        change: ("shop.py", &[("> MAX_ITEMS", ">= MAX_ITEMS")]),
    },
    Task {
        name: "multiply",
        files: SHOP,
        request: "In shop.py, total() must multiply the price by the count of each item",
        change: (
            "shop.py",
            &[
                (
                    "total += item.price\n",
                    "total += item.price * item.count\n",
                ),
                (
                    "total += item.price\n",
                    "total += item.count * item.price\n",
                ),
            ],
        ),
    },
    Task {
        name: "message",
        files: SHOP,
        request: "In shop.py, change the error message to \"too many items\"",
        change: ("shop.py", &[("the cart is full", "too many items")]),
    },
    Task {
        name: "simplify",
        files: SHOP,
        request: "In shop.py, is_empty should return `not self.items`",
        change: (
            "shop.py",
            &[("return len(self.items) == 0", "return not self.items")],
        ),
    },
    Task {
        name: "heading",
        files: SHOP,
        request: "In README.md, rename the heading Usage to Running",
        change: ("README.md", &[("## Usage", "## Running")]),
    },
    Task {
        name: "formula",
        files: TEMPERATURE,
        request: "src/temperature.rs: the conversion from Fahrenheit must subtract 32, not add it",
        change: (
            "src/temperature.rs",
            &[("self.degrees + 32.0", "self.degrees - 32.0")],
        ),
    },
    Task {
        name: "derive",
        files: TEMPERATURE,
        request: "Derive PartialEq for Scale in src/temperature.rs",
        change: (
            "src/temperature.rs",
            &[(
                "#[derive(Clone, Copy, Debug)]\npub enum",
                "#[derive(Clone, Copy, Debug, PartialEq)]\npub enum",
            )],
        ),
    },
    Task {
        name: "order",
        files: QUEUE,
        request: "queue.js takes the newest job first; it must take the oldest first",
        change: ("queue.js", &[("this.jobs.pop()", "this.jobs.shift()")]),
    },
    Task {
        name: "default",
        files: QUEUE,
        request: "In queue.js, retry 5 times by default",
        change: (
            "queue.js",
            &[("DEFAULT_RETRIES = 3", "DEFAULT_RETRIES = 5")],
        ),
    },
    Task {
        name: "log",
        files: QUEUE,
        request: "In queue.js, use console.error instead of console.log",
        change: ("queue.js", &[("console.log", "console.error")]),
    },
    Task {
        name: "status",
        files: SERVER,
        request: "In main.go, the health handler should answer with http.StatusNoContent",
        change: ("main.go", &[("http.StatusOK", "http.StatusNoContent")]),
    },
    Task {
        name: "level",
        files: SERVER,
        request: "Set the log level in config.yaml to debug",
        change: ("config.yaml", &[("level: info", "level: debug")]),
    },
    Task {
        name: "append",
        files: EVENTS,
        request: "flush in eventlog.py overwrites the file; it must append",
        change: ("eventlog.py", &[("open(\"w\")", "open(\"a\")")]),
    },
    Task {
        name: "empty",
        files: EVENTS,
        request: "read() in eventlog.py should return an empty list when the file does not exist",
        change: ("eventlog.py", &[("return None", "return []")]),
    },
    Task {
        name: "buffer",
        files: EVENTS,
        request: "eventlog.py should flush after 100 buffered events instead of 50",
        change: ("eventlog.py", &[("> 50", "> 100")]),
    },
    Task {
        name: "room",
        files: CACHE,
        request: "src/cache.rs: put stores one entry too many, fix the comparison",
        change: ("src/cache.rs", &[("> self.limit", ">= self.limit")]),
    },
    Task {
        name: "comment",
        files: CACHE,
        request: "Fix the typo \"entires\" in the comment in src/cache.rs",
        change: ("src/cache.rs", &[("entires", "entries")]),
    },
    Task {
        name: "not-found",
        files: API,
        request: "getUser in src/api.ts must answer with status 404 when the user does not exist",
        change: ("src/api.ts", &[("400", "404")]),
    },
    Task {
        name: "created",
        files: API,
        request: "In src/api.ts, createUser should respond with status 201",
        change: (
            "src/api.ts",
            &[(
                "users.push(user);\n  res.json(user)",
                "users.push(user);\n  res.status(201).json(user)",
            )],
        ),
    },
    Task {
        name: "email",
        files: API,
        request: "createUser in src/api.ts should also store the email from the body",
        change: (
            "src/api.ts",
            &[(
                "name: req.body.name }",
                "name: req.body.name, email: req.body.email }",
            )],
        ),
    },
    Task {
        name: "field",
        files: API,
        request: "Add an optional field phone of type string to User in src/api.ts",
        change: (
            "src/api.ts",
            &[(
                "  email?: string;\n",
                "  email?: string;\n  phone?: string;\n",
            )],
        ),
    },
    Task {
        name: "error",
        files: CONFIG,
        request: "config/config.go: Load should return the error when APP_PORT is not a number",
        change: (
            "config/config.go",
            &[
                ("return config, nil\n\t\t}", "return config, err\n\t\t}"),
                ("return config, nil\n\t\t}", "return Config{}, err\n\t\t}"),
            ],
        ),
    },
    Task {
        name: "port",
        files: CONFIG,
        request: "Change the default port in config/config.go to 8000",
        change: ("config/config.go", &[("3000", "8000")]),
    },
    Task {
        name: "unused",
        files: CONFIG,
        request: "Remove the field Verbose from Config in config/config.go",
        change: ("config/config.go", &[("\tVerbose bool\n", "")]),
    },
    Task {
        name: "median",
        files: STATISTICS,
        request: "median in stats.py is wrong for an even number of values: it must average the two middle values",
        change: (
            "stats.py",
            &[
                (
                    "ordered[middle] + ordered[middle + 1]",
                    "ordered[middle - 1] + ordered[middle]",
                ),
                (
                    "ordered[middle] + ordered[middle + 1]",
                    "ordered[middle] + ordered[middle - 1]",
                ),
            ],
        ),
    },
    Task {
        name: "mode",
        files: STATISTICS,
        request: "mode() in stats.py returns the rarest value, it should return the most common one",
        change: ("stats.py", &[("min(counts", "max(counts")]),
    },
    Task {
        name: "guard",
        files: STATISTICS,
        request: "mean in stats.py should return 0 for an empty list",
        change: (
            "stats.py",
            &[
                (
                    "    return sum(values) / len(values)\n",
                    "    if not values:\n        return 0\n    return sum(values) / len(values)\n",
                ),
                (
                    "    return sum(values) / len(values)\n",
                    "    if len(values) == 0:\n        return 0\n    return sum(values) / len(values)\n",
                ),
                (
                    "    return sum(values) / len(values)\n",
                    "    return sum(values) / len(values) if values else 0\n",
                ),
            ],
        ),
    },
    Task {
        name: "log-call",
        files: QUEUE,
        request: "Remove the console.log call from attempt in queue.js",
        change: (
            "queue.js",
            &[("        console.log('retrying', error.message);\n", "")],
        ),
    },
    Task {
        name: "unnamed-file",
        files: MESSAGES,
        request: "fix the typo in messages",
        change: ("src/messages.rs", &[("aplication", "application")]),
    },
    Task {
        name: "constant-added",
        files: MESSAGES,
        request: "Add a constant DENIED with the text \"Access denied\" to src/messages.rs",
        change: (
            "src/messages.rs",
            &[(
                "not found\";\n",
                "not found\";\npub const DENIED: &str = \"Access denied\";\n",
            )],
        ),
    },
];
