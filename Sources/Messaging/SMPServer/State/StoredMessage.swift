import RouterSupport
import SMPProtocol
import SMPWire

/// A message of a queue as memory holds it; its body is in the journal.
struct StoredMessage: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        case message = 0
        /// The notice of messages that were refused while the queue was full.
        case quota = 1
        /// A message with a damaged body: it keeps its place until its delivery, and is then skipped.
        case lost = 2
    }

    var id: Identifier
    /// Seconds since 1970.
    var timestamp: Int64
    var flags: MessageFlags
    var kind: Kind
    var bodyLength: Int
    /// The position of its record.
    var position: LogRange
}
