package import SMPWire

/// Padding of files and long strings: an eight-byte length, the content, then `#` up to the full length (xftp.md).
package enum LongPadding {
    private static let filler = UInt8(ascii: "#")

    /// - Throws: ``CryptoError`` `messageTooLong` when the content and its eight length bytes do not fit.
    package static func pad(_ content: Bytes, to length: Int) throws(CryptoError) -> Bytes {
        guard content.count + 8 <= length else {
            throw CryptoError(.messageTooLong, "\(content.count) bytes do not fit \(length) with their padding")
        }
        var writer = WireWriter(reservingCapacity: length)
        writer.write(Int64(content.count))
        writer.write(raw: content)
        writer.write(raw: repeatElement(filler, count: length - content.count - 8))
        return writer.bytes
    }

    /// - Throws: ``CryptoError`` `invalidPadding` when the length is negative or exceeds the present bytes.
    package static func unpad(_ padded: Bytes) throws(CryptoError) -> Bytes {
        var parser = WireParser(padded)
        do {
            return try parser.take(Int(try parser.read(Int64.self)))
        } catch {
            throw CryptoError(.invalidPadding, error.subject)
        }
    }
}
