/// The verdict of the hash chain and the ids of a connection's messages on a received message (agent-protocol.md, "Agent message").
package enum MessageIntegrity: Hashable, Sendable, CustomStringConvertible {
    /// The message follows the one received before it.
    case ok
    /// Messages from `from` to `to` (the sender's numbers) were not received.
    case skipped(from: Int64, to: Int64)
    /// The sender's number is lower than that of the message before.
    case badID(Int64)
    /// The number follows, but the hash of the message before is another one.
    case badHash
    /// The sender's number is that of the message before.
    case duplicate

    /// Compares a message's header with what was received before it.
    ///
    /// - Parameters:
    ///   - previousID: the sender's number of the message received before, 0 if none.
    ///   - previousHash: SHA-256 of the message received before, empty if none.
    static func check(
        previousID: Int64, previousHash: [UInt8], id: Int64, claimedPreviousHash: [UInt8]
    ) -> MessageIntegrity {
        if id < previousID { return .badID(id) }
        if id == previousID { return .duplicate }
        // It is greater: neither sum can overflow.
        if id > previousID + 1 { return .skipped(from: previousID + 1, to: id - 1) }
        return previousHash == claimedPreviousHash ? .ok : .badHash
    }

    /// `OK`, or `ERR` and the fault, as the official agent prints it.
    package var description: String {
        switch self {
        case .ok: "OK"
        case .skipped(let from, let to): "ERR NO_ID \(from) \(to)"
        case .badID(let id): "ERR ID \(id)"
        case .badHash: "ERR HASH"
        case .duplicate: "ERR DUPLICATE"
        }
    }

    /// Reads what ``description`` prints; nil for anything else.
    package init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        switch words.count {
        case 1 where words[0] == "OK": self = .ok
        case 2 where words == ["ERR", "HASH"]: self = .badHash
        case 2 where words == ["ERR", "DUPLICATE"]: self = .duplicate
        case 3 where words[0] == "ERR" && words[1] == "ID":
            guard let id = Int64(words[2]) else { return nil }
            self = .badID(id)
        case 4 where words[0] == "ERR" && words[1] == "NO_ID":
            guard let from = Int64(words[2]), let to = Int64(words[3]) else { return nil }
            self = .skipped(from: from, to: to)
        default: return nil
        }
    }
}
