/// An argument of a command: its name in the help, and the function that reads it.
public struct CommandArgument<Value: Sendable>: Sendable {
    /// The name, as the usage shows it.
    let name: String
    /// True for an argument that takes the rest of the text.
    let takesRest: Bool
    /// True if the command can be given without it.
    let isOptional: Bool
    /// Reads a word; nil for an argument that is missing.
    let read: @Sendable (String?) throws(CommandArgumentError) -> Value

    var form: CommandArgumentForm { CommandArgumentForm(name: name, takesRest: takesRest, isOptional: isOptional) }

    init(
        _ name: String, takesRest: Bool = false, isOptional: Bool = false, _ read: @escaping @Sendable (String?) throws(CommandArgumentError) -> Value
    ) {
        self.name = name
        self.takesRest = takesRest
        self.isOptional = isOptional
        self.read = read
    }

    /// An argument of one word that the closure reads.
    ///
    /// - Parameters:
    ///   - name: as the usage shows it.
    ///   - expected: completes the sentence "X is not …" for a word that the closure refuses: `a colour`.
    ///   - parse: reads the word; nil refuses it.
    public static func custom(_ name: String, _ expected: String, _ parse: @escaping @Sendable (String) -> Value?) -> Self {
        Self(name) { word throws(CommandArgumentError) in
            guard let word else { throw CommandArgumentError(.argumentMissing, ["name": name]) }
            guard let value = parse(word) else { throw CommandArgumentError(.argumentWrong, ["word": word, "expected": expected]) }
            return value
        }
    }

    /// An argument that can be left out: `.optional(.rest("note"))`.
    public static func optional<Wrapped: Sendable>(_ argument: CommandArgument<Wrapped>) -> Self where Value == Wrapped? {
        Self(argument.name, takesRest: argument.takesRest, isOptional: true) { [read = argument.read] word throws(CommandArgumentError) in
            guard let word else { return nil }
            return try read(word)
        }
    }

    /// The same argument, which has a value if it is left out.
    public func withDefault(_ value: Value) -> Self {
        Self(name, takesRest: takesRest, isOptional: true) { [read] word throws(CommandArgumentError) in
            guard let word else { return value }
            return try read(word)
        }
    }
}

extension CommandArgument where Value == Int {
    /// A whole number.
    public static func integer(_ name: String, in range: ClosedRange<Int> = Int.min...Int.max) -> Self {
        let bounds = range == Int.min...Int.max ? "" : " from \(range.lowerBound) to \(range.upperBound)"
        return custom(name, "a whole number" + bounds) { Int($0).flatMap { range.contains($0) ? $0 : nil } }
    }
}

extension CommandArgument where Value == Double {
    /// A number.
    public static func number(_ name: String) -> Self { custom(name, "a number") { Double($0).flatMap { $0.isFinite ? $0 : nil } } }
}

extension CommandArgument where Value == String {
    /// One word, or several in quotes.
    public static func word(_ name: String) -> Self { custom(name, "a word") { $0 } }

    /// Everything that is left of the message.
    public static func rest(_ name: String) -> Self {
        Self(name, takesRest: true) { text throws(CommandArgumentError) in
            guard let text else { throw CommandArgumentError(.argumentMissing, ["name": name]) }
            return text
        }
    }
}

extension CommandArgument where Value == Duration {
    /// A time: `90s`, `10m`, `2h`, `1d`, or several together, as in `1h30m`.
    public static func duration(_ name: String) -> Self { custom(name, "a time like 10m, 2h or 1d") { Self.duration(of: $0) } }

    private static func duration(of text: String) -> Duration? {
        var total = 0, digits = ""
        for character in text.lowercased() {
            if character.isASCII, character.isNumber {
                digits.append(character)
                continue
            }
            let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
            guard let unit = units[character], let number = Int(digits) else { return nil }
            let (seconds, overflows) = number.multipliedReportingOverflow(by: unit)
            // A hundred years: enough for everybody, and no sum overflows.
            guard !overflows, seconds <= 3_155_760_000 else { return nil }
            total += seconds
            digits = ""
        }
        return digits.isEmpty && total > 0 ? .seconds(total) : nil
    }
}

extension CommandArgument where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// One of the words of an enumeration.
    public static func choice(_ name: String, of type: Value.Type = Value.self) -> Self {
        custom(name, "one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))") { word in
            Value.allCases.first { $0.rawValue.lowercased() == word.lowercased() }
        }
    }
}

/// An argument as the usage of its command shows it.
struct CommandArgumentForm: Sendable, Hashable {
    let name: String
    let takesRest: Bool
    let isOptional: Bool

    /// The usage: `<name>`, or `[name]` for an optional argument.
    var usage: String { isOptional ? "[\(name)]" : takesRest ? "<\(name) …>" : "<\(name)>" }
}

extension [CommandArgumentForm] {
    /// Why no message has them all in this order; nil if one can.
    var fault: String? {
        for (before, argument) in zip(self, dropFirst()) {
            if before.takesRest {
                return "the argument \"\(argument.name)\" gets nothing, because \"\(before.name)\" takes everything that is left: put that one last"
            }
            if before.isOptional, !argument.isOptional {
                return "the argument \"\(argument.name)\" is needed, and \"\(before.name)\" before it can be left out: put those that can be left out last"
            }
        }
        return nil
    }
}

/// The reason why a command's arguments cannot be read.
struct CommandArgumentError: Error, Hashable {
    /// A sentence for the person who wrote the command.
    let text: FixedText

    init(_ key: BotTexts.Key, _ values: [String: String]) { text = FixedText(key, values) }
}

/// Takes words off the text behind a command.
struct CommandArgumentReader {
    private var rest: Substring

    init(_ text: String) { rest = text[...] }

    mutating func read<Value>(_ argument: CommandArgument<Value>) throws(CommandArgumentError) -> Value {
        try argument.read(argument.takesRest ? takeRest() : takeWord())
    }

    /// - Throws: if there is something left.
    func end() throws(CommandArgumentError) {
        let left = rest.drop(while: \.isWhitespace)
        guard left.isEmpty else { throw CommandArgumentError(.argumentExtra, ["word": String(left.prefix(40))]) }
    }

    private mutating func takeRest() -> String? {
        var text = rest.drop(while: \.isWhitespace)
        rest = rest[rest.endIndex...]
        while text.last?.isWhitespace == true { text.removeLast() }
        return text.isEmpty ? nil : String(text)
    }

    private mutating func takeWord() -> String? {
        rest = rest.drop(while: \.isWhitespace)
        guard let first = rest.first else { return nil }
        // Telephones write curved quotes.
        let closing: [Character: Character] = ["\"": "\"", "'": "'", "“": "”", "„": "“", "«": "»"]
        if let quote = closing[first], let end = rest.dropFirst().firstIndex(of: quote) {
            let word = rest[rest.index(after: rest.startIndex)..<end]
            rest = rest[rest.index(after: end)...]
            return String(word)
        }
        let end = rest.firstIndex(where: \.isWhitespace) ?? rest.endIndex
        defer { rest = rest[end...] }
        return String(rest[..<end])
    }
}
