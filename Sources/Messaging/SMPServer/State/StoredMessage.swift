import RouterSupport
import SMPProtocol
import SMPWire

/// A message of a queue as memory holds it; its body is in the journal.
struct StoredMessage: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        case message = 0
        /// Stands for the messages that were refused while the queue was full.
        case quota = 1
        /// The body was found damaged: it keeps its place until it would be delivered, and is then passed over.
        case lost = 2
    }

    var id: Identifier
    /// Seconds since 1970.
    var timestamp: Int64
    var flags: MessageFlags
    var kind: Kind
    var bodyLength: Int
    /// Where its record is.
    var position: LogRange
}
