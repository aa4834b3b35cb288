/// Raw bytes, as every protocol layer passes them to the next.
public typealias Bytes = [UInt8]

/// A value with a binary protocol encoding.
///
/// The encoding is deterministic and self-delimiting unless the type says that it takes all that is left.
public protocol WireEncodable {
    /// Appends the binary encoding of the value.
    func encode(to writer: inout WireWriter)
}

/// A value that can be read from its binary protocol encoding.
public protocol WireDecodable {
    /// Reads the value at the parser's position and moves past it.
    init(from parser: inout WireParser) throws(WireError)
}

/// A value with a binary protocol encoding that can be read back.
public typealias WireCodable = WireEncodable & WireDecodable

extension WireEncodable {
    /// The binary encoding of the value.
    public var wireBytes: Bytes {
        var writer = WireWriter()
        encode(to: &writer)
        return writer.bytes
    }
}

extension WireDecodable {
    /// Reads a value that must take up all of `bytes`.
    public init(wireBytes bytes: Bytes) throws(WireError) {
        var parser = WireParser(bytes)
        try self.init(from: &parser)
        try parser.finish()
    }
}

/// A value with a textual protocol encoding (links, server addresses, keys in JSON).
public protocol StringEncodable {
    /// Appends the textual encoding of the value; its bytes are UTF-8.
    func encodeString(to writer: inout WireWriter)
}

/// A value that can be read from its textual protocol encoding.
public protocol StringDecodable {
    /// Reads the value at the parser's position and moves past it.
    init(fromString parser: inout WireParser) throws(WireError)
}

/// A value with a textual protocol encoding that can be read back.
public typealias StringCodable = StringEncodable & StringDecodable

extension StringEncodable {
    /// The textual encoding of the value.
    public var wireString: String {
        var writer = WireWriter()
        encodeString(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension StringDecodable {
    /// Reads a value that must take up all of `string`.
    public init(wireString string: String) throws(WireError) {
        var parser = WireParser(Bytes(string.utf8))
        try self.init(fromString: &parser)
        try parser.finish()
    }
}
