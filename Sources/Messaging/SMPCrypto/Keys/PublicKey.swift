public import SMPWire

/// A public key of one algorithm.
///
/// Its binary encoding is the DER SubjectPublicKeyInfo after a one-byte length, and its textual one the base64url form of that DER.
public struct AlgorithmPublicKey<Algorithm: KeyAlgorithm>: Hashable, Sendable, WireCodable, StringCodable, CustomStringConvertible {
    /// ``KeyAlgorithm/publicSize`` bytes.
    public let raw: Bytes

    /// - Throws: ``CryptoError`` `invalidKey` if the size is wrong.
    public init(raw: Bytes) throws(CryptoError) {
        guard raw.count == Algorithm.publicSize else {
            throw CryptoError(.invalidKey, "a public \(Algorithm.name) key has \(Algorithm.publicSize) bytes, not \(raw.count)")
        }
        self.raw = raw
    }

    /// Creates a key from the result of an algorithm, whose size is right.
    init(unchecked raw: Bytes) { self.raw = raw }

    /// DER SubjectPublicKeyInfo.
    public var spki: Bytes { Algorithm.publicPrefix + raw }

    /// - Throws: ``CryptoError`` `invalidKey` if it is not the DER of a key of this algorithm, with nothing after it.
    public init(spki: Bytes) throws(CryptoError) {
        guard let raw = KeyEncoding.strip(Algorithm.publicPrefix, size: Algorithm.publicSize, from: spki) else {
            throw CryptoError(.invalidKey, "not the encoding of a public \(Algorithm.name) key")
        }
        self.raw = raw
    }

    /// Appends the binary encoding.
    public func encode(to writer: inout WireWriter) { writer.write(short: spki) }

    /// Reads the binary encoding.
    public init(from parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        try self.init(spki: try parser.short(), at: start)
    }

    /// Appends the textual encoding.
    public func encodeString(to writer: inout WireWriter) { writer.write(text: Base64URL.encode(spki)) }

    /// Reads the textual encoding.
    public init(fromString parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        try self.init(spki: try parser.base64URL(), at: start)
    }

    private init(spki: Bytes, at offset: Int) throws(WireError) {
        guard let raw = KeyEncoding.strip(Algorithm.publicPrefix, size: Algorithm.publicSize, from: spki) else {
            throw WireError(.invalidValue, "a public \(Algorithm.name) key", at: offset)
        }
        self.raw = raw
    }

    /// A textual form, for messages and logs.
    public var description: String { wireString }
}

extension AlgorithmPublicKey: Codable {
    /// Encodes the JSON form, which is the textual encoding.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wireString)
    }

    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(wireString: try container.decode(String.self))
        } catch let error as WireError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }
}

extension AlgorithmPublicKey where Algorithm: SignatureAlgorithm {
    /// Checks whether the signature of the message was made with the private key. False for a signature of the wrong size.
    public func isValidSignature(_ signature: Bytes, for message: Bytes) -> Bool {
        signature.count == Algorithm.signatureSize && Algorithm.verify(signature, message: message, publicKey: raw)
    }
}
