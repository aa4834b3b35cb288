/// A value out of a list of words that later versions may lengthen. Words that are not known are kept as they came.
public protocol OpenEnumeration: JSONConvertible, RawRepresentable, Hashable, CaseIterable, CustomStringConvertible
where RawValue == String {
    init(rawValue: String)
}

extension OpenEnumeration {
    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) { self.init(rawValue: try String(json: json)) }
    /// The JSON form.
    public var json: JSONValue { .string(rawValue) }
    /// Appends the JSON text.
    public func write(to writer: inout JSONWriter) { writer.write(string: rawValue) }

    /// True if this version knows the word.
    public var isKnown: Bool { Self.allCases.contains { $0 == self } }

    /// The word on the wire.
    public var description: String { rawValue }
}
