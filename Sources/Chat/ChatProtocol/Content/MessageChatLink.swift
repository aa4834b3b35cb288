/// A link to a contact, group or channel that a message shares, with the profile behind it.
public enum MessageChatLink: Hashable, JSONConvertible {
    /// A contact address, by its short link.
    case contact(link: String, profile: Profile, business: Bool, unknownMembers: JSONObject = JSONObject())
    /// A one-time invitation, by its short link.
    case invitation(link: String, profile: Profile, unknownMembers: JSONObject = JSONObject())
    /// A group or channel, by its short link.
    case group(link: String, profile: GroupProfile, unknownMembers: JSONObject = JSONObject())
    /// A kind of link of newer clients, with all its members.
    case unknown(tag: String, JSONObject)

    private static let contactNames = ["type", "connLink", "profile", "business"]
    private static let invitationNames = ["type", "invLink", "profile"]
    private static let groupNames = ["type", "connLink", "groupProfile"]

    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        let tag = try object.required("type", as: String.self)
        switch tag {
        case "contact":
            self = .contact(
                link: try object.required("connLink"), profile: try object.required("profile"),
                business: try object.required("business"), unknownMembers: object.unknown(to: Self.contactNames))
        case "invitation":
            self = .invitation(
                link: try object.required("invLink"), profile: try object.required("profile"), unknownMembers: object.unknown(to: Self.invitationNames))
        case "group":
            self = .group(
                link: try object.required("connLink"), profile: try object.required("groupProfile"), unknownMembers: object.unknown(to: Self.groupNames))
        default: self = .unknown(tag: tag, object)
        }
    }

    /// The JSON form.
    public var json: JSONValue {
        var object = JSONObjectWriter()
        switch self {
        case .contact(let link, let profile, let business, let unknown):
            object.add("type", "contact")
            object.add("connLink", link)
            object.add("profile", profile)
            object.add("business", business)
            object.add(unknown: unknown, to: Self.contactNames)
        case .invitation(let link, let profile, let unknown):
            object.add("type", "invitation")
            object.add("invLink", link)
            object.add("profile", profile)
            object.add(unknown: unknown, to: Self.invitationNames)
        case .group(let link, let profile, let unknown):
            object.add("type", "group")
            object.add("connLink", link)
            object.add("groupProfile", profile)
            object.add(unknown: unknown, to: Self.groupNames)
        case .unknown(_, let members): return .object(members)
        }
        return object.json
    }
}

/// The proof that the one who shares a link owns it: an Ed25519 signature over the binding of the chat in which it is
/// shared and the binary form of the link.
@JSONMembers
public struct LinkOwnerSignature: Hashable, ExtensibleObject {
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
        unknownMembers = object.unknown(to: Self.memberNames)
    }
}
