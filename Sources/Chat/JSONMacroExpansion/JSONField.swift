/// A value with a name in Swift and one in JSON: a stored property, or an associated value of a case.
struct JSONField: Hashable {
    /// The name in Swift, with back quotes where it has them.
    let name: String
    /// The name of the JSON member.
    let jsonName: String
    /// The type as it is written.
    let type: String
    /// The default value as it is written; nil for none.
    let defaultValue: String?
    /// The default value does not stand for a member that is absent.
    var isRequired = false
    /// The text of the value is kept for the next one that equals it.
    var isRepeated = false
    /// The version of the API that has the member first, as it is written; nil for all.
    var since: String?
    /// The members of the value are members of the object.
    var isFlattened = false
    /// The value never changes.
    var isConstant = false

    /// The absence of a member is nil.
    var isOptional: Bool { type.hasSuffix("?") || type.hasPrefix("Optional<") }

    /// The value is an object whose names are data.
    var isMap: Bool {
        guard type.hasPrefix("["), type.hasSuffix("]") else { return false }
        var depth = 0
        for token in SwiftLexer.tokens(of: type) where token.kind == .sign {
            if ["[", "(", "<"].contains(token.text) { depth += 1 }
            if ["]", ")", ">"].contains(token.text) { depth -= 1 }
            if token.text == ":", depth == 1 { return true }
        }
        return false
    }

    /// The parameter of the memberwise initialiser.
    var parameter: String {
        if let defaultValue { return "\(name): \(type) = \(defaultValue)" }
        return isOptional ? "\(name): \(type) = nil" : "\(name): \(type)"
    }

    /// The expression that reads the value from the JSON object `object`.
    var reading: String {
        if isFlattened { return "try \(type)(object: object)" }
        if isMap { return "try object.map(\"\(jsonName)\")" }
        guard isOptional || defaultValue != nil, !isRequired else { return "try object.required(\"\(jsonName)\")" }
        guard let defaultValue, defaultValue != "nil" else { return "try object.optional(\"\(jsonName)\")" }
        return "try object.optional(\"\(jsonName)\") ?? \(defaultValue)"
    }

    /// The statement that writes the value into the JSON object `object`. Of nil nothing is written.
    ///
    /// - Parameter owner: The expression in front of the name, with its dot.
    func writing(of owner: String = "") -> String {
        guard let since else { return writingAlways(of: owner) }
        return "if object.version >= \(since) { \(writingAlways(of: owner)) }"
    }

    private func writingAlways(of owner: String) -> String {
        if isFlattened { return "\(owner)\(name).write(into: &object)" }
        if isMap { return "object[\"\(jsonName)\"] = \(owner)\(name)" }
        return "object.add(\"\(jsonName)\", \(isRepeated ? "repeated: " : "")\(owner)\(name))"
    }

    /// The name in JSON where no other is given: that in Swift, with `ID` or `IDs` at its end written `Id` and `Ids`.
    static func jsonName(ofSwiftName name: String) -> String {
        let plain = name.hasPrefix("`") ? String(name.dropFirst().dropLast()) : name
        for (swift, json) in [("ID", "Id"), ("IDs", "Ids")] where plain.count > swift.count && plain.hasSuffix(swift) {
            return plain.dropLast(swift.count) + json
        }
        return plain
    }
}
