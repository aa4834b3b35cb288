/// A value that JSON holds as one of a set of words.
public protocol TextCode: JSONConvertible, Hashable {
    /// The word; nil initialisation if it is not known and the type has no place for unknown words.
    init?(code: String)
    var code: String { get }
}

extension TextCode {
    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        guard let value = Self(code: try String(json: json)) else {
            throw JSONError(.invalidValue, "an unknown word for \(Self.self)")
        }
        self = value
    }

    /// The JSON form.
    public var json: JSONValue { .string(code) }
}

extension TextCode where Self: RawRepresentable, RawValue == String {
    /// Reads the word.
    public init?(code: String) { self.init(rawValue: code) }
    /// The word.
    public var code: String { rawValue }
}
