package import SMPCrypto
package import SMPWire

/// The content that a queue's sender encrypts for its recipient (simplex-messaging.md, "Client message").
package struct ClientMessage: WireCodable, Sendable, Equatable {
    /// The sender's key for its commands; nil in ordinary messages and when the sender has secured the queue itself.
    package var senderKey: PublicAuthKey?
    /// An ``AgentEnvelope``.
    package var body: Bytes

    package init(senderKey: PublicAuthKey? = nil, body: Bytes) {
        self.senderKey = senderKey
        self.body = body
    }

    package func encode(to writer: inout WireWriter) {
        if let senderKey {
            writer.write(byte: UInt8(ascii: "K"))
            writer.write(senderKey)
        } else {
            writer.write(byte: UInt8(ascii: "_"))
        }
        writer.write(raw: body)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        switch try parser.byte() {
        case UInt8(ascii: "_"): senderKey = nil
        case UInt8(ascii: "K"): senderKey = try parser.read()
        default: throw WireError(.invalidValue, "a client message begins with _ or K", at: start)
        }
        body = parser.rest()
    }
}

/// The body of a `SEND`: a ``ClientMessage`` in a box.
package struct ClientEnvelope: WireCodable, Sendable, Hashable {
    /// The SMP client version that both sides of the queue agreed on.
    package var clientVersion: UInt16
    /// The sender's key that the box's secret is agreed with; only in confirmations and invitations.
    package var encryptionKey: X25519.PublicKey?
    package var nonce: BoxNonce
    package var encrypted: Bytes

    package init(clientVersion: UInt16, encryptionKey: X25519.PublicKey?, nonce: BoxNonce, encrypted: Bytes) {
        self.clientVersion = clientVersion
        self.encryptionKey = encryptionKey
        self.nonce = nonce
        self.encrypted = encrypted
    }

    /// Encrypts a client message, padded to the length that hides what it is.
    ///
    /// - Parameter paddingReduction: bytes by which it is padded less.
    /// - Throws: ``CryptoError`` `messageTooLong`.
    package init(
        sealing message: ClientMessage, secret: BoxSecret, clientVersion: UInt16, encryptionKey: X25519.PublicKey?, nonce: BoxNonce,
        paddingReduction: Int = 0
    ) throws(CryptoError) {
        let length = (encryptionKey == nil ? AgentLimits.clientMessageLength : AgentLimits.clientConfirmationLength) - paddingReduction
        self.init(
            clientVersion: clientVersion, encryptionKey: encryptionKey, nonce: nonce,
            encrypted: try secret.seal(nonce: nonce, paddedTo: length) { $0.write(message) })
    }

    /// The binary encoding, made without growing on the way: there is one of 16 KB for each delivery.
    var wireBytes: Bytes {
        var writer = WireWriter(reservingCapacity: encrypted.count + 96)
        encode(to: &writer)
        return writer.finish()
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(clientVersion)
        writer.write(optional: encryptionKey)
        writer.write(nonce)
        writer.write(raw: encrypted)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        clientVersion = try parser.read()
        encryptionKey = try parser.optional()
        nonce = try parser.read()
        encrypted = parser.rest()
    }
}
