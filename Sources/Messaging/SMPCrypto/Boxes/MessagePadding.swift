public import SMPWire

/// ``Padding`` of what is encrypted, with the errors of this room and the limit of the protocol.
public enum MessagePadding {
    /// The longest message that can be padded, whatever the padded length.
    public static let maximumMessage = 65_533

    /// Whether a message of `count` bytes can be padded to `length`.
    public static func fits(_ count: Int, in length: Int) -> Bool { count <= maximumMessage && count + 2 <= length }

    /// - Throws: ``CryptoError`` `messageTooLong`.
    public static func pad(_ message: Bytes, to length: Int) throws(CryptoError) -> Bytes {
        guard fits(message.count, in: length) else {
            throw CryptoError(.messageTooLong, "a message of \(message.count) bytes does not fit \(length) with its padding")
        }
        do {
            return try Padding.pad(message, to: length)
        } catch {
            throw CryptoError(.messageTooLong, error.subject)
        }
    }

    /// - Throws: ``CryptoError`` `invalidPadding`.
    public static func unpad(_ padded: Bytes) throws(CryptoError) -> Bytes {
        do {
            return try Padding.unpad(padded)
        } catch {
            throw CryptoError(.invalidPadding, error.subject)
        }
    }
}
