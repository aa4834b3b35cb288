public import SMPCrypto
public import SMPWire

/// A signature over a message, with the key that made it.
public struct MessageSignature: Hashable, Sendable, WireCodable {
    /// Whose key it is.
    public enum KeyReference: Hashable, Sendable {
        /// The sender's as the group knows it.
        case member
    }

    /// Whose key it is.
    public let key: KeyReference
    /// 64 bytes of Ed25519, or 114 of Ed448, which no client makes.
    public let bytes: Bytes

    /// The signature with these bytes.
    public init(ed25519 bytes: Bytes) {
        key = .member
        self.bytes = bytes
    }

    /// Appends the binary encoding.
    public func encode(to writer: inout WireWriter) {
        writer.write(byte: UInt8(ascii: "M"))
        writer.write(short: bytes.prefix(255))
    }

    /// Reads the binary encoding.
    public init(from parser: inout WireParser) throws(WireError) {
        guard try parser.byte() == UInt8(ascii: "M") else {
            throw WireError(.invalidValue, "the key of a signature is M", at: parser.offset - 1)
        }
        key = .member
        let start = parser.offset
        bytes = try parser.short()
        guard bytes.count == Ed25519.signatureSize || bytes.count == Ed448.signatureSize else {
            throw WireError(.invalidValue, "a signature has 64 or 114 bytes", at: start)
        }
    }
}

/// The exact bytes of a message with signatures over them. They are stored and forwarded as they are: a message that was
/// encoded again would not verify.
public struct SignedMessage: Hashable, Sendable {
    /// In what kind of chat it was signed.
    public let binding: ChatBindingTag
    /// 1 to 255 signatures.
    public let signatures: [MessageSignature]
    /// The JSON of the message.
    public let body: Bytes

    /// - Returns: nil unless there are 1 to 255 signatures.
    public init?(binding: ChatBindingTag, signatures: [MessageSignature], body: Bytes) {
        guard (1...255).contains(signatures.count) else { return nil }
        self.binding = binding
        self.signatures = signatures
        self.body = body
    }

    /// Signs a message.
    public init(signing body: Bytes, in chat: ChatBinding, with key: Ed25519.PrivateKey) {
        binding = chat.tag
        signatures = [MessageSignature(ed25519: key.signature(for: chat.bytes + body))]
        self.body = body
    }

    /// Tells whether all signatures are by that key, for that chat.
    public func isValid(in chat: ChatBinding, key: Ed25519.PublicKey) -> Bool {
        guard chat.tag == binding else { return false }
        let message = chat.bytes + body
        return signatures.allSatisfy { key.isValidSignature($0.bytes, for: message) }
    }

    /// The message as an element of a batch: `/`, the binding, the signatures, the body.
    public var element: Bytes {
        var writer = WireWriter(reservingCapacity: body.count + 70 * signatures.count)
        writer.write(byte: UInt8(ascii: "/"))
        writer.write(binding)
        writer.write(list: signatures)
        writer.write(raw: body)
        return writer.bytes
    }
}

extension MessageForward {
    /// A forwarded message as an element of a batch: `>`, whose it is, then the element that was forwarded.
    public func element(_ element: Bytes) -> Bytes {
        var writer = WireWriter(reservingCapacity: element.count + 64)
        writer.write(byte: UInt8(ascii: ">"))
        writer.write(self)
        writer.write(raw: element)
        return writer.bytes
    }

    /// Tells whether bytes are such an element, and not an encoded message.
    public static func isElement(_ bytes: Bytes) -> Bool { bytes.first == UInt8(ascii: ">") }
}
