package import SMPWire

/// ``Padding`` of encrypted messages, with the errors of this module and the limit of the protocol.
package enum MessagePadding {
    /// The maximum size in bytes of a message that can be padded, for any padded length.
    package static let maximumMessage = 65_533

    /// Checks whether a message of `count` bytes can be padded to `length`.
    package static func fits(_ count: Int, in length: Int) -> Bool { count <= maximumMessage && count + 2 <= length }

    /// - Throws: ``CryptoError`` `messageTooLong`.
    package static func pad(_ message: Bytes, to length: Int) throws(CryptoError) -> Bytes {
        var writer = WireWriter(reservingCapacity: length)
        try write(to: &writer, paddedTo: length) { $0.write(raw: message) }
        return writer.finish()
    }

    /// Pads the written bytes.
    ///
    /// - Throws: ``CryptoError`` `messageTooLong`.
    static func write(
        to writer: inout WireWriter, paddedTo length: Int, _ write: (inout WireWriter) -> Void
    ) throws(CryptoError) {
        var count = 0
        do {
            try writer.write(paddedTo: length) { writer in
                let start = writer.bytes.count
                write(&writer)
                count = writer.bytes.count - start
            }
        } catch {
            throw CryptoError(.messageTooLong, error.subject)
        }
        guard fits(count, in: length) else {
            throw CryptoError(.messageTooLong, "a message of \(count) bytes does not fit \(length) with its padding")
        }
    }

    /// - Throws: ``CryptoError`` `invalidPadding`.
    package static func unpad(_ padded: consuming Bytes) throws(CryptoError) -> Bytes {
        do {
            return try Padding.unpad(padded)
        } catch {
            throw CryptoError(.invalidPadding, error.subject)
        }
    }
}
