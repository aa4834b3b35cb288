package import SMPWire

/// The content of a transmission: a ``SMPCommand`` from a client, a ``SMPBrokerMessage`` from a router.
package protocol SMPMessage: Sendable {
    /// Appends the encoding of the agreed version.
    func encode(to writer: inout WireWriter, version: UInt16)

    /// Reads a message of the agreed version that takes up all that is left.
    ///
    /// - Throws: the error that a receiver answers with or puts in the message's place.
    init(parsing parser: inout WireParser, version: UInt16) throws(SMPErrorType)

    /// About how many bytes the encoding takes.
    var sizeHint: Int { get }

    /// Throws if the message came with an authorisation or entity that it must not have, or lacks one.
    func checkCredentials(_ authorization: TransmissionAuthorization, entity: EntityID) throws(SMPErrorType)
}

extension SMPMessage {
    /// Reads a whole message of the agreed version.
    ///
    /// - Throws: the error that a receiver answers with or puts in the message's place.
    package init(parsing bytes: Bytes, version: UInt16) throws(SMPErrorType) {
        var parser = WireParser(bytes)
        try self.init(parsing: &parser, version: version)
    }

    /// The encoding of the agreed version.
    package func bytes(version: UInt16) -> Bytes {
        var writer = WireWriter(reservingCapacity: sizeHint)
        encode(to: &writer, version: version)
        return writer.bytes
    }
}
