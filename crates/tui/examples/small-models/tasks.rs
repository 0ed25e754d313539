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
        name: "version",
        files: TEMPERATURE,
        request: "Set the version in Cargo.toml to 0.2.0",
        change: ("Cargo.toml", &[("0.1.0", "0.2.0")]),
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
        name: "script",
        files: QUEUE,
        request: "In package.json, let the test script run `node --test`",
        change: ("package.json", &[("node test.js", "node --test")]),
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
];
