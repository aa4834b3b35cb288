/// An entry of the menu that a bot shows in chats with it.
public indirect enum BotCommand: Hashable, JSONObjectConvertible {
    /// A command, `/keyword`. With parameters it is put in the message field to be completed, without it is sent at once.
    case command(keyword: String, label: String, params: String? = nil)
    /// A menu of commands and further menus.
    case menu(label: String, commands: [BotCommand])

    /// Reads the members of an object.
    public init(object: JSONObject) throws(JSONError) {
        switch try object.required("type", as: String.self) {
        case "command":
            self = .command(
                keyword: try object.required("keyword"), label: try object.required("label"),
                params: try object.optional("params"))
        case "menu": self = .menu(label: try object.required("label"), commands: try object.required("commands"))
        default: throw JSONError(.invalidValue, "the type of a bot command is command or menu", path: ["type"])
        }
    }

    /// Sets the members of an object.
    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .command(let keyword, let label, let params):
            object.add("type", "command")
            object.add("keyword", keyword)
            object.add("label", label)
            object.add("params", params)
        case .menu(let label, let commands):
            object.add("type", "menu")
            object.add("label", label)
            object.add("commands", commands)
        }
    }
}
