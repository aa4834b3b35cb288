import SMPProtocol
import SMPWire

/// A command of an operator to a running router: words on a line.
enum ControlCommand: Sendable, Equatable {
    case statistics
    case sessions
    case compact
    /// Issue a certificate anew.
    case renew
    /// Of a queue by its sender id, or the id of its link.
    case status(EntityID)
    case block(EntityID, BlockingInfo)
    case unblock(EntityID)
    case delete(EntityID)

    /// - Throws: `badCommand` with what is wrong.
    init(parsing line: String) throws(ControlError) {
        var words = line.split(separator: " ")[...]
        func id() throws(ControlError) -> EntityID {
            guard let word = words.popFirst() else { throw ControlError("badCommand", "the id of the queue is missing") }
            guard let bytes = Base64URL.decode(word), bytes.count == Identifier.count else {
                throw ControlError("badCommand", "\"\(word)\" is not the id of a queue: 32 characters as addresses and links have them")
            }
            return EntityID(bytes)
        }
        guard let name = words.popFirst() else { throw ControlError("badCommand", "the command is missing") }
        switch name {
        case "stats": self = .statistics
        case "sessions": self = .sessions
        case "compact": self = .compact
        case "renew": self = .renew
        case "status": self = .status(try id())
        case "unblock": self = .unblock(try id())
        case "delete": self = .delete(try id())
        case "block":
            let id = try id()
            guard let word = words.popFirst(), let reason = BlockingInfo.Reason(rawValue: String(word)) else {
                throw ControlError("badCommand", "the reason is missing: spam or content")
            }
            var notice: ClientNotice?
            if let word = words.popFirst() {
                guard let hours = Int64(word), (0...87_600).contains(hours) else {
                    throw ControlError("badCommand", "the hours for which clients show a notice are a number up to 87600")
                }
                notice = ClientNotice(ttl: hours * 3_600)
            }
            self = .block(id, BlockingInfo(reason: reason, notice: notice))
        default: throw ControlError("badCommand", "there is no command \"\(name)\"")
        }
        guard words.isEmpty else { throw ControlError("badCommand", "\"\(words[words.startIndex])\" is too much") }
    }
}

/// The reason why a command of the operator failed.
package struct ControlError: Error, Equatable {
    /// Stable: for scripts.
    package let code: String
    package let message: String

    package init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    var reply: String { JSONText.line([("error", .object([("code", .text(code)), ("message", .text(message))]))]) }
}
