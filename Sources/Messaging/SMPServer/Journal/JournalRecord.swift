import RouterSupport
import SMPProtocol
import SMPWire

/// An entry of a journal. Every record is complete by itself: a later one of the same thing replaces an earlier one, so that
/// old segments can be cleared by copying the needed records to the end.
enum JournalRecord: JournalEntry, Hashable {
    /// All attributes of a queue.
    case queue(QueueRecord)
    /// A message, which is the body of the record.
    case message(queue: Identifier, sequence: UInt64, JournalMessage)
    /// Messages below this number are removed.
    case acknowledged(queue: Identifier, upTo: UInt64)
    case deleted(queue: Identifier)
    /// The data of a link, whose `QueueLinkData` is the body of the record.
    case link(queue: Identifier, QueueRecord.Link)
    /// The last use of the queue: days since 1970.
    case used(queue: Identifier, day: UInt16)

    enum Tag: UInt8, Sendable { case queue = 1, message, acknowledged, deleted, link, used }

    var tag: Tag {
        switch self {
        case .queue: .queue
        case .message: .message
        case .acknowledged: .acknowledged
        case .deleted: .deleted
        case .link: .link
        case .used: .used
        }
    }

    /// True if the answer to the command must wait until the record survives a loss of power. After a lost acknowledgement, a
    /// message is only delivered once more.
    var mustBeSynchronized: Bool {
        switch self {
        case .acknowledged, .used: false
        case .queue, .message, .deleted, .link: true
        }
    }
}

/// The attributes of a message in a journal.
struct JournalMessage: Hashable, Sendable {
    var id: Identifier
    var timestamp: Int64
    var flags: MessageFlags
    var kind: StoredMessage.Kind
}

extension JournalRecord {
    func encode(to writer: inout WireWriter) {
        switch self {
        case .queue(let record): writer.write(record)
        case .message(let queue, let sequence, let message):
            writer.write(queue)
            writer.write(Int64(bitPattern: sequence))
            writer.write(message.id)
            writer.write(message.timestamp)
            writer.write(message.flags.notification)
            writer.write(byte: message.kind.rawValue)
        case .acknowledged(let queue, let sequence):
            writer.write(queue)
            writer.write(Int64(bitPattern: sequence))
        case .deleted(let queue): writer.write(queue)
        case .link(let queue, let link):
            writer.write(queue)
            writer.write(link.id)
            writer.write(link.version)
        case .used(let queue, let day):
            writer.write(queue)
            writer.write(day)
        }
    }

    var code: UInt8 { tag.rawValue }

    init(code: UInt8, _ attributes: Bytes) throws(WireError) {
        guard let tag = Tag(rawValue: code) else { throw WireError(.invalidValue, "a kind of record") }
        try self.init(tag, attributes)
    }

    init(_ tag: Tag, _ bytes: Bytes) throws(WireError) {
        var parser = WireParser(bytes)
        switch tag {
        case .queue: self = .queue(try parser.read())
        case .message:
            let queue = try parser.read(Identifier.self)
            let sequence = UInt64(bitPattern: try parser.read(Int64.self))
            let id = try parser.read(Identifier.self)
            let timestamp = try parser.read(Int64.self)
            let flags = MessageFlags(notification: try parser.read())
            guard let kind = StoredMessage.Kind(rawValue: try parser.byte()) else {
                throw parser.error(.invalidValue, "a kind of message")
            }
            let message = JournalMessage(id: id, timestamp: timestamp, flags: flags, kind: kind)
            self = .message(queue: queue, sequence: sequence, message)
        case .acknowledged:
            self = .acknowledged(queue: try parser.read(), upTo: UInt64(bitPattern: try parser.read(Int64.self)))
        case .deleted: self = .deleted(queue: try parser.read())
        case .link:
            self = .link(
                queue: try parser.read(), QueueRecord.Link(id: try parser.read(), version: try parser.read()))
        case .used: self = .used(queue: try parser.read(), day: try parser.read())
        }
        try parser.finish()
    }
}
