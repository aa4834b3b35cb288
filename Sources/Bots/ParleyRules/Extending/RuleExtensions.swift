/// Additions of a program to the format of bots.yaml: conditions, actions and plugins that are written in Swift.
///
/// Every reader of a file takes them: ``BotsFile/init(contentsOf:extensions:)``, ``BotsSchema/text(with:)`` and
/// ``BotsFile/run(_:plugins:conditions:actions:configuration:)``.
public struct RuleExtensions: Sendable {
    /// The format without additions.
    public static let none = RuleExtensions(plugins: [], conditions: [:], actions: [:], schemas: [:])

    /// The characters of a name at the most.
    public static let longestName = 40

    let plugins: [RegisteredPlugin]
    private let conditions: [String: CustomCondition]
    private let actions: [String: CustomAction]
    /// The mappings that have more keys than those of the format, by their names.
    private let schemas: [String: MappingSchema]

    private init(plugins: [RegisteredPlugin], conditions: [String: CustomCondition], actions: [String: CustomAction], schemas: [String: MappingSchema]) {
        (self.plugins, self.conditions, self.actions, self.schemas) = (plugins, conditions, actions, schemas)
    }

    /// Creates the value from its parts.
    ///
    /// - Throws: ``RuleExtensionError`` for a name that is not made of small letters, digits and hyphens, that occurs twice, or that the format has already.
    public init(plugins: [any BotPlugin.Type] = [], conditions: [CustomCondition] = [], actions: [CustomAction] = []) throws(RuleExtensionError) {
        let plugins = plugins.map { RegisteredPlugin(registering: $0) }
        try Self.check(plugins.map(\.name), of: "plugin", builtIn: [])
        try Self.check(conditions.map(\.name), of: "condition", builtIn: Schemas.when.names)
        try Self.check(actions.map(\.name), of: "action", builtIn: Schemas.action.names)
        self.plugins = plugins
        self.conditions = Dictionary(conditions.map { ($0.name, $0) }) { first, _ in first }
        self.actions = Dictionary(actions.map { ($0.name, $0) }) { first, _ in first }
        let checks = conditions.map { MappingSchema.Key.key($0.name, $0.shape, $0.summary) }
        let effects = actions.map { MappingSchema.Key.key($0.name, $0.shape, $0.summary) }
        let words = RuleActions.all.map { $0.key } + actions.map(\.name)
        var schemas: [String: MappingSchema] = [:]
        if !conditions.isEmpty { for schema in [Schemas.when, Schemas.checks] { schemas[schema.name] = MappingSchema(schema.name, schema.keys + checks) } }
        if !actions.isEmpty {
            schemas[Schemas.action.name] = MappingSchema(Schemas.action.name, Schemas.action.keys + effects)
            for schema in [Schemas.test, Schemas.step] { schemas[schema.name] = schema.replacing("actions", by: Schemas.wordsOfActions(words)) }
        }
        if !plugins.isEmpty {
            schemas[Schemas.profile.name] = Schemas.profile.replacing("plugin", by: .words(plugins.map(\.name)))
                .replacing("config", by: .anyOf(plugins.map(\.shape)))
        }
        self.schemas = schemas
    }

    private static func check(_ names: [String], of kind: String, builtIn: [String]) throws(RuleExtensionError) {
        var seen: Set<String> = []
        for name in names {
            guard name.wholeMatch(of: /[a-z][a-z0-9]*(-[a-z0-9]+)*/) != nil, name.count <= longestName else {
                throw RuleExtensionError(.badName, "\"\(name)\" is not a name for a \(kind): use at most \(longestName) small letters, digits and hyphens")
            }
            if builtIn.contains(name) { throw RuleExtensionError(.builtIn, "the format has a \(kind) \"\(name)\" already: choose another name") }
            if !seen.insert(name).inserted { throw RuleExtensionError(.duplicate, "two \(kind)s are called \"\(name)\"") }
        }
    }

    func condition(_ name: String) -> CustomCondition? { conditions[name] }
    func action(_ name: String) -> CustomAction? { actions[name] }

    /// The mapping with the keys that the program adds.
    func extended(_ schema: MappingSchema) -> MappingSchema { schemas[schema.name] ?? schema }

    /// The words that tests name actions by.
    var actionWords: [String] { RuleActions.all.map { $0.key } + actions.keys.sorted() }
}

/// Additions to the format that cannot be used.
public struct RuleExtensionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A stable code.
    public enum Code: String, Sendable {
        /// The name has other characters than small letters, digits and hyphens.
        case badName = "extension.badName"
        /// The format has the name already.
        case builtIn = "extension.builtIn"
        /// The name occurs twice.
        case duplicate = "extension.duplicate"
    }

    /// The code.
    public let code: Code
    /// A message that a person can act on.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// A textual form, for messages and logs.
    public var description: String { message }
}

extension MappingSchema {
    /// The same mapping with other values of a key.
    fileprivate func replacing(_ name: String, by shape: Shape) -> MappingSchema {
        MappingSchema(self.name, keys.map { $0.name == name ? Key(name: name, shape: shape, isRequired: $0.isRequired, note: $0.note) : $0 })
    }
}
