//! Staging: a payload becomes proposals over the files, all of its changes or none.
//!
//! In: changes as a model phrased them. Out: an answer, and layers in the stage.

pub(super) mod answer;
pub(super) mod crates;
pub(super) mod denied_before;
pub(super) mod draft;
pub(super) mod folder;
pub(super) mod moving;
pub(super) mod propose;
pub(super) mod texts;
pub(super) mod unplaced;
