package import SMPCrypto
package import SMPWire

/// The content that a router encrypts for the recipient of a message (simplex-messaging.md, "Deliver queue message").
package enum ReceivedMessageBody: Hashable, Sendable {
    /// A message as its sender sent it.
    ///
    /// - Parameter timestamp: seconds since 1970, when the router took it.
    case message(timestamp: Int64, flags: MessageFlags, body: Bytes)
    /// The queue was full: the sender got an error, and will continue when this message is acknowledged.
    case quotaExceeded(timestamp: Int64)

    /// The longest body that any version of a router takes from a sender.
    package static let maximumBody = 16_088
    /// The padded length, in bytes: body, eight bytes of time and eight for flags and the space after them.
    package static let paddedLength = maximumBody + 16 + 2
    /// Bytes after encryption.
    package static let encryptedLength = paddedLength + BoxSecret.tagSize

    /// The longest body that a router takes in a session of this version.
    package static func maximumBody(version: UInt16) -> Int {
        if version >= SMPVersion.encryptedBlocks { return 16_048 }
        return version >= SMPVersion.sendingProxy ? 16_064 : maximumBody
    }

    package var timestamp: Int64 {
        switch self {
        case .message(let timestamp, _, _), .quotaExceeded(let timestamp): timestamp
        }
    }

    /// - Parameters:
    ///   - secret: what the queue's encryption keys of router and recipient agree on.
    ///   - length: what it is padded to, in bytes; less only in simulations.
    /// - Throws: ``CryptoError`` if the body is longer than ``maximumBody``.
    package func seal(id: MessageID, secret: BoxSecret, paddedTo length: Int = Self.paddedLength) throws(CryptoError) -> Bytes {
        try secret.seal(nonce: BoxNonce(padding: id.bytes), paddedTo: length) { encode(to: &$0) }
    }

    /// - Throws: ``CryptoError`` if the message was not encrypted with this secret, ``WireError`` if it is malformed.
    package init(opening message: ReceivedMessage, secret: BoxSecret) throws {
        let content = try secret.openPadded(message.encryptedBody, nonce: BoxNonce(padding: message.id.bytes))
        try self.init(wireBytes: content)
    }
}

extension ReceivedMessageBody: WireCodable {
    package func encode(to writer: inout WireWriter) {
        switch self {
        case .message(let timestamp, let flags, let body):
            writer.write(timestamp)
            writer.write(flags)
            writer.write(byte: UInt8(ascii: " "))
            writer.write(raw: body)
        case .quotaExceeded(let timestamp):
            writer.write(text: "QUOTA ")
            writer.write(timestamp)
        }
    }

    package init(from parser: inout WireParser) throws(WireError) {
        if parser.skip("QUOTA ") {
            self = .quotaExceeded(timestamp: UnixTime.bounded(try parser.read()))
        } else {
            // A router's clock must neither cost a message nor end what reckons with it.
            let timestamp = UnixTime.bounded(try parser.read())
            let flags = try parser.read(MessageFlags.self)
            try parser.expect(UInt8(ascii: " "))
            self = .message(timestamp: timestamp, flags: flags, body: parser.rest())
        }
    }
}

/// The message metadata in a notification, encrypted for the recipient so that the notification server cannot read it.
package struct NotificationMessageMeta: WireCodable, Hashable, Sendable {
    package static let paddedLength = 128

    package var id: MessageID
    /// Seconds since 1970, when the router took the message.
    package var timestamp: Int64

    package init(id: MessageID, timestamp: Int64) {
        self.id = id
        self.timestamp = timestamp
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(id)
        writer.write(timestamp)
    }

    /// Passes over what later versions may append.
    package init(from parser: inout WireParser) throws(WireError) {
        id = try parser.read()
        timestamp = UnixTime.bounded(try parser.read())
        _ = parser.rest()
    }

    package func seal(nonce: BoxNonce, secret: BoxSecret) throws(CryptoError) -> Bytes {
        try secret.seal(wireBytes, nonce: nonce, paddedTo: Self.paddedLength)
    }

    /// - Throws: ``CryptoError`` or ``WireError``.
    package init(opening encrypted: Bytes, nonce: BoxNonce, secret: BoxSecret) throws {
        try self.init(wireBytes: try secret.openPadded(encrypted, nonce: nonce))
    }
}
