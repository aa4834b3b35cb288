import ChatRules
import SMPAgent
import SMPWire
import SystemSupport

extension AgentNotification {
    /// The event's name, which is the same when the event is repeated; nil for an event that is not repeated.
    var key: InFlightKey? {
        if case .event(let number)? = durableID { return InFlightKey([Self.durable] + Self.bytes(number)) }
        guard let connection else { return nil }
        switch event {
        case .message(let metadata, _, _), .receipts(let metadata, _):
            return InFlightKey([Self.message] + Self.bytes(metadata.messageID) + connection.bytes)
        default: return nil
        }
    }

    /// The unparsed bytes of the peer, if the event carries them.
    var body: Bytes? {
        switch event {
        case .message(_, _, let body): body
        case .confirmation(_, _, _, let info), .request(_, _, _, let info), .information(_, let info): info
        default: nil
        }
    }

    private static let durable: UInt8 = 1
    private static let message: UInt8 = 2

    private static func bytes(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
