import RouterSupport
import SMPProtocol
import SMPWire

/// A command of an operator to a running router: words on a line.
enum ControlCommand: Sendable, Equatable {
    case statistics
    case sessions
    case compact
    /// Renews the certificate.
    case renew
    /// Describes the queue with this sender id or link id.
    case status(EntityID)
    case block(EntityID, BlockingInfo)
    case unblock(EntityID)
    case delete(EntityID)

    /// - Throws: `badCommand` with the reason.
    init(parsing line: String) throws(ControlError) {
        var words = ControlWords(line)
        func id() throws(ControlError) -> EntityID { try words.id(of: "queue", asIn: "addresses and links") }
        let name = try words.command()
        switch name {
        case "stats": self = .statistics
        case "sessions": self = .sessions
        case "compact": self = .compact
        case "renew": self = .renew
        case "status": self = .status(try id())
        case "unblock": self = .unblock(try id())
        case "delete": self = .delete(try id())
        case "block": self = .block(try id(), try words.blockingInfo())
        default: throw ControlError("badCommand", "there is no command \"\(name)\"")
        }
        try words.end()
    }
}
