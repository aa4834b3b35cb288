package import ChatAPI
package import ChatProtocol
import SMPCrypto

/// The decision about a message with its signature, or without one.
package enum SignatureDecision: Hashable, Sendable {
    /// The message counts.
    ///
    /// - Parameter status: The outcome of checking the signature; nil for a message without one.
    case accept(SignatureStatus?)
    /// The signature is missing or wrong: the message does not count.
    case refuse

    /// - Parameters:
    ///   - tag: The event of the message.
    ///   - author: The member who is said to have written the message.
    package init(_ signed: SignedMessage?, _ tag: ChatEventTag, by author: GroupMember, in group: GroupInfo) {
        let isOptional = !group.usesRelays || !tag.requiresSignature
        guard let signed else {
            self = isOptional ? .accept(nil) : .refuse
            return
        }
        guard let key = author.signingKey else {
            self = isOptional || Self.mayBeUnverified(tag, by: author, membership: group.membership) ? .accept(.signedNoKey) : .refuse
            return
        }
        guard signed.binding == .group, group.groupKeys != nil, let id = group.groupProfile.publicGroup?.publicGroupID else {
            self = isOptional ? .accept(.signedNoKey) : .refuse
            return
        }
        let binding = ChatBinding.group(publicGroupID: id.bytes, member: author.memberID)
        self = signed.isValid(in: binding, key: key) ? .accept(.verified) : .refuse
    }

    /// True for what subscribers tell each other of whose keys they know nothing: that one leaves or has a new profile.
    private static func mayBeUnverified(_ tag: ChatEventTag, by author: GroupMember, membership: GroupMember) -> Bool {
        (tag == .leaveGroup || tag == .info) && membership.role < .moderator && author.role < .moderator
    }
}
