public import SMPWire

/// Compressed bodies: `X`, a count, and as many parts, each either bytes as they are (`0`, one-byte length) or a Zstandard
/// frame (`1`, two-byte length).
public enum MessageCompression {
    /// Wraps a body, compressing it unless it is too short to gain from that.
    ///
    /// - Parameter body: At most 65,535 bytes once compressed, which all within the limits of messages are.
    public static func compress(_ body: Bytes) throws(ChatProtocolError) -> Bytes {
        var writer = WireWriter()
        writer.write(byte: UInt8(ascii: "X"))
        writer.write(byte: 1)
        if body.count <= ChatLimits.compressionPassthrough {
            writer.write(byte: UInt8(ascii: "0"))
            writer.write(short: body)
        } else {
            let frame = try Zstandard.compress(body)
            guard frame.count <= Int(UInt16.max) else {
                throw ChatProtocolError(.tooLarge, "\(frame.count) bytes after compression")
            }
            writer.write(byte: UInt8(ascii: "1"))
            writer.write(large: frame)
        }
        return writer.bytes
    }

    /// Takes a compressed body apart. Sizes are added up and checked before anything is decompressed.
    ///
    /// - Returns: One body for each part; a corrupt part leaves the others readable.
    /// - Throws: `malformedBinary`, `malformedCompression` if a part does not tell its size, `tooLarge` if all together are
    ///   above ``ChatLimits/decompressedMessage``.
    public static func decompress(_ body: Bytes) throws(ChatProtocolError) -> [Result<Bytes, ChatProtocolError>] {
        let parts: [Part]
        do {
            var parser = WireParser(body)
            try parser.expect(UInt8(ascii: "X"))
            parts = try parser.nonEmptyList()
            try parser.finish()
        } catch {
            throw ChatProtocolError(.malformedBinary, "a compressed body", cause: error)
        }
        var total = 0
        for part in parts {
            guard let size = part.size else {
                throw ChatProtocolError(.malformedCompression, "a frame without its size")
            }
            // No overflow: the sum never gets above the limit.
            guard size <= ChatLimits.decompressedMessage - total else {
                throw ChatProtocolError(.tooLarge, "more than \(ChatLimits.decompressedMessage) bytes after decompression")
            }
            total += size
        }
        return parts.map { part in Result { () throws(ChatProtocolError) in try part.content() } }
    }

    private enum Part: WireDecodable {
        case plain(Bytes)
        case frame(Bytes)

        init(from parser: inout WireParser) throws(WireError) {
            switch try parser.byte() {
            case UInt8(ascii: "0"): self = .plain(try parser.short())
            case UInt8(ascii: "1"): self = .frame(try parser.large())
            default: throw WireError(.invalidValue, "a part of a compressed body is 0 or 1", at: parser.offset - 1)
            }
        }

        var size: Int? {
            switch self {
            case .plain(let bytes): bytes.count
            case .frame(let frame): Zstandard.contentSize(of: frame)
            }
        }

        func content() throws(ChatProtocolError) -> Bytes {
            switch self {
            case .plain(let bytes): bytes
            case .frame(let frame): try Zstandard.decompress(frame, limit: ChatLimits.decompressedMessage)
            }
        }
    }
}

extension MessageCompression {
    /// Makes a body fit what the agent can send it in.
    public enum Envelope: Sendable {
        /// A message in a connection.
        case message
        /// The first message of a connection.
        case info

        var plainLimit: Int { self == .message ? ChatLimits.encodedMessage : ChatLimits.encodedInfo }
        var postQuantumLimit: Int { self == .message ? ChatLimits.compressedMessage : ChatLimits.compressedInfo }
    }

    /// The body to hand to the agent: compressed if the connection supports post-quantum encryption and the body would not
    /// fit beside its keys.
    ///
    /// - Parameters:
    ///   - postQuantum: Whether the connection supports post-quantum encryption.
    ///   - peerVersion: The chat version in which the connection is used.
    /// - Throws: `tooLarge` if it does not fit.
    public static func fit(
        _ body: Bytes, as envelope: Envelope, postQuantum: Bool, peerVersion: ChatVersion
    ) throws(ChatProtocolError) -> Bytes {
        guard body.count <= envelope.plainLimit else {
            throw ChatProtocolError(.tooLarge, "\(body.count) bytes where \(envelope.plainLimit) are allowed")
        }
        guard postQuantum, peerVersion >= ChatVersions.compressionAndPostQuantum, body.count > envelope.postQuantumLimit else {
            return body
        }
        let compressed = try compress(body)
        guard compressed.count <= envelope.postQuantumLimit else {
            throw ChatProtocolError(
                .tooLarge, "\(compressed.count) bytes after compression where \(envelope.postQuantumLimit) are allowed")
        }
        return compressed
    }
}
