/// The lengths that the agent pads to and the versions it speaks.
///
/// Post-quantum headers are larger, so that connections that support them have shorter bodies from agent version 5 on.
package enum AgentLimits {
    /// The agent versions of this implementation.
    package static let agentVersions: ClosedRange<UInt16> = 2...7
    /// The SMP client versions of this implementation (per-queue envelopes and queue addresses).
    package static let clientVersions: ClosedRange<UInt16> = 1...4

    /// Bytes that a confirmation's information is padded to inside the ratchet.
    package static func confirmationLength(agentVersion: UInt16, pqSupport: Bool) -> Int {
        pqSupport && agentVersion >= AgentVersion.pqRatchet ? 11_106 : 14_832
    }

    /// Bytes that a message is padded to inside the ratchet.
    package static func messageLength(agentVersion: UInt16, pqSupport: Bool) -> Int {
        pqSupport && agentVersion >= AgentVersion.pqRatchet ? 13_618 : 15_840
    }

    /// The largest message body that fits: the padded length less its own two bytes, the header (number, hash) and the tags.
    package static func messageBodyLength(agentVersion: UInt16, pqSupport: Bool) -> Int {
        messageLength(agentVersion: agentVersion, pqSupport: pqSupport) - 2 - 1 - 8 - 33 - 1
    }

    /// Numbers that messages of a connection can have, those of the peer and our own. A peer that names another one is not believed, so that
    /// what is counted on from a number cannot overflow.
    package static let messageIDs: ClosedRange<Int64> = 0...(1 << 62)

    /// New keys of the peer for the ratchet that are remembered at once, for ``AgentConfiguration/messageRecordLifetime``, so that none counts
    /// twice. More are refused: a peer could otherwise make us keep, and answer, as many as it likes.
    package static let maximumAgreements = 1_000

    /// Queues that a connection may have in each direction, those among them that take the place of others not counted.
    package static let maximumQueues = 4

    /// Queues that a peer may have offered in the place of others at once. One can be offered in the place of another that has not quite taken a
    /// place itself; a peer could otherwise make us send, and keep, each message as often as it likes.
    package static let maximumReplacements = 2 * maximumQueues

    /// Bytes that a client message is padded to inside the per-queue encryption.
    package static let clientMessageLength = 16_000
    /// Bytes that a client message with a public key in its header is padded to.
    package static let clientConfirmationLength = 15_904
}

/// The agent versions at which something began.
enum AgentVersion {
    static let ratchetSync: UInt16 = 3
    static let deliveryReceipts: UInt16 = 4
    static let pqRatchet: UInt16 = 5
    static let senderSecuresReplyQueue: UInt16 = 6
    static let ratchetOnConfirmation: UInt16 = 7
}

/// The SMP client versions at which something began.
enum ClientVersion {
    static let senderSecuresQueue: UInt16 = 3
    static let shortLinks: UInt16 = 4
}
