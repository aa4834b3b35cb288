public import Parley
internal import Yams

/// A bot as a product of a package: a profile of a bots.yaml names it, and gives it a configuration of its own.
///
/// ```swift
/// struct Weather: BotPlugin {
///     struct Configuration: Decodable { let city: String }
///     static let name = "weather"
///     static let summary = "Tells the weather of a city."
///     let configuration: Configuration
///
///     init(_ configuration: Configuration, instance: PluginInstance) throws { self.configuration = configuration }
///
///     var handlers: Handlers {
///         Handlers { On(.command("weather")) { message in try await message.reply("Sunny in \(configuration.city)") } }
///     }
/// }
/// ```
///
/// Each profile that names the plugin is an instance with its own name, address, configuration and state.
public protocol BotPlugin: Sendable {
    /// The value of `config` in the file. It is read as the parameters of a ``CustomCondition``.
    associatedtype Configuration: Decodable & Sendable

    /// The name that profiles give: small letters, digits and hyphens.
    static var name: String { get }
    /// A sentence for editors.
    static var summary: String { get }

    /// Creates an instance. It is called whenever the file is read, by `check` too: it checks the configuration and has no effects. An error is reported at
    /// the position of `config`.
    init(_ configuration: Configuration, instance: PluginInstance) throws

    /// The handlers of the bot. Rules of the profile come before them: a handler gets the events that no rule takes.
    var handlers: Handlers { get }
}

/// The profile that an instance of a plugin belongs to.
public struct PluginInstance: Sendable, Hashable {
    /// The key of the profile in the file.
    public let id: String
    /// The display name.
    public let name: String
}

/// The configuration of a plugin that has none.
public struct NoConfiguration: Decodable, Sendable, Hashable {}

/// A plugin that a program knows.
struct RegisteredPlugin: Sendable {
    let name: String
    let summary: String
    let shape: Shape
    /// Creates an instance; nil for a configuration that was reported.
    let read: @Sendable (NodeReader, PluginInstance) -> (@Sendable () -> Handlers)?

    init<Plugin: BotPlugin>(registering plugin: Plugin.Type) {
        name = Plugin.name
        summary = Plugin.summary
        shape = ParameterShape.of(Plugin.Configuration.self)
        let shape = shape
        read = { reader, instance in
            guard let configuration = ParameterDecoder.read(Plugin.Configuration.self, reader, shape: shape, templates: nil) else { return nil }
            do {
                let plugin = try Plugin(configuration, instance: instance)
                return { plugin.handlers }
            } catch {
                reader.reportRefused(error)
                return nil
            }
        }
    }
}

/// The plugin of a profile.
public struct PluginUse: Sendable {
    /// The name of the plugin.
    public let name: String
    /// The configuration as a text: another text needs another start.
    let source: String
    let handlers: @Sendable () -> Handlers

    /// Reads `plugin` and `config` of a profile; nil for a profile without a plugin, and if an error was reported.
    static func read(_ mapping: MappingReader, _ instance: PluginInstance) -> PluginUse? {
        let config = mapping.value("config")
        guard let named = mapping.value("plugin") else {
            config?.report(.badValue, "\"config\" is the configuration of a plugin, and the profile names none", hint: "add \"plugin\"")
            return nil
        }
        let known = mapping.reader.sink.extensions.plugins
        guard let name = named.nonEmptyString() else { return nil }
        guard let plugin = known.first(where: { $0.name == name }) else {
            let hint =
                known.isEmpty
                ? "this program has no plugins: those of docs/extending.md run in a program of their own" : Spelling.hint(for: name, among: known.map(\.name))
            named.report(.badValue, "there is no plugin \"\(name.cut)\"", hint: hint)
            return nil
        }
        // Without a configuration, missing keys are reported at the name of the plugin.
        let node = config?.node ?? .mapping(.init([], Tag(.map), .any, named.node.mark))
        let reader = NodeReader(node: node, sink: named.sink, path: config?.path ?? "config of \(instance.id)")
        guard let handlers = plugin.read(reader, instance) else { return nil }
        return PluginUse(name: name, source: config?.canonicalText ?? "", handlers: handlers)
    }
}
