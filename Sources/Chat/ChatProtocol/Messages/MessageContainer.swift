/// Points at another message of the same chat.
@JSONMembers
public struct MessageReference: Hashable, ExtensibleObject {
    /// Which message; nil for messages without an identifier.
    @JSONName("msgId") public var messageID: SharedMessageID?
    /// When its sender sent it.
    public var sentAt: UTCTimestamp
    /// True if the one who refers to the message has sent it, in direct chats.
    public var sent: Bool
    /// The author, in groups; nil for messages of the channel itself.
    public var memberID: MemberID?
}

/// A quoted message: where it is, and its content as the one who quotes it has it.
@JSONMembers
public struct QuotedMessage: Hashable, ExtensibleObject {
    /// Which message is quoted.
    @JSONName("msgRef") public var reference: MessageReference
    /// The content of the message.
    public var content: MessageContent
}

/// Which members of a group a message is for.
public enum MessageScope: Hashable, JSONConvertible {
    /// The support chat of a member: that member and the moderators. Members may name themselves only.
    case member(MemberID)

    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        guard try object.required("type", as: String.self) == "member" else {
            throw JSONError(.invalidValue, "the type of a scope is member", path: ["type"])
        }
        self = .member(try object.required("memberId"))
    }

    /// The JSON form.
    public var json: JSONValue {
        switch self {
        case .member(let id): ["type": "member", "memberId": id.json]
        }
    }
}

/// Members that a text mentions, by the names that the text has for them.
public struct MessageMentions: Hashable, JSONConvertible, ExpressibleByDictionaryLiteral {
    /// Members by their names in the text.
    public var members: [String: MemberID]
    /// The unknown members of mentions, by the name of the mention in the text.
    private var unknownMembers: [String: JSONObject] = [:]

    /// True if nobody is mentioned.
    public var isEmpty: Bool { members.isEmpty }

    /// Wraps the members, by their names in the text.
    public init(_ members: [String: MemberID] = [:]) { self.members = members }

    /// Creates the value of a literal.
    public init(dictionaryLiteral elements: (String, MemberID)...) {
        members = Dictionary(elements, uniquingKeysWith: { first, _ in first })
    }

    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        members = [:]
        for (name, mention) in try JSONObject(json: json).members {
            do {
                let mention = try JSONObject(json: mention)
                members[name] = try mention.required("memberId")
                let unknown = mention.unknown(to: ["memberId"])
                if !unknown.isEmpty { unknownMembers[name] = unknown }
            } catch {
                // The name is content of the message and has no place in an error.
                throw error.under("mention")
            }
        }
    }

    /// Names in the order of their Unicode scalars.
    public var json: JSONValue {
        .object(
            JSONObject(
                members.sorted { $0.key.scalarsPrecede($1.key) }
                    .map { ($0.key, mention($0.value, unknownMembers[$0.key])) }))
    }

    private func mention(_ member: MemberID, _ unknown: JSONObject?) -> JSONValue {
        var object: JSONObject = ["memberId": member.json]
        if let unknown { UnknownMembers.add(unknown, to: &object) }
        return .object(object)
    }
}

/// A message with all that goes with its content (`x.msg.new`).
@JSONMembers
public struct MessageContainer: Hashable, ExtensibleObject {
    /// The content of the message.
    public var content: MessageContent
    /// Whom the text mentions.
    public var mentions: MessageMentions = [:]
    /// The file that comes with the message.
    public var file: FileInvitation?
    /// Seconds after which the message disappears.
    public var ttl: Int?
    /// True if the message is still being typed, and will be updated.
    public var live: Bool?
    /// For which members the message is; nil for all.
    public var scope: MessageScope?
    /// True if an owner posts in the name of the channel.
    public var asGroup: Bool?
    /// The message that this one replies to.
    public var quote: QuotedMessage?
    /// The channel post that the message is a comment to.
    public var parent: MessageReference?
    /// True if the message was forwarded from another chat; see ``isForwarded``.
    public var forward: Bool?

    /// True if the message was forwarded from another chat.
    public var isForwarded: Bool { forward == true }
    /// True if the message is still being typed.
    public var isLive: Bool { live == true }
    /// True if it is posted in the name of the channel.
    public var isAsGroup: Bool { asGroup == true }

    /// Reads the members of an object. The time to live is bounded.
    public init(object: JSONObject) throws(JSONError) {
        content = try object.required("content")
        mentions = try object.optional("mentions") ?? [:]
        file = try object.optional("file")
        ttl = try object.optionalTimeToLive("ttl")
        live = try object.optional("live")
        scope = try object.optional("scope")
        asGroup = try object.optional("asGroup")
        quote = try object.optional("quote")
        parent = try object.optional("parent")
        forward = try object.optional("forward")
        unknownMembers = object.unknown(to: Self.memberNames)
    }

    /// Sets the members of an object; no mentions are left out.
    public func write(into object: inout JSONObjectWriter) {
        object.add("content", content)
        if !mentions.isEmpty { object.add("mentions", mentions) }
        object.add("file", file)
        object.add("ttl", ttl)
        object.add("live", live)
        object.add("scope", scope)
        object.add("asGroup", asGroup)
        object.add("quote", quote)
        object.add("parent", parent)
        object.add("forward", forward)
        object.add(unknown: unknownMembers, to: Self.memberNames)
    }
}
