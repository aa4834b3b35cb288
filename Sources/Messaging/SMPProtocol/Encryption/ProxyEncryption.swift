package import SMPCrypto
package import SMPWire

/// The layers around a command that a proxy forwards (simplex-messaging.md, "Proxying sender commands"): client to destination
/// by a key of its own for every command, and proxy to destination by the secret of their session.
package enum ProxyEncryption {
    /// The padded length of a forwarded batch.
    package static let paddedLength = 16_226

    /// The encrypted payload of a client's `PFWD`.
    ///
    /// - Parameters:
    ///   - batch: the content of a block with one transmission.
    ///   - correlationID: of the `PFWD` and of the command in it.
    package static func sealTransmission(
        _ batch: Bytes, correlationID: CorrelationID, secret: BoxSecret
    ) throws(CryptoError) -> Bytes {
        try secret.seal(batch, nonce: nonce(correlationID), paddedTo: paddedLength)
    }

    package static func openTransmission(
        _ encrypted: Bytes, correlationID: CorrelationID, secret: BoxSecret
    ) throws(CryptoError) -> Bytes {
        try secret.openPadded(encrypted, nonce: nonce(correlationID))
    }

    /// The destination's response: the same, with the nonce reversed.
    package static func sealResponse(
        _ batch: Bytes, correlationID: CorrelationID, secret: BoxSecret
    ) throws(CryptoError) -> Bytes {
        try secret.seal(batch, nonce: nonce(correlationID).reversed, paddedTo: paddedLength)
    }

    package static func openResponse(
        _ encrypted: Bytes, correlationID: CorrelationID, secret: BoxSecret
    ) throws(CryptoError) -> Bytes {
        try secret.openPadded(encrypted, nonce: nonce(correlationID).reversed)
    }

    fileprivate static func nonce(_ correlationID: CorrelationID) throws(CryptoError) -> BoxNonce {
        try BoxNonce(correlationID.bytes)
    }
}

/// The payload of `RFWD`: a transmission that a proxy passes to the destination, encrypted with the secret of their session.
package struct ForwardedTransmission: WireCodable, Hashable, Sendable {
    /// Of the client's `PFWD`.
    package var correlationID: CorrelationID
    package var command: ForwardedCommand

    package init(correlationID: CorrelationID, command: ForwardedCommand) {
        self.correlationID = correlationID
        self.command = command
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(correlationID)
        writer.write(command)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        correlationID = try parser.read()
        command = try parser.read()
    }

    /// - Parameter correlationID: the correlation id of the `RFWD`.
    package func seal(correlationID: CorrelationID, sessionSecret: BoxSecret) throws(CryptoError) -> Bytes {
        sessionSecret.seal(wireBytes, nonce: try ProxyEncryption.nonce(correlationID))
    }

    /// - Throws: ``CryptoError`` or ``WireError``.
    package init(opening encrypted: Bytes, correlationID: CorrelationID, sessionSecret: BoxSecret) throws {
        try self.init(wireBytes: try sessionSecret.open(encrypted, nonce: try ProxyEncryption.nonce(correlationID)))
    }
}

/// The payload of `RRES`: the destination's answer to a proxy.
package struct ForwardedResponse: WireCodable, Hashable, Sendable {
    /// Of the client's `PFWD`.
    package var correlationID: CorrelationID
    package var encryptedResponse: Bytes

    package init(correlationID: CorrelationID, encryptedResponse: Bytes) {
        self.correlationID = correlationID
        self.encryptedResponse = encryptedResponse
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(correlationID)
        writer.write(raw: encryptedResponse)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        correlationID = try parser.read()
        encryptedResponse = parser.rest()
    }

    package func seal(correlationID: CorrelationID, sessionSecret: BoxSecret) throws(CryptoError) -> Bytes {
        sessionSecret.seal(wireBytes, nonce: try ProxyEncryption.nonce(correlationID).reversed)
    }

    /// - Throws: ``CryptoError`` or ``WireError``.
    package init(opening encrypted: Bytes, correlationID: CorrelationID, sessionSecret: BoxSecret) throws {
        try self.init(wireBytes: try sessionSecret.open(encrypted, nonce: try ProxyEncryption.nonce(correlationID).reversed))
    }
}
