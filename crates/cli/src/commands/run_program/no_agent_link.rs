//! Agent link of a build without the Model Context Protocol: there is none, and no value of these types.

use std::convert::Infallible;
use std::ffi::OsString;
use std::sync::Mutex;

use signoff_core::engine::Engine;
use signoff_core::id::ProposalId;
use signoff_sandbox::shadow::Setup;
use signoff_setup::paths::Paths;

use super::AgentProposals;
use crate::args::ForeignAgent;

pub(super) struct NoAgentLink(Infallible);

pub(super) struct NoLinkVerdicts(Infallible);

impl NoAgentLink {
    pub(super) fn open(_: &Paths, _: ForeignAgent, _: &Mutex<Engine>) -> Option<Self> {
        None
    }

    pub(super) fn prepare(&self, _: &mut Setup, _: &[OsString]) -> Vec<OsString> {
        match self.0 {}
    }

    pub(super) fn end(self) -> AgentProposals {
        match self.0 {}
    }
}

impl NoLinkVerdicts {
    pub(super) fn remember(&self, _: impl Iterator<Item = ProposalId>) {
        match self.0 {}
    }
}
