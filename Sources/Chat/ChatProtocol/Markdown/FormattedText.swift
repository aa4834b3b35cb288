/// A piece of a message's text with one format.
@JSONMembers
public struct FormattedText: Hashable, JSONObjectConvertible {
    /// Nil for plain text.
    public var format: TextFormat?
    /// The text that is shown, without the marks that ask for the format.
    public var text: String

    /// Creates the value from its parts.
    public init(_ format: TextFormat?, _ text: String) {
        self.init(format: format, text: text)
    }
}

/// Colours of text.
public enum FormatColor: String, TextCode, CaseIterable {
    case red
    case green
    case blue
    case yellow
    case cyan
    case magenta
    /// Not written in messages.
    case black
    /// Not written in messages.
    case white
}

/// The target of a SimpleX link.
public enum SimplexLinkType: String, TextCode, CaseIterable {
    case contact
    case invitation
    case group
    case channel
    case relay
}

/// The format of a piece of text.
public enum TextFormat: Hashable, JSONObjectConvertible {
    case bold
    case italic
    case strikeThrough
    /// Program text.
    case snippet
    /// Hidden until it is touched.
    case secret
    case small
    case colored(FormatColor)
    /// A web address, or what looks like a domain name.
    case uri
    /// A web address shown as another text; nil for the address itself.
    case hyperLink(showText: String?, linkURI: String)
    /// A link to a contact, group or channel, in the `simplex:` scheme, with the hosts of its servers.
    case simplexLink(showText: String?, linkType: SimplexLinkType, simplexURI: String, smpHosts: [String])
    /// A command to a bot, without the slash.
    case command(String)
    /// A member's name.
    case mention(memberName: String)
    case email
    case phone
    /// A format of newer clients, as it came.
    case unknown(JSONValue)

    /// Formats that are not known, or lack something, are kept.
    public init(json: JSONValue) {
        do {
            self = try Self.known(JSONObject(json: json)) ?? .unknown(json)
        } catch {
            self = .unknown(json)
        }
    }

    /// Reads the members of an object.
    public init(object: JSONObject) { self.init(json: .object(object)) }

    private static func known(_ object: JSONObject) throws(JSONError) -> TextFormat? {
        switch try object.required("type", as: String.self) {
        case "bold": .bold
        case "italic": .italic
        case "strikeThrough": .strikeThrough
        case "snippet": .snippet
        case "secret": .secret
        case "small": .small
        case "colored": .colored(try object.required("color"))
        case "uri": .uri
        case "hyperLink":
            .hyperLink(showText: try object.optional("showText"), linkURI: try object.required("linkUri"))
        case "simplexLink":
            .simplexLink(
                showText: try object.optional("showText"), linkType: try object.required("linkType"),
                simplexURI: try object.required("simplexUri"), smpHosts: try object.required("smpHosts"))
        case "command": .command(try object.required("commandStr"))
        case "mention": .mention(memberName: try object.required("memberName"))
        case "email": .email
        case "phone": .phone
        default: nil
        }
    }

    /// Sets the members of an object.
    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .bold: object.add("type", "bold")
        case .italic: object.add("type", "italic")
        case .strikeThrough: object.add("type", "strikeThrough")
        case .snippet: object.add("type", "snippet")
        case .secret: object.add("type", "secret")
        case .small: object.add("type", "small")
        case .colored(let color):
            object.add("type", "colored")
            object.add("color", color)
        case .uri: object.add("type", "uri")
        case .hyperLink(let showText, let uri):
            object.add("type", "hyperLink")
            object.add("showText", showText)
            object.add("linkUri", uri)
        case .simplexLink(let showText, let type, let uri, let hosts):
            object.add("type", "simplexLink")
            object.add("showText", showText)
            object.add("linkType", type)
            object.add("simplexUri", uri)
            object.add("smpHosts", hosts)
        case .command(let text):
            object.add("type", "command")
            object.add("commandStr", text)
        case .mention(let name):
            object.add("type", "mention")
            object.add("memberName", name)
        case .email: object.add("type", "email")
        case .phone: object.add("type", "phone")
        case .unknown(let json): object.replace(with: json)
        }
    }

    /// True if it is a link of any kind.
    public var isLink: Bool {
        switch self {
        case .uri, .hyperLink, .simplexLink: true
        default: false
        }
    }

    /// True if it is a link to a contact, group or channel.
    public var isSimplexLink: Bool { if case .simplexLink = self { true } else { false } }
}
