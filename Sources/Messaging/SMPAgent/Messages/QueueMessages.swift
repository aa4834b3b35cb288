package import SMPCrypto
package import SMPProtocol
package import SMPWire

/// A new queue and the one whose place it takes (`QADD`).
package struct QueueReplacement: WireCodable, Sendable, Equatable {
    package var queue: SMPQueueURI
    /// nil to add the queue besides the others.
    package var replaced: QueueAddress?

    package init(queue: SMPQueueURI, replaced: QueueAddress?) {
        self.queue = queue
        self.replaced = replaced
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(queue)
        writer.write(optional: replaced)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        queue = try parser.read()
        replaced = try parser.optional()
    }
}

/// The sender's keys for a new queue (`QKEY`).
package struct QueueSenderKey: WireCodable, Sendable, Equatable {
    /// The queue, with the sender's key for the encryption between sender and recipient.
    package var queue: SMPQueueInfo
    /// Authorises the sender's commands.
    package var senderKey: PublicAuthKey

    package init(queue: SMPQueueInfo, senderKey: PublicAuthKey) {
        self.queue = queue
        self.senderKey = senderKey
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(queue)
        writer.write(senderKey)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        queue = try parser.read()
        senderKey = try parser.read()
    }
}

/// A queue that is ready (`QUSE`).
package struct QueueUse: WireCodable, Sendable, Equatable {
    package var queue: QueueAddress
    package var isPrimary: Bool

    package init(queue: QueueAddress, isPrimary: Bool) {
        self.queue = queue
        self.isPrimary = isPrimary
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(queue)
        writer.write(isPrimary)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        queue = try parser.read()
        isPrimary = try parser.read()
    }
}
