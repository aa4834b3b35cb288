public import SMPWire

/// What a transmission carries: a ``SMPCommand`` from a client, a ``SMPBrokerMessage`` from a router.
public protocol SMPMessage: Sendable {
    /// Appends the encoding of the agreed version.
    func encode(to writer: inout WireWriter, version: UInt16)

    /// Reads a whole message of the agreed version.
    ///
    /// - Throws: the error that a receiver answers with or puts in the message's place.
    init(parsing bytes: Bytes, version: UInt16) throws(SMPErrorType)

    /// Throws if the message came with an authorisation or entity that it must not have, or lacks one.
    func checkCredentials(_ authorization: TransmissionAuthorization, entity: EntityID) throws(SMPErrorType)
}

extension SMPMessage {
    /// The encoding of the agreed version.
    public func bytes(version: UInt16) -> Bytes {
        var writer = WireWriter()
        encode(to: &writer, version: version)
        return writer.bytes
    }
}
