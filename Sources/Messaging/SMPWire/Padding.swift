/// Padding that hides the length of the plaintext: a two-byte length, the message, then `#` up to the full length
/// (simplex-messaging.md, "Message padding").
package enum Padding {
    fileprivate static let filling = Bytes(repeating: UInt8(ascii: "#"), count: 16_384)

    /// Pads a message to `length` bytes.
    ///
    /// - Throws: ``WireError`` `tooLong` when the message and its two length bytes do not fit.
    package static func pad(_ message: Bytes, to length: Int) throws(WireError) -> Bytes {
        var writer = WireWriter(reservingCapacity: length)
        try writer.write(paddedTo: length) { $0.write(raw: message) }
        return writer.bytes
    }

    /// Takes the message out of its padding. What the padding holds is not looked at.
    package static func unpad(_ padded: consuming Bytes) throws(WireError) -> Bytes {
        var parser = WireParser(copy padded)
        let count = Int(try parser.read(UInt16.self))
        guard count <= parser.remaining else { throw parser.error(.truncated, "\(count) bytes of \(parser.remaining)") }
        // Moved in its memory rather than copied, unless most of that would be held for nothing.
        guard count > padded.count / 2 else { return try parser.take(count) }
        parser = WireParser([])
        padded.removeSubrange((count + 2)...)
        padded.removeFirst(2)
        return padded
    }
}

extension WireWriter {
    /// Appends what `write` writes in ``Padding``, `length` bytes in all.
    ///
    /// - Throws: ``WireError`` `tooLong` when that and its two length bytes do not fit. What was written is left then.
    public mutating func write(paddedTo length: Int, _ write: (inout WireWriter) -> Void) throws(WireError) {
        let start = bytes.count
        self.write(UInt16(0))
        write(&self)
        let count = bytes.count - start - 2
        guard count <= 65_535, count + 2 <= length else {
            throw WireError(.tooLong, "a message of \(count) bytes padded to \(length)")
        }
        replace(at: start, with: UInt16(count))
        var left = length - count - 2
        while left > 0 {
            let piece = min(left, Padding.filling.count)
            self.write(raw: Padding.filling[..<piece])
            left -= piece
        }
    }
}
