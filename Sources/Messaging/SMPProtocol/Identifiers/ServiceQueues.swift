import SMPCrypto
package import SMPWire

/// The queues of a service as one side counts them: from version 19 on, `SUBS` and `NSUBS` say what the client expects, `SOKS` and `ENDS`
/// what the router has (simplex-messaging.md, "Service subscriptions").
package struct ServiceQueues: Hashable, Sendable {
    /// The value of clients below version 19, and of clients that do not count.
    package static let unknown = ServiceQueues(count: -1)
    /// No queues.
    package static let none = ServiceQueues(count: 0)

    /// The number of queues; negative if it is not known.
    package var count: Int64
    /// ``QueueIDsHash/zero`` below version 19.
    package var hash: QueueIDsHash

    package init(count: Int64, hash: QueueIDsHash = .zero) {
        self.count = count
        self.hash = hash
    }

    /// Counts queues by their ids.
    package init(_ ids: some Sequence<EntityID>) {
        self = .none
        for id in ids { insert(id) }
    }

    /// Adds a queue that is not counted yet.
    package mutating func insert(_ id: EntityID) {
        count = count.addingReportingOverflow(1).partialValue
        hash.toggle(id.bytes)
    }

    /// Removes a queue that is counted.
    package mutating func remove(_ id: EntityID) {
        count = count.subtractingReportingOverflow(1).partialValue
        hash.toggle(id.bytes)
    }

    /// Both, where no queue is in both.
    package func including(_ others: ServiceQueues) -> ServiceQueues {
        ServiceQueues(count: count.addingReportingOverflow(others.count).partialValue, hash: hash.combined(with: others.hash))
    }

    /// The difference to a part of these queues.
    package func excluding(_ others: ServiceQueues) -> ServiceQueues {
        ServiceQueues(count: count.subtractingReportingOverflow(others.count).partialValue, hash: hash.combined(with: others.hash))
    }

    func encode(to writer: inout WireWriter, version: UInt16) {
        writer.write(count)
        if version >= SMPVersion.serviceSubscriptions { writer.write(hash) }
    }

    init(from parser: inout WireParser, version: UInt16) throws(WireError) {
        count = try Int64(from: &parser)
        hash = version >= SMPVersion.serviceSubscriptions ? try QueueIDsHash(from: &parser) : .zero
    }
}

/// The XOR of the MD5 hashes of queue ids: the same whatever their order, and cheap to keep while queues come and go.
///
/// It finds out that two sides count different queues. It protects nothing: the router chooses the ids.
package struct QueueIDsHash: WireCodable, Hashable, Sendable {
    /// The hash of no queues.
    package static let zero = QueueIDsHash(high: 0, low: 0)

    private static let length = 16

    private var high: UInt64
    private var low: UInt64

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The 16 bytes.
    package var bytes: Bytes { [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } } }

    private init(_ bytes: some Sequence<UInt8>) {
        self = .zero
        for (index, byte) in bytes.enumerated().prefix(Self.length) {
            let part = UInt64(byte) << (56 - 8 * UInt64(index % 8))
            if index < 8 { high |= part } else { low |= part }
        }
    }

    /// Adds an id that is not in it, or removes one that is.
    package mutating func toggle(_ id: Bytes) {
        self = combined(with: QueueIDsHash(Hash.md5(id)))
    }

    fileprivate func combined(with other: QueueIDsHash) -> QueueIDsHash { QueueIDsHash(high: high ^ other.high, low: low ^ other.low) }

    /// Behind a length of one byte, which is 16.
    package func encode(to writer: inout WireWriter) { writer.write(short: bytes) }

    package init(from parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        let bytes = try parser.short()
        guard bytes.count == Self.length else { throw WireError(.invalidValue, "a hash of 16 bytes", at: start) }
        self.init(bytes)
    }
}
