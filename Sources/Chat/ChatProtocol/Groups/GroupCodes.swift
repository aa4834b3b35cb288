public import SMPWire

/// How far a member who joins by a link is accepted.
public enum GroupAcceptance: String, TextCode {
    case accepted
    case pendingApproval = "pending"
    case pendingReview = "pending_review"
}

/// Why a request to join is refused.
public enum GroupRejectionReason: TextCode {
    case longName
    case blockedName
    case unknown(String)

    public init(code: String) {
        switch code {
        case "long_name": self = .longName
        case "blocked_name": self = .blockedName
        default: self = .unknown(code)
        }
    }

    public var code: String {
        switch self {
        case .longName: "long_name"
        case .blockedName: "blocked_name"
        case .unknown(let code): code
        }
    }
}

/// Whether a member is blocked for all.
public enum MemberRestrictionStatus: TextCode {
    case blocked
    case unrestricted
    case unknown(String)

    public init(code: String) {
        switch code {
        case "blocked": self = .blocked
        case "unrestricted": self = .unrestricted
        default: self = .unknown(code)
        }
    }

    public var code: String {
        switch self {
        case .blocked: "blocked"
        case .unrestricted: "unrestricted"
        case .unknown(let code): code
        }
    }
}

/// The Ed25519 key with which a member signs, as base64url of its X.509 form in JSON.
public struct MemberKey: Hashable, JSONConvertible {
    // SubjectPublicKeyInfo of Ed25519 (RFC 8410) up to the 32 bytes of the key.
    private static let header: Bytes = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]

    /// The 32 bytes of the key.
    public let raw: Bytes

    /// - Returns: nil unless there are 32 bytes.
    public init?(raw: Bytes) {
        guard raw.count == 32 else { return nil }
        self.raw = raw
    }

    /// X.509 SubjectPublicKeyInfo, 44 bytes.
    public var spki: Bytes { Self.header + raw }

    public init(json: JSONValue) throws(JSONError) {
        guard let spki = Base64URL.decode(try String(json: json)), spki.starts(with: Self.header),
            let key = MemberKey(raw: Bytes(spki.dropFirst(Self.header.count)))
        else { throw JSONError(.invalidValue, "an Ed25519 key is expected") }
        self = key
    }

    public var json: JSONValue { .string(Base64URL.encode(spki)) }
}
