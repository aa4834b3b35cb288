/// Reads the declarations that the macros are attached to: of a type its stored properties, cases and the names of what else it has. The compiler
/// has checked that they are Swift; what is not known here is reported and never guessed.
struct DeclarationParser {
    private let source: [UInt8]
    private let tokens: [SwiftToken]
    private var index = 0

    /// Reads one declaration with its attributes.
    static func parse(_ source: String) throws(Misuse) -> Declaration {
        var parser = DeclarationParser(source: Array(source.utf8), tokens: SwiftLexer.tokens(of: source))
        return try parser.declaration()
    }

    private init(source: [UInt8], tokens: [SwiftToken]) { (self.source, self.tokens) = (source, tokens) }

    // MARK: Tokens

    private var token: SwiftToken? { index < tokens.count ? tokens[index] : nil }
    private func isNext(_ text: String) -> Bool { token?.text == text && token?.kind != .string }

    private mutating func skip(_ text: String) -> Bool {
        guard isNext(text) else { return false }
        index += 1
        return true
    }

    private mutating func next() throws(Misuse) -> SwiftToken {
        guard let token else { throw Misuse(.notUnderstood("the end"), at: source.count) }
        index += 1
        return token
    }

    private mutating func expect(_ text: String) throws(Misuse) {
        let token = try next()
        guard token.text == text else { throw Misuse(.notUnderstood(token.text), at: token.offset) }
    }

    private mutating func word() throws(Misuse) -> SwiftToken {
        let token = try next()
        guard token.kind == .word else { throw Misuse(.notUnderstood(token.text), at: token.offset) }
        return token
    }

    /// The source text of the tokens from one index to the current one.
    private func text(from start: Int) -> String {
        guard start < index else { return "" }
        return String(decoding: source[tokens[start].offset..<tokens[index - 1].end], as: UTF8.self)
    }

    /// Goes behind the bracket that closes the one that is next.
    private mutating func skipBrackets() throws(Misuse) {
        var depth = 0
        repeat {
            let token = try next()
            guard token.kind == .sign else { continue }
            if ["(", "[", "{"].contains(token.text) { depth += 1 }
            if [")", "]", "}"].contains(token.text) { depth -= 1 }
        } while depth > 0
    }

    // MARK: Declarations

    private static let modifiers: Set<String> = [
        "public", "package", "internal", "private", "fileprivate", "open", "static", "class", "final", "lazy", "weak", "unowned", "nonisolated", "mutating",
        "nonmutating", "consuming", "borrowing", "indirect", "required", "convenience", "override", "dynamic", "isolated",
    ]

    /// The attributes and modifiers in front of a declaration.
    private mutating func prefix() throws(Misuse) -> (attributes: [Declaration.Attribute], modifiers: [String]) {
        var attributes: [Declaration.Attribute] = []
        var modifiers: [String] = []
        while let token {
            if token.text == "@" {
                attributes.append(try attribute())
            } else if Self.modifiers.contains(token.text), !(token.text == "class" && tokens[safe: index + 1]?.kind == .word && !isModified(index + 1)) {
                modifiers.append(token.text)
                index += 1
                if isNext("("), tokens[index - 1].text != "class" { try skipBrackets() }
            } else {
                break
            }
        }
        return (attributes, modifiers)
    }

    /// The token at an index continues with a declaration of which `class` is a modifier.
    private func isModified(_ index: Int) -> Bool {
        guard let text = tokens[safe: index]?.text else { return false }
        return Self.modifiers.contains(text) || ["var", "let", "func", "subscript"].contains(text)
    }

    private mutating func attribute() throws(Misuse) -> Declaration.Attribute {
        let offset = try next().offset
        var attribute = Declaration.Attribute(name: try word().text, offset: offset)
        while skip(".") { attribute.name = try word().text }
        if isNext("<") { try skipAngles() }
        if let token, token.text == "(", !token.isApart {
            let start = index + 1
            try skipBrackets()
            attribute.arguments = Array(tokens[start..<index - 1])
        }
        return attribute
    }

    private mutating func declaration() throws(Misuse) -> Declaration {
        let modifiers = try prefix().modifiers
        let keyword = try next()
        switch keyword.text {
        case "struct": return try type(.structure, modifiers)
        case "enum": return try type(.enumeration, modifiers)
        case "var", "let": return Declaration(kind: .property)
        case "case": return Declaration(kind: .enumCase)
        default: return Declaration(kind: .other, offset: keyword.offset)
        }
    }

    private mutating func type(_ kind: Declaration.Kind, _ modifiers: [String]) throws(Misuse) -> Declaration {
        let name = try word()
        var declaration = Declaration(kind: kind, name: name.text, offset: name.offset)
        if modifiers.contains("public") || modifiers.contains("open") { declaration.access = "public " }
        if modifiers.contains("package") { declaration.access = "package " }
        if isNext("<") { try skipAngles() }
        while !isNext("{"), !isNext("where") {
            let token = try next()
            if token.kind == .word { declaration.inheritance.append(token.text) }
        }
        while !isNext("{") { _ = try next() }
        index += 1
        while !skip("}") { declaration.members += try member() }
        return declaration
    }

    /// The next member; empty if it does not matter here.
    private mutating func member() throws(Misuse) -> [Declaration.Member] {
        if skip(";") { return [] }
        let (attributes, modifiers) = try prefix()
        let keyword = try next()
        switch keyword.text {
        case "var", "let":
            return try properties(attributes, modifiers, isConstant: keyword.text == "let").map { .property($0) }
        case "case": return try cases(attributes).map { .enumCase($0) }
        case "init":
            if !skip("?") { _ = skip("!") }
            if isNext("<") { try skipAngles() }
            let labels = try parameters()
            try skipBody()
            return [.initializer(labels)]
        case "func":
            let name = try next().text
            while !isNext("("), !isNext("<") { _ = try next() }
            if isNext("<") { try skipAngles() }
            let labels = try parameters()
            try skipBody()
            return [.method(name, labels)]
        case "subscript", "deinit", "struct", "enum", "class", "actor", "extension", "protocol":
            try skipBody()
            return []
        case "typealias":
            while let token, !token.startsLine, token.text != "}", token.text != ";" { index += 1 }
            return []
        default: throw Misuse(.notUnderstood(keyword.text), at: keyword.offset)
        }
    }

    /// Goes behind the braces of a function or type. What is in front of them holds none.
    private mutating func skipBody() throws(Misuse) {
        while !isNext("{") {
            if isNext("(") || isNext("[") { try skipBrackets() } else { _ = try next() }
        }
        try skipBrackets()
    }

    /// The labels of the parameters of a function; an initialiser's `other: Int` has the label `other`.
    private mutating func parameters() throws(Misuse) -> [String] {
        try expect("(")
        var labels: [String] = []
        while !skip(")") {
            while isNext("@") { _ = try attribute() }
            labels.append(try word().text)
            while !isNext(",") && !isNext(")") {
                if isNext("{") { try skipBrackets() } else { try skipPieceOfType() }
                if token == nil { throw Misuse(.notUnderstood("the end"), at: source.count) }
            }
            _ = skip(",")
        }
        return labels
    }

    // MARK: Properties

    private mutating func properties(
        _ attributes: [Declaration.Attribute], _ modifiers: [String], isConstant: Bool
    ) throws(Misuse) -> [Declaration.Property] {
        var properties: [Declaration.Property] = []
        repeat {
            if let token, token.text == "(" { throw Misuse(.tuplePattern, at: token.offset) }
            let name = try word()
            var property = Declaration.Property(
                name: name.text, offset: name.offset, isConstant: isConstant, isLazy: modifiers.contains("lazy"), attributes: attributes)
            if skip(":") { property.type = try type() }
            if isNext("="), tokens[safe: index + 1]?.text != "=" {
                index += 1
                property.value = try expression()
            }
            let isComputed = try accessors()
            if !isComputed, !modifiers.contains("static"), !modifiers.contains("class") { properties.append(property) }
        } while skip(",")
        // In `let a, b: Int` the type of the last one holds for those before it.
        for index in properties.indices.dropLast().reversed() where properties[index].type == nil && properties[index].value == nil {
            properties[index].type = properties[index + 1].type
        }
        if properties.count > 1 { for index in properties.indices { properties[index].shareAttributes() } }
        return properties
    }

    /// Goes behind the braces behind a property; true if they compute it. Observers do not.
    private mutating func accessors() throws(Misuse) -> Bool {
        guard isNext("{") else { return false }
        let isObserved = isObserver(at: index + 1)
        try skipBrackets()
        return !isObserved
    }

    private func isObserver(at index: Int) -> Bool { ["willSet", "didSet"].contains(tokens[safe: index]?.text ?? "") }

    /// The text of the type that is next.
    private mutating func type() throws(Misuse) -> String {
        let start = index
        try skipType()
        return text(from: start)
    }

    /// Goes behind a type: it ends with its line, at a value or at what follows a type.
    private mutating func skipType() throws(Misuse) {
        let start = index
        while let token {
            if token.kind == .sign, [",", "=", ")", "{", ";", "}"].contains(token.text) { return }
            if index > start, token.startsLine, ![".", "&"].contains(tokens[index - 1].text) { return }
            try skipPieceOfType()
        }
    }

    /// Goes behind a token of a type, or behind a pair of brackets in it.
    private mutating func skipPieceOfType() throws(Misuse) {
        if isNext("(") || isNext("[") { try skipBrackets() } else if isNext("<") { try skipAngles() } else { index += 1 }
    }

    /// Goes behind the angle bracket that closes the one that is next.
    private mutating func skipAngles() throws(Misuse) {
        var depth = 0
        repeat {
            if isNext("(") || isNext("[") {
                try skipBrackets()
                continue
            }
            let token = try next()
            if token.text == "<" { depth += 1 }
            if token.text == ">", tokens[index - 2].text != "-" { depth -= 1 }
        } while depth > 0
    }

    /// The text of the expression that is next: it ends with its line, a comma or the bracket around it.
    private mutating func expression() throws(Misuse) -> String {
        let start = index
        while let token {
            if token.kind == .sign, [",", ")", "]", "}", ";"].contains(token.text) { break }
            if index > start, token.startsLine, !Self.goesOn(from: tokens[index - 1], to: token) { break }
            if token.kind == .sign, token.text == "{", isObserver(at: index + 1) { break }
            if token.kind == .sign, ["(", "[", "{"].contains(token.text) { try skipBrackets() } else { index += 1 }
        }
        return text(from: start)
    }

    /// An expression continues in the next line behind or in front of an operator, a dot and the signs of `?:`.
    private static func goesOn(from last: SwiftToken, to first: SwiftToken) -> Bool {
        let signs = [".", "?", ":", "+", "-", "*", "/", "%", "&", "|", "<", ">", "=", "^"]
        return first.kind == .sign && signs.contains(first.text) || last.kind == .sign && signs.contains(last.text) && last.text != "?"
    }

    // MARK: Cases

    private mutating func cases(_ attributes: [Declaration.Attribute]) throws(Misuse) -> [Declaration.EnumCase] {
        var cases: [Declaration.EnumCase] = []
        repeat {
            let name = try word()
            var element = Declaration.EnumCase(name: name.text, offset: name.offset, attributes: attributes)
            if skip("(") {
                while !skip(")") {
                    element.values.append(try value())
                    _ = skip(",")
                }
            }
            if skip("=") { _ = try expression() }
            cases.append(element)
        } while skip(",")
        if cases.count > 1 { for index in cases.indices { cases[index].shareAttributes() } }
        return cases
    }

    private mutating func value() throws(Misuse) -> Declaration.EnumCase.Value {
        guard let first = token else { throw Misuse(.notUnderstood("the end"), at: source.count) }
        var value = Declaration.EnumCase.Value(label: nil, offset: first.offset, type: "")
        if first.kind == .word, tokens[safe: index + 1]?.text == ":" {
            index += 2
            if first.text != "_" { value.label = first.text }
        }
        let start = index
        while let token, !(token.kind == .sign && [",", ")", "="].contains(token.text)) { try skipPieceOfType() }
        value.type = text(from: start)
        if skip("=") { value.value = try expression() }
        return value
    }
}

extension Declaration.Property {
    fileprivate mutating func shareAttributes() { for index in attributes.indices { attributes[index].isShared = true } }
}

extension Declaration.EnumCase {
    fileprivate mutating func shareAttributes() { for index in attributes.indices { attributes[index].isShared = true } }
}

extension Array {
    /// The element at an index; nil if there is none.
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
