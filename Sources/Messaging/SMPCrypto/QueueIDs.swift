package import SMPWire

/// Identifiers that both sides compute instead of sending them.
package enum QueueIDs {
    /// Computes the sender's identifier of a queue that is created with link data: the first 24 bytes of the SHA3-384 of the correlation
    /// id of the command that creates it (simplex-messaging.md, "Create queue command").
    package static func senderID(correlationID: Bytes) -> Bytes { Bytes(Hash.sha3_384(correlationID).prefix(24)) }
}
