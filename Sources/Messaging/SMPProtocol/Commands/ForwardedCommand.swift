public import SMPCrypto
public import SMPWire

/// The payload of `PFWD`: a transmission that only the destination router can read.
public struct ForwardedCommand: WireCodable, Hashable, Sendable {
    /// The version that client and destination speak with each other.
    public var version: UInt16
    /// Agrees the secret of this one command with the destination's session key.
    public var key: X25519.PublicKey
    public var encryptedTransmission: Bytes

    public init(version: UInt16, key: X25519.PublicKey, encryptedTransmission: Bytes) {
        self.version = version
        self.key = key
        self.encryptedTransmission = encryptedTransmission
    }

    public func encode(to writer: inout WireWriter) {
        writer.write(version)
        writer.write(key)
        writer.write(raw: encryptedTransmission)
    }

    public init(from parser: inout WireParser) throws(WireError) {
        version = try parser.read()
        key = try parser.read()
        encryptedTransmission = parser.rest()
    }
}
