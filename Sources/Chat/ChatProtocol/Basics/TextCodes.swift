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

/// One of a set of words that later versions may lengthen, as an enum. Words that are not known are kept as they came, and give nothing that the known
/// ones do not give.
public protocol OpenTextCode: TextCode, CaseIterable where AllCases == [Self] {
    /// A word of newer clients.
    static func unknown(_ code: String) -> Self
}

extension OpenTextCode {
    /// Reads the word.
    public init(code: String) { self = Self.allCases.first { $0.code == code } ?? .unknown(code) }

    /// Reads a word that a person writes: nil for one that this version does not know.
    public init?(known code: String) {
        guard let value = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = value
    }
}
