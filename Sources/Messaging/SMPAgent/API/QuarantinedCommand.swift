package import SystemSupport

/// A stored command of a connection that is quarantined because processes crashed on it.
package struct QuarantinedCommand: Sendable, Hashable {
    /// The command's number: see ``SMPAgent/retryCommand(_:)`` and ``SMPAgent/dropCommand(_:)``.
    package let id: Int64
    /// The kind of command, such as `allow`.
    package let kind: String

    package init(id: Int64, kind: String) {
        self.id = id
        self.kind = kind
    }

    init(_ command: CommandRecord) { self.init(id: command.row, kind: command.kind.name) }

    /// Its name in the record of the work in progress.
    package var key: InFlightKey? { InFlightKey([Self.keyPrefix] + withUnsafeBytes(of: id.bigEndian) { Array($0) }) }

    /// Tells it from the names of events and jobs.
    private static let keyPrefix: UInt8 = 4
}

extension CommandRecord.Kind {
    /// The name of the kind, in logs and in the quarantine.
    var name: String {
        switch self {
        case .create: "create"
        case .join: "join"
        case .allow: "allow"
        case .secureReplyQueue: "secureReplyQueue"
        case .secureNewQueue: "secureNewQueue"
        case .deleteReplacedQueue: "deleteReplacedQueue"
        case .deleteQueue: "deleteQueue"
        case .switchQueue: "switchQueue"
        }
    }

    /// The queue of a connection that is to be secured with a key of its peer, who may send keys for it as often as it likes.
    var securedQueue: RowID? { if case .secureNewQueue(let queue, _) = self { queue } else { nil } }
}
