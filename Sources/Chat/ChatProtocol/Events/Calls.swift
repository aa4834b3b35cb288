public import SMPCrypto

/// What is transmitted in a call.
public enum CallMedia: String, TextCode {
    case audio
    case video
}

/// What a call is to be.
public struct CallType: Hashable, JSONConvertible {
    /// What is transmitted.
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

/// The invitation to a call (`x.call.inv`).
public struct CallInvitation: Hashable, JSONObjectConvertible {
    /// What the call is to be, as the sender sees it.
    public var callType: CallType
    /// From which the key of the media is agreed.
    public var key: X25519.PublicKey?

    public init(callType: CallType, key: X25519.PublicKey? = nil) {
        self.callType = callType
        self.key = key
    }

    public init(object: JSONObject) throws(JSONError) {
        callType = try object.required("callType")
        key = try object.optional("callDhPubKey")
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("callType", callType)
        object.add("callDhPubKey", key)
    }
}

/// One side of a WebRTC session; both texts are LZW-compressed JSON of the media engines.
public struct WebRTCSession: Hashable, JSONConvertible {
    /// The offer or answer.
    public var session: String
    /// How the sender may be reached.
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
    /// How the sender may be reached.
    public var iceCandidates: String

    public init(iceCandidates: String) { self.iceCandidates = iceCandidates }

    public init(json: JSONValue) throws(JSONError) { iceCandidates = try JSONObject(json: json).required("rtcIceCandidates") }

    public var json: JSONValue { ["rtcIceCandidates": .string(iceCandidates)] }
}

/// The offer of the one who accepts a call (`x.call.offer`).
public struct CallOffer: Hashable, JSONObjectConvertible {
    /// What the call is to be, as the sender sees it.
    public var callType: CallType
    /// The sender's side of the session.
    public var session: WebRTCSession
    /// From which the key of the media is agreed.
    public var key: X25519.PublicKey?

    public init(callType: CallType, session: WebRTCSession, key: X25519.PublicKey? = nil) {
        self.callType = callType
        self.session = session
        self.key = key
    }

    public init(object: JSONObject) throws(JSONError) {
        callType = try object.required("callType")
        session = try object.required("rtcSession")
        key = try object.optional("callDhPubKey")
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("callType", callType)
        object.add("rtcSession", session)
        object.add("callDhPubKey", key)
    }
}
