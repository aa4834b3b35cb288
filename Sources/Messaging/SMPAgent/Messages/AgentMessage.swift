package import SMPProtocol
package import SMPWire

/// The content that the double ratchet encrypts (agent-protocol.md, "Messages between SMP agents").
package enum AgentMessage: Sendable, Equatable {
    /// The information of the party that made the invitation, in its confirmation of the reply queue.
    case connectionInfo(Bytes)
    /// The information of the party that joined, with the queues that it wants to receive from; at least one.
    case connectionInfoReply([SMPQueueInfo], info: Bytes)
    /// Goes with new ratchet keys. It is not encrypted by a ratchet.
    case ratchetInfo(Bytes)
    /// A numbered message.
    case message(AgentMessageHeader, AgentMessageContent)
}

/// The place of a message in the chain of all messages that its sender sent in the connection.
package struct AgentMessageHeader: WireCodable, Sendable, Hashable {
    /// The sender's number, from 1, without gaps; one of ``AgentLimits/messageIDs``.
    package var id: Int64
    /// SHA-256 of the agent message before this one; empty in the first.
    package var previousHash: Bytes

    package init(id: Int64, previousHash: Bytes) {
        self.id = id
        self.previousHash = previousHash
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(id)
        writer.write(short: previousHash)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        id = try parser.messageID()
        previousHash = try parser.short()
    }
}

/// The content of a numbered message. The cases carry the protocol's own names.
package enum AgentMessageContent: Sendable, Equatable {
    /// The queue works; only in the handshake of agents below version 6.
    case hello
    /// A message of the user.
    case message(Bytes)
    /// Receipts for messages of the peer; at least one.
    case received([AgentMessageReceipt])
    /// The full queue was read: sending to it can continue.
    case queueContinue(QueueAddress)
    /// Queues that shall take the place of others; at least one.
    case queueAdd([QueueReplacement])
    /// The sender's keys for new queues; at least one.
    case queueKey([QueueSenderKey])
    /// Queues that are ready, and whether each is the primary one; at least one.
    case queueUse([QueueUse])
    /// A message to try new queues; at least one.
    case queueTest([QueueAddress])
    /// The new ratchet works; the number of the last message decrypted with the old one.
    case ratchetReady(lastReceivedID: Int64)
}

/// A receipt as it travels.
package struct AgentMessageReceipt: WireCodable, Sendable, Hashable {
    /// The sender's number of the message; one of ``AgentLimits/messageIDs``.
    package var id: Int64
    /// SHA-256 of the agent message.
    package var hash: Bytes
    package var info: Bytes

    package init(id: Int64, hash: Bytes, info: Bytes) {
        self.id = id
        self.hash = hash
        self.info = info
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(id)
        writer.write(short: hash)
        writer.write(large: info)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        id = try parser.messageID()
        hash = try parser.short()
        info = try parser.large()
    }
}

/// A queue as its sender addresses it.
package struct QueueAddress: WireCodable, Sendable, Hashable {
    package var server: SMPServerAddress
    package var senderID: SenderID

    package init(server: SMPServerAddress, senderID: SenderID) {
        self.server = server
        self.senderID = senderID
    }

    /// Checks whether both name the same queue, whatever the router's fingerprint.
    package func isSame(as other: QueueAddress) -> Bool { senderID == other.senderID && server.isSameAddress(as: other.server) }

    package func encode(to writer: inout WireWriter) {
        writer.write(server)
        writer.write(senderID)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        server = try parser.read()
        senderID = try parser.read()
    }
}
