import ChatProtocol

/// The text of values in commands.
enum CommandText {
    /// `on` or `off`.
    static func flag(_ value: Bool) -> String { value ? "on" : "off" }

    /// The words and a flag if it is set.
    static func option(_ words: String, _ value: Bool) -> String { value ? "\(words)on" : "" }

    /// Words and `on` or `off`, unless nil.
    static func option(_ words: String, _ value: Bool?) -> String { value.map { "\(words)\(flag($0))" } ?? "" }

    /// A name, in quotes if it needs them.
    static func name(_ name: String) -> String {
        name.utf8.contains { CommandReader.isSpace($0) || $0 == UInt8(ascii: ",") } ? "'\(name)'" : name
    }

    /// Ids with commas between them.
    static func list<Record>(_ ids: [RecordID<Record>]) -> String { ids.map(\.description).joined(separator: ",") }

    /// JSON text.
    static func json(_ value: some JSONConvertible) -> String { value.jsonText }

    /// A space and JSON text, unless nil.
    static func json(_ value: (some JSONConvertible)?) -> String { value.map { " \($0.jsonText)" } ?? "" }
}
