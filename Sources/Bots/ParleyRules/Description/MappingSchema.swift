/// The keys of one kind of mapping: the only source for readers and for the JSON Schema.
struct MappingSchema: Sendable {
    /// A key and its value.
    struct Key: Sendable {
        let name: String
        let shape: Shape
        let isRequired: Bool
        /// A sentence for editors.
        let note: String
    }

    /// The name of the definition in the JSON Schema.
    let name: String
    let keys: [Key]

    init(_ name: String, _ keys: [Key]) {
        self.name = name
        self.keys = keys
    }

    var names: [String] { keys.map(\.name) }
}

/// The values that a key takes, as far as a JSON Schema can say it.
indirect enum Shape: Sendable {
    /// Any scalar: numbers and truth values count as they are written.
    case text
    /// Text of at most that many characters.
    case shortText(Int)
    case bool
    /// Any number.
    case number
    /// `true`, where the key is left out instead of saying `false`.
    case yes
    case integer(ClosedRange<Int>)
    case words([String])
    /// Text that fits a regular expression, with an example.
    case form(String, example: String)
    /// The mapping of that name.
    case mapping(String)
    /// A mapping whose keys a person chooses.
    case keyed(Shape)
    case list(Shape)
    case listOrOne(Shape)
    case anyOf([Shape])
    /// A mapping that is used only here.
    case object(MappingSchema)
    /// A value of any kind.
    case anything
}

extension MappingSchema.Key {
    static func key(_ name: String, _ shape: Shape, _ note: String) -> Self { Self(name: name, shape: shape, isRequired: false, note: note) }
    static func required(_ name: String, _ shape: Shape, _ note: String) -> Self { Self(name: name, shape: shape, isRequired: true, note: note) }
}

extension KeyValuePairs where Key == String {
    /// The words that a key takes.
    var shape: Shape { .words(map(\.key)) }
    var words: [String] { map(\.key) }
}
