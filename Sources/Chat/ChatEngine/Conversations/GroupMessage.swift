import ChatAPI
import ChatProtocol
import SMPWire

/// A message of a group as it came.
struct GroupMessage: Sendable {
    var message: ChatMessage
    /// The time at which the router took it from its author.
    var sentAt: UTCTimestamp
    /// The member who passed it on; nil if it came from its author.
    var forwardedBy: GroupMember?
    /// The bytes that the author has signed, as they came; nil for a message without signature.
    var signed: SignedMessage?
    /// The outcome of checking the signature.
    var signature: SignatureStatus?

    /// The message as an element of a batch: signed bytes as they came, others encoded anew.
    var element: Bytes { signed?.element ?? message.body }
}
