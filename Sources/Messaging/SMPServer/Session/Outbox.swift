import SMPProtocol
import SMPWire

/// The outputs that wait to be sent by a session, in order.
struct Outbox: Sendable {
    struct Entry: Sendable {
        var output: RouterOutput
        /// The route of the answer to a forwarded command; nil for other outputs.
        var route: ForwardRoute?
    }

    /// The maximum number of message bodies in memory; bodies of later messages are read from the journal.
    static let bodyLimit = 64
    /// The maximum number of records of names in memory; later ones become errors, as nothing else keeps them.
    static let recordLimit = 64
    /// The maximum number of waiting notifications. More are unnecessary: each only says that there are messages.
    static let notificationLimit = 1_024

    private var entries: [Entry] = []
    private var first = 0
    private var bodies = 0
    private var records = 0
    private var notifications = 0
    /// True if bodies, and records of names, are kept in memory. They are not for a client that does not read: there may be thousands of such clients.
    var keepsBodies = true {
        didSet {
            guard !keepsBodies else { return }
            dropBodies()
            dropRecords()
        }
    }
    /// True if more messages wait in the queues of the session's service.
    var hasMore = false
    /// True if a flush has been scheduled that will see the present entries.
    var isFlushScheduled = false

    var isEmpty: Bool { first == entries.count }
    var count: Int { entries.count - first }
    /// The next output.
    var next: RouterOutput? { first < entries.count ? entries[first].output : nil }

    mutating func append(_ output: RouterOutput, route: ForwardRoute? = nil) {
        var output = output
        if output.isNotification {
            guard notifications < Self.notificationLimit else { return }
            notifications += 1
        }
        if case .delivery(var delivery) = output.content, delivery.body != nil {
            if bodies >= Self.bodyLimit || !keepsBodies {
                delivery.body = nil
                output.content = .delivery(delivery)
            } else {
                bodies += 1
            }
        }
        if output.isRecord {
            if records >= Self.recordLimit || !keepsBodies { output.content = .message(NameService.busy) } else { records += 1 }
        }
        entries.append(Entry(output: output, route: route))
    }

    /// Takes entries from the front as long as they satisfy the condition: about as much as fits `limit` bytes, but at least one.
    mutating func take(_ limit: Int, while condition: (RouterOutput) -> Bool) -> [Entry] {
        var end = first
        var size = 0
        while end < entries.count, size == 0 || size < limit, condition(entries[end].output) {
            size += entries[end].output.sizeHint
            end += 1
        }
        let taken = Array(entries[first..<end])
        for entry in taken {
            if case .delivery(let delivery) = entry.output.content, delivery.body != nil { bodies -= 1 }
            if entry.output.isNotification { notifications -= 1 }
            if entry.output.isRecord { records -= 1 }
        }
        first = end
        if first == entries.count {
            entries = []
            first = 0
        } else if first > 256 {
            entries.removeFirst(first)
            first = 0
        }
        return taken
    }

    private mutating func dropBodies() {
        guard bodies > 0 else { return }
        for index in first..<entries.count {
            guard case .delivery(var delivery) = entries[index].output.content, delivery.body != nil else { continue }
            delivery.body = nil
            entries[index].output.content = .delivery(delivery)
        }
        bodies = 0
    }

    private mutating func dropRecords() {
        guard records > 0 else { return }
        for index in first..<entries.count where entries[index].output.isRecord { entries[index].output.content = .message(NameService.busy) }
        records = 0
    }
}

extension RouterOutput {
    fileprivate var isNotification: Bool {
        if case .message(.nmsg) = content { true } else { false }
    }

    /// True if it is the record of a name, which has up to 16,000 bytes.
    fileprivate var isRecord: Bool {
        if case .message(.rname) = content { true } else { false }
    }
}
