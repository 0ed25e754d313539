//! Images attached to prompts.
//!
//! In: the images that a prompt names, and what is known of the model that is asked. Out: the images of the prompt, or why
//! nothing is sent; and messages without images for a model that takes none.

use signoff_core::plural::counted;
use signoff_core::quote::name;
use signoff_core::stage::review::HunkQuestion;

use super::super::outbox::Outbox;
use super::super::{Event, Fault, FaultKind};
use crate::image::{
    Image, ImageFormat, MAX_IMAGES, MAX_SENT_BYTES, NamedImages, PromptImage, size_in_words,
    unseen_note,
};
use crate::message::Message;
use crate::provider::About;
use crate::provider::Protocol;
use crate::transcript::Transcript;

/// A prompt that is to begin a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::session) struct UserPrompt {
    pub(in crate::session) text: String,
    pub(in crate::session) images: Vec<PromptImage>,
    /// The hunk that is to be written again, where the text is a remark on it.
    pub(in crate::session) about: Option<Box<HunkQuestion>>,
}

/// What is known of the model that is to see the images of prompts.
#[derive(Debug, Default)]
pub(in crate::session) struct ImageInput {
    model: String,
    /// Whether the model takes images, where that is known.
    is_taken: Option<bool>,
    /// True once its server was asked about that.
    was_asked: bool,
    /// A format that the model's service does not take.
    refused_format: Option<ImageFormat>,
}

impl ImageInput {
    /// Goes by what is known of the model that is asked.
    pub(in crate::session) fn meet(&mut self, about: &About, is_taken: Option<bool>) {
        self.model.clone_from(&about.model);
        self.was_asked = false;
        // The built-in planner reads words alone.
        let is_planner = about.provider == "offline";
        self.is_taken = if is_planner { Some(false) } else { is_taken };
        let is_gemini = about.provider == Protocol::Gemini.word();
        self.refused_format = is_gemini.then_some(ImageFormat::Gif);
    }

    /// Takes what the model's server says.
    pub(in crate::session) fn learn(&mut self, is_taken: bool) {
        self.is_taken = Some(is_taken);
    }

    /// Returns once whether the model's server is to be asked if it takes images.
    pub(in crate::session) fn asks_server(&mut self) -> bool {
        self.is_taken.is_none() && !std::mem::replace(&mut self.was_asked, true)
    }

    /// Returns the prompt with the images that it names; none if it cannot be sent, which the user is told.
    pub(in crate::session) fn prompt(
        &self,
        text: String,
        mut named: NamedImages,
        out: &mut Outbox,
    ) -> Option<UserPrompt> {
        let of_servers = std::mem::take(&mut named.of_servers);
        match self.sendable(named) {
            Ok(images) => {
                let mut images: Vec<_> = images.into_iter().map(PromptImage::from).collect();
                let (taken, notes) = self.of_tool(of_servers);
                notes.lines().skip(1).for_each(|note| out.inform(note));
                for image in taken {
                    let bytes: usize = images.iter().map(|image| image.size).sum();
                    if images.len() < MAX_IMAGES && bytes + image.size <= MAX_SENT_BYTES {
                        images.push(image);
                    } else {
                        let name = name(&image.name);
                        out.inform(&format!("(image {name} is not shown: there are too many)"));
                    }
                }
                Some(UserPrompt {
                    text,
                    images,
                    about: None,
                })
            }
            Err(fault) => {
                out.emit(Event::Fault(fault));
                out.emit(Event::Unsent { text });
                None
            }
        }
    }

    /// Says that the model that is asked from now on does not see the images of the conversation.
    pub(super) fn tell_unseen(&self, transcript: &Transcript, out: &mut Outbox) {
        if self.is_taken == Some(false) && transcript.sends_images() {
            let model = &self.model;
            out.inform(&format!(
                "{model} takes no images: it is told their names alone"
            ));
        }
    }

    /// Puts notes in the place of images that the model does not take.
    pub(in crate::session) fn leave_out_unseen(&self, messages: &mut [Message]) {
        if self.is_taken != Some(false) && self.refused_format.is_none() {
            return;
        }
        for message in messages {
            if let Message::User { text, images } = message {
                for image in std::mem::take(images) {
                    let kind = match self.is_taken {
                        Some(false) => "images",
                        Some(true) | None if self.refused_format == Some(image.format) => {
                            image.format.media_type()
                        }
                        Some(true) | None => {
                            images.push(image);
                            continue;
                        }
                    };
                    *text += &format!("\n{}", unseen_note(&image, kind));
                }
            }
        }
    }

    /// Returns the images of a tool's answer that the model is known to take, and a line for each of the others: an image that
    /// nobody attached must not make a server refuse the conversation.
    pub(in crate::session) fn of_tool(&self, images: Vec<Image>) -> (Vec<PromptImage>, String) {
        let (mut taken, mut notes) = (Vec::new(), String::new());
        for image in images {
            let why = match self.is_taken {
                Some(true) if self.refused_format != Some(image.format) => {
                    taken.push(image.into());
                    continue;
                }
                Some(true) => format!("this model takes no {}", image.format.media_type()),
                Some(false) => "this model takes no images".to_owned(),
                None => "it is not known whether this model takes images".to_owned(),
            };
            notes += &format!("\n(image {} is not shown: {why})", name(&image.name));
        }
        (taken, notes)
    }

    /// Returns the images that a prompt names; or why it cannot be sent with them.
    fn sendable(&self, named: NamedImages) -> Result<Vec<Image>, Fault> {
        let NamedImages {
            images, refused, ..
        } = named;
        const NOT_SENT: &str = "the prompt was not sent";
        if !refused.is_empty() {
            return Err(fault(refused.join("\n"), NOT_SENT));
        }
        if self.is_taken == Some(false) && !images.is_empty() {
            return Err(fault(
                format!("{} takes no images: {}", self.model, names(&images)),
                "the prompt was not sent; /model picks a model that takes images, or name the file without @",
            ));
        }
        if let Some(image) = images
            .iter()
            .find(|image| self.refused_format == Some(image.format))
        {
            let media_type = image.format.media_type();
            return Err(fault(
                format!(
                    "{} takes no {media_type}: {}",
                    self.model,
                    name(&image.name)
                ),
                "the prompt was not sent; convert the image to PNG and attach that",
            ));
        }
        if images.len() > MAX_IMAGES {
            let images = counted(images.len(), "image");
            return Err(fault(
                format!("{images} in one prompt; {MAX_IMAGES} can be sent"),
                "the prompt was not sent; attach the others to the next prompt",
            ));
        }
        let bytes: usize = images.iter().map(|image| image.bytes.len()).sum();
        if bytes > MAX_SENT_BYTES {
            let (bytes, most) = (size_in_words(bytes), size_in_words(MAX_SENT_BYTES));
            return Err(fault(
                format!("the images have {bytes} together; {most} can be sent"),
                "the prompt was not sent; make the images smaller, or attach fewer",
            ));
        }
        Ok(images)
    }
}

fn names(images: &[Image]) -> String {
    let names: Vec<_> = images.iter().map(|image| name(&image.name)).collect();
    names.join(", ")
}

fn fault(message: String, hint: &str) -> Fault {
    Fault {
        kind: FaultKind::Usage,
        message,
        hint: Some(hint.to_owned()),
    }
}

/// Returns the event about the images of a prompt, if it has any.
pub(in crate::session) fn shown(images: &[PromptImage]) -> Option<Event> {
    let each = images.iter().map(|image| (image.name.clone(), image.size));
    (!images.is_empty()).then(|| Event::Images {
        images: each.collect(),
    })
}
