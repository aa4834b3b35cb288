import SMPCrypto
import SMPProtocol
import SMPWire

/// The attributes of a queue, apart from its messages.
struct QueueRecord: Hashable, Sendable {
    enum Status: Hashable, Sendable {
        case active
        /// Suspended by `OFF`: nothing more is accepted.
        case off
        /// Blocked by the operator: nothing is accepted or delivered.
        case blocked(BlockingInfo)

        var number: UInt8 {
            switch self {
            case .active: 0
            case .off: 1
            case .blocked: 2
            }
        }
    }

    struct Link: Hashable, Sendable {
        var id: Identifier
        /// The number of changes of the data, so that a stale copy is not taken for the present data.
        var version: UInt32
    }

    struct Notifier: Hashable, Sendable {
        var id: Identifier
        var key: PublicAuthKey
        /// The secret of 32 bytes that encrypts message ids for the recipient.
        var secret: StoredSecret
        /// The service that is notified of the messages; nil for anyone who has the key.
        var service: Identifier?
    }

    var recipientID: Identifier
    var senderID: Identifier
    /// The keys of the recipients; at least one.
    var recipientKeys: [PublicAuthKey]
    /// The secret of 32 bytes that encrypts messages for the recipient.
    var secret: StoredSecret
    var senderKey: PublicAuthKey?
    /// The mode; nil for queues created by clients below version 9.
    var mode: QueueMode?
    var status: Status = .active
    var link: Link?
    var notifier: Notifier?
    /// The number of the first message that is not acknowledged; of the next message if there is none.
    var firstSequence: UInt64 = 0
    /// The service that receives the messages; nil for anyone who has a key.
    var service: Identifier?
    /// The day of the last use by a sender or recipient, in days since 1970; 0: unknown.
    var lastUsed: UInt16 = 0

    /// True if anybody may read the link's data.
    var isContact: Bool {
        switch mode {
        case .messaging: false
        case .contact: true
        case nil: senderKey == nil
        }
    }

    var isSecuredMessaging: Bool { mode != .contact && senderKey != nil }
}

/// A secret with value semantics for records; its bytes are wiped with the last copy.
struct StoredSecret: Hashable, Sendable {
    let bytes: SecretBytes

    static func == (left: StoredSecret, right: StoredSecret) -> Bool { left.bytes == right.bytes }

    /// Secrets are not used as keys of tables.
    func hash(into hasher: inout Hasher) {}
}

extension QueueRecord: WireCodable {
    func encode(to writer: inout WireWriter) {
        writer.write(recipientID)
        writer.write(senderID)
        writer.write(list: recipientKeys)
        writer.write(short: secret.bytes.bytes)
        writer.write(optional: senderKey)
        writer.write(optional: mode)
        writer.write(byte: status.number)
        writer.write(optional: link) { writer, link in
            writer.write(link.id)
            writer.write(link.version)
        }
        writer.write(optional: notifier) { writer, notifier in
            writer.write(notifier.id)
            writer.write(notifier.key)
            writer.write(short: notifier.secret.bytes.bytes)
        }
        writer.write(Int64(bitPattern: firstSequence))
        writer.write(lastUsed)
        writer.write(optional: service)
        writer.write(optional: notifier?.service)
        if case .blocked(let info) = status {
            writer.write(byte: info.reason == .spam ? 0 : 1)
            writer.write(optional: info.notice) { writer, notice in writer.write(notice.ttl ?? -1) }
        }
    }

    init(from parser: inout WireParser) throws(WireError) {
        recipientID = try parser.read()
        senderID = try parser.read()
        recipientKeys = try parser.nonEmptyList()
        secret = try StoredSecret(from: &parser)
        senderKey = try parser.optional()
        mode = try parser.optional()
        let status = try parser.byte()
        link = try parser.optional { parser throws(WireError) in Link(id: try parser.read(), version: try parser.read()) }
        notifier = try parser.optional { parser throws(WireError) in
            Notifier(id: try parser.read(), key: try parser.read(), secret: try StoredSecret(from: &parser))
        }
        firstSequence = UInt64(bitPattern: try parser.read(Int64.self))
        switch status {
        case 0: self.status = .active
        case 1: self.status = .off
        // The reason of the block follows at the end.
        case 2: self.status = .off
        default: throw parser.error(.invalidValue, "a queue's status")
        }
        // Journals of the first format end here.
        guard !parser.isAtEnd else { return }
        lastUsed = try parser.read()
        service = try parser.optional()
        let notifierService: Identifier? = try parser.optional()
        notifier?.service = notifierService
        guard status == 2 else { return }
        let reason: BlockingInfo.Reason = try parser.byte() == 0 ? .spam : .content
        let notice = try parser.optional { parser throws(WireError) in
            let ttl = try parser.read(Int64.self)
            return ClientNotice(ttl: ttl < 0 ? nil : ttl)
        }
        self.status = .blocked(BlockingInfo(reason: reason, notice: notice))
    }
}

extension StoredSecret {
    init(from parser: inout WireParser) throws(WireError) {
        let bytes = try parser.short()
        guard bytes.count == 32 else { throw parser.error(.invalidValue, "a secret of 32 bytes") }
        self.bytes = SecretBytes(wiping: bytes)
    }
}
