import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPWire
import XFTPProtocol

/// A recipient of a chunk.
struct FileRecipient: WireCodable, Hashable, Sendable {
    var id: EntityID
    var key: PublicAuthKey

    init(id: EntityID, key: PublicAuthKey) {
        self.id = id
        self.key = key
    }

    func encode(to writer: inout WireWriter) {
        writer.write(id)
        writer.write(key)
    }

    init(from parser: inout WireParser) throws(WireError) {
        id = try parser.read()
        key = try parser.read()
    }
}

/// An entry of a file router's journal. Applying an entry again changes nothing.
enum FileJournalRecord: JournalEntry, Hashable {
    /// A chunk with some of its recipients, at most 255.
    case file(id: EntityID, FileInfo, created: Int64, [FileRecipient])
    case recipients(of: EntityID, [FileRecipient])
    case uploaded(EntityID)
    /// A recipient has given up its right.
    case acknowledged(recipient: EntityID)
    case deleted(EntityID)
    case blocked(EntityID, BlockingInfo)

    var code: UInt8 {
        switch self {
        case .file: 1
        case .recipients: 2
        case .uploaded: 3
        case .acknowledged: 4
        case .deleted: 5
        case .blocked: 6
        }
    }

    /// False for acknowledgements: after a lost one, the chunk only stays until it expires.
    var mustBeSynchronized: Bool { if case .acknowledged = self { false } else { true } }

    func encode(to writer: inout WireWriter) {
        switch self {
        case .file(let id, let info, let created, let recipients):
            writer.write(id)
            writer.write(info)
            writer.write(created)
            writer.write(list: recipients)
        case .recipients(let id, let recipients):
            writer.write(id)
            writer.write(list: recipients)
        case .uploaded(let id), .acknowledged(let id), .deleted(let id): writer.write(id)
        case .blocked(let id, let info):
            writer.write(id)
            info.encode(to: &writer)
        }
    }

    init(code: UInt8, _ attributes: Bytes) throws(WireError) {
        var parser = WireParser(attributes)
        switch code {
        case 1: self = .file(id: try parser.read(), try parser.read(), created: try parser.read(), try parser.list())
        case 2: self = .recipients(of: try parser.read(), try parser.list())
        case 3: self = .uploaded(try parser.read())
        case 4: self = .acknowledged(recipient: try parser.read())
        case 5: self = .deleted(try parser.read())
        case 6: self = .blocked(try parser.read(), try BlockingInfo(&parser))
        default: throw WireError(.invalidValue, "a kind of record")
        }
        try parser.finish()
    }
}
