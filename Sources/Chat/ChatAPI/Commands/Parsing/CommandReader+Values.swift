import ChatProtocol
import SMPWire

extension CommandReader {
    /// A number without a sign: an id or a number of seconds. One too large becomes the largest, which nothing has.
    mutating func decimal() throws(CommandMismatch) -> Int64 {
        let digits = take { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { throw CommandMismatch() }
        return Int64(digits) ?? .max
    }

    /// A number without a sign: a count.
    mutating func count() throws(CommandMismatch) -> Int { Int(try decimal()) }

    /// An id.
    mutating func id<Record>(_ type: RecordID<Record>.Type = RecordID<Record>.self) throws(CommandMismatch) -> RecordID<Record> {
        RecordID(try decimal())
    }

    /// An id and a space.
    mutating func idSpace<Record>(_ type: RecordID<Record>.Type = RecordID<Record>.self) throws(CommandMismatch) -> RecordID<Record> {
        let id = try self.id(type)
        try expect(" ")
        return id
    }

    /// Two ids with a space between them.
    mutating func pair<First, Second>(
        _ first: RecordID<First>.Type, _ second: RecordID<Second>.Type
    ) throws(CommandMismatch) -> (RecordID<First>, RecordID<Second>) {
        (try idSpace(first), try id(second))
    }

    /// Ids with commas between them.
    mutating func ids<Record>(_ type: RecordID<Record>.Type = RecordID<Record>.self) throws(CommandMismatch) -> [RecordID<Record>] {
        var ids = [try id(type)]
        while skip(",") { ids.append(try id(type)) }
        return ids
    }

    /// `on` or `off`.
    mutating func flag() throws(CommandMismatch) -> Bool {
        if skip("on") { return true }
        try expect("off")
        return false
    }

    /// `on` or `off` after a word; the default without the word.
    mutating func flag(after beginning: String, default value: Bool = false) -> Bool {
        optional(beginning) { reader throws(CommandMismatch) in try reader.flag() } ?? value
    }

    /// A space, then a value as JSON, which must be all that is left.
    mutating func spaceJSON<Value: JSONConvertible>() throws(CommandMismatch) -> Value {
        try expect(" ")
        return try json()
    }

    /// A value as JSON, which must be all that is left.
    mutating func json<Value: JSONConvertible>(_ type: Value.Type = Value.self) throws(CommandMismatch) -> Value {
        guard let value = try? Value(parsing: rest()) else { throw CommandMismatch() }
        if let words = value as? any KnownWords, words.hasUnknownWords { throw CommandMismatch() }
        return value
    }

    /// The rest: a text as JSON, or plain.
    mutating func messageText() throws(CommandMismatch) -> String {
        try either { reader throws(CommandMismatch) in
            try reader.json()
        } or: { reader in
            reader.rest()
        }
    }

    /// A password: a text as JSON, or a word.
    mutating func password() throws(CommandMismatch) -> String {
        try either { reader throws(CommandMismatch) in
            try reader.json()
        } or: { reader in
            reader.word()
        }
    }

    /// The name of a profile, contact or group: in single quotes, or up to a space or comma.
    mutating func displayName() throws(CommandMismatch) -> String {
        let isQuoted = skip("'")
        guard let next, next > 0x20, !"#@'".utf8.contains(next) else { throw CommandMismatch() }
        guard isQuoted else { return take { !Self.isSpace($0) && $0 != UInt8(ascii: ",") } }
        let name = take { $0 != UInt8(ascii: "'") }
        try expect("'")
        return name
    }

    /// `@name`, or `name`.
    mutating func contactName() throws(CommandMismatch) -> String {
        _ = skip("@")
        return try displayName()
    }

    /// A name, with an optional description of at most 160 characters.
    mutating func nameAndDescription() throws(CommandMismatch) -> (name: String, description: String?) {
        let name = try displayName()
        guard !take(while: Self.isSpace).isEmpty else { return (name, nil) }
        var description = rest().unicodeScalars.prefix(160)
        // As at the end of a line: it would not be read again.
        while description.last?.properties.isWhitespace == true { description.removeLast() }
        return (name, description.isEmpty ? nil : String(description))
    }
}
