public import SMPCrypto
public import SMPProtocol
public import SMPWire

/// A new queue and the one whose place it takes (`QADD`).
public struct QueueReplacement: WireCodable, Sendable, Equatable {
    public var queue: SMPQueueURI
    /// nil to add the queue besides the others.
    public var replaced: QueueAddress?

    public init(queue: SMPQueueURI, replaced: QueueAddress?) {
        self.queue = queue
        self.replaced = replaced
    }

    public func encode(to writer: inout WireWriter) {
        writer.write(queue)
        writer.write(optional: replaced)
    }

    public init(from parser: inout WireParser) throws(WireError) {
        queue = try parser.read()
        replaced = try parser.optional()
    }
}

/// The sender's keys for a new queue (`QKEY`).
public struct QueueSenderKey: WireCodable, Sendable, Equatable {
    /// The queue, with the sender's key for the encryption between sender and recipient.
    public var queue: SMPQueueInfo
    /// Authorises the sender's commands.
    public var senderKey: PublicAuthKey

    public init(queue: SMPQueueInfo, senderKey: PublicAuthKey) {
        self.queue = queue
        self.senderKey = senderKey
    }

    public func encode(to writer: inout WireWriter) {
        writer.write(queue)
        writer.write(senderKey)
    }

    public init(from parser: inout WireParser) throws(WireError) {
        queue = try parser.read()
        senderKey = try parser.read()
    }
}

/// A queue that is ready (`QUSE`).
public struct QueueUse: WireCodable, Sendable, Equatable {
    public var queue: QueueAddress
    public var isPrimary: Bool

    public init(queue: QueueAddress, isPrimary: Bool) {
        self.queue = queue
        self.isPrimary = isPrimary
    }

    public func encode(to writer: inout WireWriter) {
        writer.write(queue)
        writer.write(isPrimary)
    }

    public init(from parser: inout WireParser) throws(WireError) {
        queue = try parser.read()
        isPrimary = try parser.read()
    }
}
