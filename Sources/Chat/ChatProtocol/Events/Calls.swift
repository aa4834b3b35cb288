public import SMPCrypto

/// The media of a call.
public enum CallMedia: String, TextCode {
    case audio
    case video
}

/// The type of a call: its media and its encryption.
public struct CallType: Hashable, JSONConvertible {
    /// The media.
    public var media: CallMedia
    /// True if the sender can encrypt media end to end, above WebRTC.
    public var encryption: Bool

    /// Creates the value from its parts.
    public init(media: CallMedia, encryption: Bool) {
        self.media = media
        self.encryption = encryption
    }

    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        media = try object.required("media")
        encryption = try object.required("capabilities", as: CallCapabilities.self).encryption
    }

    /// The JSON form.
    public var json: JSONValue { ["media": media.json, "capabilities": ["encryption": .bool(encryption)]] }

    private struct CallCapabilities: JSONConvertible {
        var encryption: Bool
        init(json: JSONValue) throws(JSONError) { encryption = try JSONObject(json: json).required("encryption") }
        var json: JSONValue { ["encryption": .bool(encryption)] }
    }
}

/// The invitation to a call (`x.call.inv`).
@JSONMembers
public struct CallInvitation: Hashable, ExtensibleObject {
    /// The type of the call, as the sender sees it.
    public var callType: CallType
    /// From which the key of the media is agreed.
    @JSONName("callDhPubKey") public var key: X25519.PublicKey?
}

/// One side of a WebRTC session; both texts are LZW-compressed JSON of the media engines.
@JSONMembers
public struct WebRTCSession: Hashable, ExtensibleObject {
    /// The offer or answer.
    @JSONName("rtcSession") public var session: String
    /// The connection data of the sender.
    @JSONName("rtcIceCandidates") public var iceCandidates: String
}

/// More ICE candidates of one side, LZW-compressed.
@JSONMembers
public struct WebRTCExtraInfo: Hashable, ExtensibleObject {
    /// The connection data of the sender.
    @JSONName("rtcIceCandidates") public var iceCandidates: String
}

/// The offer of the one who accepts a call (`x.call.offer`).
@JSONMembers
public struct CallOffer: Hashable, ExtensibleObject {
    /// The type of the call, as the sender sees it.
    public var callType: CallType
    /// The sender's side of the session.
    @JSONName("rtcSession") public var session: WebRTCSession
    /// From which the key of the media is agreed.
    @JSONName("callDhPubKey") public var key: X25519.PublicKey?
}
