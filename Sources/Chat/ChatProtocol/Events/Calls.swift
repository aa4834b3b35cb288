public import SMPWire

public enum CallMedia: String, TextCode {
    case audio
    case video
}

/// What a call is to be.
public struct CallType: Hashable, JSONConvertible {
    public var media: CallMedia
    /// Whether the sender can encrypt media end to end, above WebRTC.
    public var encryption: Bool

    public init(media: CallMedia, encryption: Bool) {
        self.media = media
        self.encryption = encryption
    }

    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        media = try object.required("media")
        encryption = try object.required("capabilities", as: CallCapabilities.self).encryption
    }

    public var json: JSONValue { ["media": media.json, "capabilities": ["encryption": .bool(encryption)]] }

    private struct CallCapabilities: JSONConvertible {
        var encryption: Bool
        init(json: JSONValue) throws(JSONError) { encryption = try JSONObject(json: json).required("encryption") }
        var json: JSONValue { ["encryption": .bool(encryption)] }
    }
}

/// The X25519 key from which the key of a call's media is agreed, as base64url of its X.509 form in JSON.
public struct CallKey: Hashable, JSONConvertible {
    // SubjectPublicKeyInfo of X25519 (RFC 8410) up to the 32 bytes of the key.
    private static let header: Bytes = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x6E, 0x03, 0x21, 0x00]

    /// The 32 bytes of the key.
    public let raw: Bytes

    /// - Returns: nil unless there are 32 bytes.
    public init?(raw: Bytes) {
        guard raw.count == 32 else { return nil }
        self.raw = raw
    }

    public init(json: JSONValue) throws(JSONError) {
        guard let spki = Base64URL.decode(try String(json: json)), spki.starts(with: Self.header),
            let key = CallKey(raw: Bytes(spki.dropFirst(Self.header.count)))
        else { throw JSONError(.invalidValue, "an X25519 key is expected") }
        self = key
    }

    public var json: JSONValue { .string(Base64URL.encode(Self.header + raw)) }
}

/// The invitation to a call (`x.call.inv`).
public struct CallInvitation: Hashable, JSONConvertible {
    public var callType: CallType
    public var key: CallKey?

    public init(callType: CallType, key: CallKey? = nil) {
        self.callType = callType
        self.key = key
    }

    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        callType = try object.required("callType")
        key = try object.optional("callDhPubKey")
    }

    public var json: JSONValue {
        var object = JSONObject()
        object.add("callType", callType)
        object.add("callDhPubKey", key)
        return .object(object)
    }
}

/// One side of a WebRTC session; both texts are LZW-compressed JSON of the media engines.
public struct WebRTCSession: Hashable, JSONConvertible {
    public var session: String
    public var iceCandidates: String

    public init(session: String, iceCandidates: String) {
        self.session = session
        self.iceCandidates = iceCandidates
    }

    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        session = try object.required("rtcSession")
        iceCandidates = try object.required("rtcIceCandidates")
    }

    public var json: JSONValue { ["rtcSession": .string(session), "rtcIceCandidates": .string(iceCandidates)] }
}

/// More ICE candidates of one side, LZW-compressed.
public struct WebRTCExtraInfo: Hashable, JSONConvertible {
    public var iceCandidates: String

    public init(iceCandidates: String) { self.iceCandidates = iceCandidates }

    public init(json: JSONValue) throws(JSONError) { iceCandidates = try JSONObject(json: json).required("rtcIceCandidates") }

    public var json: JSONValue { ["rtcIceCandidates": .string(iceCandidates)] }
}

/// The offer of the one who accepts a call (`x.call.offer`).
public struct CallOffer: Hashable, JSONConvertible {
    public var callType: CallType
    public var session: WebRTCSession
    public var key: CallKey?

    public init(callType: CallType, session: WebRTCSession, key: CallKey? = nil) {
        self.callType = callType
        self.session = session
        self.key = key
    }

    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        callType = try object.required("callType")
        session = try object.required("rtcSession")
        key = try object.optional("callDhPubKey")
    }

    public var json: JSONValue {
        var object = JSONObject()
        object.add("callType", callType)
        object.add("rtcSession", session)
        object.add("callDhPubKey", key)
        return .object(object)
    }
}
