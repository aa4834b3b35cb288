package import ChatAPI
import ChatProtocol

/// The decision whether a member signs its message in a channel.
package struct MessageSigning: Sendable {
    /// The largest signed message, in bytes: a batch of one element has a header of four.
    package static let limit = ChatLimits.encodedMessage - 4

    /// Signs the message; nil for a message without a signature.
    package var signer: ChannelSigner?
    /// True if the signature was asked for. A message that the channel wants signed goes without if there is no room.
    package var isRequired = false

    /// - Parameters:
    ///   - isRequested: True if the command asks for a signature.
    ///   - asGroup: True for a message in the name of the channel, which does not say who has written it.
    /// - Throws: `commandError` for a signature that is asked for and cannot be made.
    package init(_ isRequested: Bool, asGroup: Bool, in conversation: Conversation) throws {
        guard case .group(let chat) = conversation, let signer = ChannelSigner(chat.group) else {
            if isRequested { throw Refusal.command("messages are signed in channels only") }
            return
        }
        guard !asGroup else {
            if isRequested { throw Refusal.command("a message in the name of the channel cannot be signed by a member") }
            return
        }
        if isRequested || chat.group.fullGroupPreferences.signMessages.enable == .on { self.signer = signer }
        isRequired = isRequested
    }
}

extension MessageVerification {
    /// The verification of a message that a member has written under its own name.
    ///
    /// - Parameter status: The outcome of checking the signature; nil without one.
    package init(_ status: SignatureStatus?, of member: GroupMember, in group: GroupInfo) {
        let isMissing = status == nil && group.usesRelays && !member.isRelay && group.fullGroupPreferences.signMessages.enable == .on
        self = isMissing ? .signatureMissing : Self(status)
    }
}
