/// An entry of the menu that a bot shows in chats with it.
public indirect enum BotCommand: Hashable, JSONObjectConvertible {
    /// A command, `/keyword`. With parameters it is put in the message field to be completed, without it is sent at once.
    case command(keyword: String, label: String, params: String? = nil, unknownMembers: JSONObject = JSONObject())
    /// A menu of commands and further menus.
    case menu(label: String, commands: [BotCommand], unknownMembers: JSONObject = JSONObject())
    /// An entry of a kind of newer clients, with all its members.
    case unknown(tag: String, JSONObject)

    private static let commandNames = ["type", "keyword", "label", "params"]
    private static let menuNames = ["type", "label", "commands"]

    /// Reads the members of an object.
    public init(object: JSONObject) throws(JSONError) {
        let tag = try object.required("type", as: String.self)
        switch tag {
        case "command":
            self = .command(
                keyword: try object.required("keyword"), label: try object.required("label"),
                params: try object.optional("params"), unknownMembers: object.unknown(to: Self.commandNames))
        case "menu":
            self = .menu(
                label: try object.required("label"), commands: try object.required("commands"), unknownMembers: object.unknown(to: Self.menuNames))
        default: self = .unknown(tag: tag, object)
        }
    }

    /// Sets the members of an object.
    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .command(let keyword, let label, let params, let unknown):
            object.add("type", "command")
            object.add("keyword", keyword)
            object.add("label", label)
            object.add("params", params)
            object.add(unknown: unknown, to: Self.commandNames)
        case .menu(let label, let commands, let unknown):
            object.add("type", "menu")
            object.add("label", label)
            object.add("commands", commands)
            object.add(unknown: unknown, to: Self.menuNames)
        case .unknown(_, let members): object.replace(with: .object(members))
        }
    }
}
