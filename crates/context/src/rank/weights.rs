//! Weights of the signals; the defaults are what measured best over histories of real repositories
//! (`docs/context.md`).

/// How much each signal counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The best chunk of a file.
    pub chunks: f32,
    /// The file as a whole.
    pub files: f32,
    /// The words of the path.
    pub paths: f32,
    /// Definitions whose names the request has.
    pub definitions: f32,
    /// Past commits with such messages.
    pub messages: f32,
    /// How lately the file was changed.
    pub recency: f32,
    /// A path that the request names.
    pub named: f32,
    /// A test of a file that was found, or what a test that was found is about.
    pub pairs: f32,
    /// How much less a word counts in texts that every past message has.
    pub usual: f32,
    /// Files that were changed with those that were found.
    pub cochange: f32,
    /// Files that the user works on.
    pub modified: f32,
    /// The factor for tests.
    pub test: f32,
    /// The factor for text for people.
    pub prose: f32,
    /// The factor for settings and data.
    pub data: f32,
    /// The factor for what is generated or brought in.
    pub generated: f32,
    /// The factor for words of the scope of a subject, in paths.
    pub scope: f32,
    /// A word of a folder, where one of the file's name counts 1.
    pub folder: f32,
    /// A word that is the whole name of a file.
    pub stem: f32,
    /// BM25: how fast further mentions of a term count less.
    pub k1: f32,
    /// BM25: how much the length of a file counts.
    pub b: f32,
    /// How much of a request, by weight of its terms, one file has to hold.
    pub least_share: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            chunks: 1.0,
            files: 0.3,
            paths: 0.5,
            definitions: 0.2,
            messages: 0.8,
            recency: 0.1,
            named: 2.0,
            pairs: 0.3,
            usual: 3.0,
            cochange: 0.5,
            modified: 0.5,
            test: 0.9,
            prose: 0.7,
            data: 0.6,
            generated: 0.1,
            scope: 2.5,
            folder: 1.0,
            stem: 0.2,
            k1: 1.2,
            b: 0.6,
            least_share: 0.15,
        }
    }
}

impl Weights {
    /// The names of all weights, for experiments.
    pub const NAMES: &[&str] = &[
        "chunks",
        "files",
        "paths",
        "definitions",
        "messages",
        "recency",
        "named",
        "pairs",
        "usual",
        "cochange",
        "modified",
        "test",
        "prose",
        "data",
        "generated",
        "k1",
        "scope",
        "folder",
        "stem",
        "b",
        "least_share",
    ];

    /// Returns a weight by its name.
    pub fn get(&self, name: &str) -> Option<f32> {
        self.clone().slot(name).copied()
    }

    /// Sets a weight by its name; false if there is none of that name.
    pub fn set(&mut self, name: &str, value: f32) -> bool {
        let slot = self.slot(name);
        let known = slot.is_some();
        slot.into_iter().for_each(|slot| *slot = value);
        known
    }

    fn slot(&mut self, name: &str) -> Option<&mut f32> {
        Some(match name {
            "chunks" => &mut self.chunks,
            "files" => &mut self.files,
            "paths" => &mut self.paths,
            "definitions" => &mut self.definitions,
            "messages" => &mut self.messages,
            "recency" => &mut self.recency,
            "named" => &mut self.named,
            "pairs" => &mut self.pairs,
            "usual" => &mut self.usual,
            "cochange" => &mut self.cochange,
            "modified" => &mut self.modified,
            "test" => &mut self.test,
            "prose" => &mut self.prose,
            "data" => &mut self.data,
            "generated" => &mut self.generated,
            "scope" => &mut self.scope,
            "folder" => &mut self.folder,
            "stem" => &mut self.stem,
            "k1" => &mut self.k1,
            "b" => &mut self.b,
            "least_share" => &mut self.least_share,
            _ => return None,
        })
    }
}
