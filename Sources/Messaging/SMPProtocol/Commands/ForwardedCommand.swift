package import SMPCrypto
package import SMPWire

/// The payload of `PFWD`: a transmission that only the destination router can read.
package struct ForwardedCommand: WireCodable, Hashable, Sendable {
    /// The version that client and destination speak with each other.
    package var version: UInt16
    /// Agrees the secret of this one command with the destination's session key.
    package var key: X25519.PublicKey
    package var encryptedTransmission: Bytes

    package init(version: UInt16, key: X25519.PublicKey, encryptedTransmission: Bytes) {
        self.version = version
        self.key = key
        self.encryptedTransmission = encryptedTransmission
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(version)
        writer.write(key)
        writer.write(raw: encryptedTransmission)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        version = try parser.read()
        key = try parser.read()
        encryptedTransmission = parser.rest()
    }
}
