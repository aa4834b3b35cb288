public import SMPWire

/// Bytes that identify something between chat clients. In JSON they are padded base64url, at least one byte.
public protocol ProtocolIdentifier: JSONConvertible, Hashable, CustomStringConvertible {
    /// The maximum number of bytes that are read from JSON.
    static var maximumLength: Int { get }
    var bytes: Bytes { get }
    init(_ bytes: Bytes)
}

extension ProtocolIdentifier {
    /// The largest number of bytes: the binary encodings have one-byte lengths.
    public static var maximumLength: Int { 255 }

    /// The base64url text.
    public var description: String { Base64URL.encode(bytes) }

    /// Reads base64url text; nil if it is not base64url, empty or longer than ``maximumLength``.
    public init?(base64URL text: String) {
        guard let bytes = Base64URL.decode(text), !bytes.isEmpty, bytes.count <= Self.maximumLength else { return nil }
        self.init(bytes)
    }

    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        guard let value = Self(base64URL: try String(json: json)) else {
            throw JSONError(.invalidValue, "base64url text is expected")
        }
        self = value
    }

    /// The JSON form.
    public var json: JSONValue { .string(description) }
}

/// Identifies a message for all who have it: edits, deletions, reactions and quotes refer to it. Clients make 12 random bytes.
public struct SharedMessageID: ProtocolIdentifier {
    /// The bytes.
    public let bytes: Bytes
    /// Wraps bytes.
    public init(_ bytes: Bytes) { self.bytes = bytes }
}

/// Identifies a member in a group, the same for all its members. Clients make 12 random bytes.
public struct MemberID: ProtocolIdentifier {
    /// The bytes.
    public let bytes: Bytes
    /// Wraps bytes.
    public init(_ bytes: Bytes) { self.bytes = bytes }
}

/// Identifies a contact request, so that a repeated one can be recognised.
public struct ContactRequestID: ProtocolIdentifier {
    /// The bytes.
    public let bytes: Bytes
    /// Wraps bytes.
    public init(_ bytes: Bytes) { self.bytes = bytes }
}

/// Identifies the group in the client data of a group link.
public struct GroupLinkID: ProtocolIdentifier {
    /// The bytes.
    public let bytes: Bytes
    /// Wraps bytes.
    public init(_ bytes: Bytes) { self.bytes = bytes }
}

/// Identifies a call.
public struct CallID: ProtocolIdentifier {
    /// The bytes.
    public let bytes: Bytes
    /// Wraps bytes.
    public init(_ bytes: Bytes) { self.bytes = bytes }
}

/// A random value by which two clients find out that a contact and a member are the same client.
public struct Probe: ProtocolIdentifier {
    /// The bytes.
    public let bytes: Bytes
    /// Wraps bytes.
    public init(_ bytes: Bytes) { self.bytes = bytes }
}

/// The SHA-256 hash of a ``Probe``.
public struct ProbeHash: ProtocolIdentifier {
    /// The bytes.
    public let bytes: Bytes
    /// Wraps bytes.
    public init(_ bytes: Bytes) { self.bytes = bytes }
}

/// Bytes without a meaning of their own in a JSON member, of any length.
public struct Base64URLBytes: ProtocolIdentifier {
    /// Any length.
    public static let maximumLength = Int.max
    /// The bytes.
    public let bytes: Bytes
    /// Wraps bytes.
    public init(_ bytes: Bytes) { self.bytes = bytes }
}
