import SMPCrypto
import SMPWire

/// The content of a message's encrypted header.
struct MessageHeader: Sendable, Equatable {
    /// The highest version that the sender supports.
    var maximumVersion: UInt16
    /// The sender's current ratchet key.
    var key: X448.PublicKey
    var kem: RatchetParameters.KEM?
    /// The number of messages in the sender's previous chain.
    var previousCount: UInt32
    /// The number of the message in its chain, from 0.
    var number: UInt32

    /// The header's length once it is padded: of a fixed size, so that nobody sees whether it has a KEM.
    static func paddedLength(version: UInt16, supportsPQ: Bool) -> Int {
        supportsPQ && version >= RatchetVersion.kem ? 2310 : 88
    }

    func encoded(version: UInt16) -> Bytes {
        var writer = WireWriter(reservingCapacity: kem == nil ? 88 : 2310)
        writer.write(maximumVersion)
        writer.write(key)
        if version >= RatchetVersion.kem { writer.write(optional: kem) }
        writer.write(previousCount)
        writer.write(number)
        return writer.bytes
    }

    /// Bytes after the known fields are left unread: a later version may add fields.
    init(_ bytes: Bytes, version: UInt16) throws(WireError) {
        var parser = WireParser(bytes)
        maximumVersion = try parser.read()
        key = try parser.read()
        kem = version >= RatchetVersion.kem ? try parser.optional() : nil
        previousCount = try parser.read()
        number = try parser.read()
    }

    init(maximumVersion: UInt16, key: X448.PublicKey, kem: RatchetParameters.KEM?, previousCount: UInt32, number: UInt32) {
        self.maximumVersion = maximumVersion
        self.key = key
        self.kem = kem
        self.previousCount = previousCount
        self.number = number
    }
}
