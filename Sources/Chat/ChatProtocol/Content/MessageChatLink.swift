/// A link to a contact, group or channel that a message shares, with the profile behind it.
public enum MessageChatLink: Hashable, JSONConvertible {
    /// A contact address, by its short link.
    case contact(link: String, profile: Profile, business: Bool)
    /// A one-time invitation, by its short link.
    case invitation(link: String, profile: Profile)
    /// A group or channel, by its short link.
    case group(link: String, profile: GroupProfile)

    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        switch try object.required("type", as: String.self) {
        case "contact":
            self = .contact(
                link: try object.required("connLink"), profile: try object.required("profile"),
                business: try object.required("business"))
        case "invitation":
            self = .invitation(link: try object.required("invLink"), profile: try object.required("profile"))
        case "group": self = .group(link: try object.required("connLink"), profile: try object.required("groupProfile"))
        default: throw JSONError(.invalidValue, "the type of a chat link is contact, invitation or group", path: ["type"])
        }
    }

    /// The JSON form.
    public var json: JSONValue {
        switch self {
        case .contact(let link, let profile, let business):
            ["type": "contact", "connLink": .string(link), "profile": profile.json, "business": .bool(business)]
        case .invitation(let link, let profile):
            ["type": "invitation", "invLink": .string(link), "profile": profile.json]
        case .group(let link, let profile):
            ["type": "group", "connLink": .string(link), "groupProfile": profile.json]
        }
    }
}

/// The proof that the one who shares a link owns it: an Ed25519 signature over the binding of the chat in which it is
/// shared and the binary form of the link.
@JSONMembers
public struct LinkOwnerSignature: Hashable, JSONObjectConvertible {
    /// Which owner; nil for the owner of the link's own key.
    public var ownerID: Base64URLBytes?
    /// See ``ChatBinding/bytes``.
    public var chatBinding: Base64URLBytes
    /// 64 bytes.
    @JSONName("ownerSig") public var signature: Base64URLBytes

    /// Reads the members of an object.
    public init(object: JSONObject) throws(JSONError) {
        ownerID = try object.optional("ownerId")
        chatBinding = try object.required("chatBinding")
        signature = try object.required("ownerSig")
        guard signature.bytes.count == 64 else {
            throw JSONError(.invalidValue, "an Ed25519 signature has 64 bytes", path: ["ownerSig"])
        }
    }
}
