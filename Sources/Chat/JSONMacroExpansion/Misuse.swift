/// A misuse of a macro at a position, with the remedy.
struct Misuse: Error, Hashable {
    /// The kind of misuse.
    let reason: Reason
    /// UTF-8 bytes from the beginning of the declaration.
    let offset: Int
    /// Misuses of the same declaration behind this one.
    var others: [Misuse] = []

    init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// Several misuses as one error; nil for none.
    init?(_ misuses: [Misuse]) {
        guard let first = misuses.first else { return nil }
        self = first
        others = Array(misuses.dropFirst())
    }

    /// This misuse and the others of the declaration.
    var all: [Misuse] { [Misuse(reason, at: offset)] + others }
}

extension Misuse {
    /// The kind of misuse.
    enum Reason: Hashable {
        case membersOfStruct
        case formsOfEnum
        case annotationNowhere
        case tuplePattern
        case nameOfSeveral
        case notLiteral
        case noOther
        case untyped(String)
        case constant(String)
        case lazy(String)
        case unlabelled(String)
        case unknownValue(String, of: String)
        case repeatedName(String)
        case flattened(String)
        case notUnderstood(String)
        case unknownMacro(String)

        /// The error and the way to fix it.
        var message: String {
            switch self {
            case .membersOfStruct: "'@JSONMembers' reads the stored properties of a struct: attach it to a struct"
            case .formsOfEnum: "'@JSONForms' reads the cases of an enum: attach it to an enum"
            case .annotationNowhere:
                "the attribute tells how a field is written: attach it to a stored property of a '@JSONMembers' struct or a case of a '@JSONForms' enum"
            case .tuplePattern: "'@JSONMembers' needs a name for each property: declare each with its own 'var'"
            case .nameOfSeveral: "the name would be that of several: declare each on a line of its own"
            case .notLiteral: "names are read without running the program: write them as string literals without escapes and interpolation"
            case .noOther: "'@JSONForms' keeps forms that are not known in a case of their own: add 'case other(String, JSONValue)'"
            case .untyped(let name):
                "'@JSONMembers' does not infer types: write 'var \(name): Type', with its default value behind it if it has one"
            case .constant(let name):
                "'\(name)' has its value already and cannot be read: make it 'var' for a default value, or 'static' if it is no field"
            case .lazy(let name): "'\(name)' is lazy and cannot be read: make it a computed property, or drop 'lazy'"
            case .unlabelled(let name): "a value of '\(name)' has no label to name its member after: label it"
            case .unknownValue(let label, let name): "'\(name)' has no value '\(label)': give one of its labels"
            case .repeatedName(let name): "\"\(name)\" is in use already: give one of the two another '@JSONName'"
            case .flattened(let name):
                "the members of '\(name)' would count as unknown ones: drop 'ExtensibleObject' or '@JSONFlattened'"
            case .notUnderstood(let text):
                "the macro does not understand '\(text)' here: move it to an extension, or write these members by hand without the macro"
            case .unknownMacro(let name): "there is no macro '\(name)' in JSONMacros: correct the '#externalMacro'"
            }
        }
    }
}
