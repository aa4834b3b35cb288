/// A picture in a profile or message: a data URI, as `data:image/jpg;base64,…`. Its size is bounded by that of the message.
public struct ImageData: Hashable, JSONConvertible {
    /// The data URI.
    public var uri: String

    /// Wraps a link.
    public init(_ uri: String) { self.uri = uri }

    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) { uri = try String(json: json) }

    /// The JSON form.
    public var json: JSONValue { .string(uri) }
}

/// The kind of peer behind a profile: a person or a bot.
public enum ChatPeerType: OpenTextCode {
    case human
    case bot
    /// A kind of newer clients.
    case unknown(String)

    /// The kinds that this version knows.
    public static let allCases: [ChatPeerType] = [.human, .bot]

    /// The word.
    public var code: String {
        switch self {
        case .human: "human"
        case .bot: "bot"
        case .unknown(let code): code
        }
    }
}

/// The profile that a user shows to contacts and members.
@JSONMembers
public struct Profile: Hashable, ExtensibleObject {
    /// See ``DisplayName`` for valid names. Names of peers are shown unchanged.
    public var displayName: String
    /// A longer name, usually empty.
    @JSONRequired public var fullName: String = ""
    /// At most ``ChatLimits/shortDescription`` bytes in JSON.
    @JSONName("shortDescr") public var shortDescription: String?
    /// The picture of the user.
    public var image: ImageData?
    /// The user's contact address, as a full or short link.
    public var contactLink: String?
    /// The user's preferences; nil from very old clients.
    public var preferences: ChatPreferences?
    /// The kind of peer; nil from clients that do not say.
    public var peerType: ChatPeerType?
}
