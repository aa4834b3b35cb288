/// Padding that hides the length of what is encrypted: a two-byte length, the message, then `#` up to the full length
/// (simplex-messaging.md, "Message padding").
public enum Padding {
    private static let filler = UInt8(ascii: "#")

    /// Pads a message to `length` bytes.
    ///
    /// - Throws: ``WireError`` `tooLong` when the message and its two length bytes do not fit.
    public static func pad(_ message: Bytes, to length: Int) throws(WireError) -> Bytes {
        guard message.count <= 65_535, message.count + 2 <= length else {
            throw WireError(.tooLong, "a message of \(message.count) bytes padded to \(length)")
        }
        var writer = WireWriter(reservingCapacity: length)
        writer.write(large: message)
        // An array, because appending a `Repeated` goes element by element unless it is specialised.
        writer.write(raw: Bytes(repeating: filler, count: length - message.count - 2))
        return writer.bytes
    }

    /// Takes the message out of its padding. What the padding holds is not looked at.
    public static func unpad(_ padded: Bytes) throws(WireError) -> Bytes {
        var parser = WireParser(padded)
        return try parser.large()
    }
}
