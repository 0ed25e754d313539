//! A descriptor through a socket: one process opens something, another one uses it.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

/// Sends a descriptor, with a message of one byte. The socket holds it until it is received.
pub(crate) fn send(socket: &UnixStream, descriptor: impl AsFd) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut message = SendAncillaryBuffer::new(&mut space);
    let descriptors = [descriptor.as_fd()];
    if !message.push(SendAncillaryMessage::ScmRights(&descriptors)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    sendmsg(
        socket,
        &[IoSlice::new(&[0])],
        &mut message,
        SendFlags::NOSIGNAL,
    )?;
    Ok(())
}

/// Receives what [`send`] has sent.
pub(crate) fn receive(socket: &UnixStream) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut message = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let mut pieces = [IoSliceMut::new(&mut byte)];
    recvmsg(socket, &mut pieces, &mut message, RecvFlags::CMSG_CLOEXEC)?;
    let descriptor = message.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    descriptor.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};

    #[test]
    fn a_pipe_goes_through_a_socket() {
        let (own, theirs) = UnixStream::pair().expect("sockets");
        let (reader, mut writer) = io::pipe().expect("a pipe");
        send(&own, reader).expect("room");
        writer.write_all(b"word").expect("room");
        drop(writer);
        let received = receive(&theirs).expect("a descriptor");
        let mut text = String::new();
        io::PipeReader::from(received)
            .read_to_string(&mut text)
            .expect("text");
        assert_eq!(text, "word");
        // A supervisor whose signoff is gone has nothing to wait for.
        drop(own);
        assert!(receive(&theirs).is_err());
        assert_eq!((&theirs).read(&mut [0]).expect("its end"), 0);
    }
}
