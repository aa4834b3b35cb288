public import Parley
internal import Yams

/// The content of a bots.yaml: the profiles to run and the rules of each.
///
/// The file is read strictly. An unknown key, a wrong type, a bad pattern or a bad template is a ``BotsFileError`` with the
/// place, the reason and the nearest valid word, and nothing of the file is used.
public struct BotsFile: Sendable {
    /// The version of the format that this package reads.
    public static let version = 1
    /// The largest accepted file, in bytes.
    public static let maximumSize = YAMLDocument.maximumSize

    /// The profiles, in the order of the file.
    public let profiles: [ProfileSpec]
    /// The lists that rules share, by their keys.
    public let lists: [String: ListSpec]
    /// The files of lists, on which the rules also depend.
    public let listFiles: [String]
    /// The states of the files that it was read from, by their paths: its own, those of lists and those of secrets.
    var readings: [String: FileReading]
    /// The settings of the network.
    public let network: HostNetwork
    /// The address of metrics and health; nil if they are not served.
    public let monitoring: MonitoringAddress?
    /// The pace at which strangers join the groups of the bots; nil for the default.
    public let joins: GroupJoinPace?
    /// The endpoint at which other programs ask the bots to send; nil for none.
    public let webhooks: WebhooksSpec?
    /// A probable mistake.
    public let warnings: BotsFileWarnings

    /// Reads the text of a file.
    ///
    /// - Parameters:
    ///   - file: the name that error messages show.
    ///   - extensions: the additions of the program to the format.
    /// - Throws: ``BotsFileError`` with everything that is wrong.
    public init(parsing source: String, file: String = "bots.yaml", extensions: RuleExtensions = .none) throws(BotsFileError) {
        try self.init(parsing: source, file: file, folder: nil, extensions: extensions)
    }

    /// - Parameter folder: the folder that paths are relative to; nil if files and secrets that are named are not looked for.
    init(parsing source: String, file: String, folder: String?, extensions: RuleExtensions) throws(BotsFileError) {
        let sink = DiagnosticSink(folder: folder, extensions: extensions, source: source)
        var profiles: [ProfileSpec] = [], network = HostNetwork(), monitoring: MonitoringAddress?, webhooks: WebhooksSpec?, joins: GroupJoinPace?
        do {
            let document = try YAMLDocument(source)
            document.outline.report(to: sink)
            (profiles, network, monitoring, webhooks, joins) = try Self.read(document.root, sink: sink)
        } catch {
            sink.add(error.diagnostic)
        }
        guard sink.diagnostics.isEmpty else {
            throw BotsFileError(file: file, source: source, diagnostics: sink.diagnostics)
        }
        (self.profiles, self.network, self.monitoring, self.webhooks, self.joins) = (profiles, network, monitoring, webhooks, joins)
        (lists, listFiles, readings) = (sink.lists, sink.files, sink.readings)
        warnings = BotsFileWarnings(file: file, source: source, diagnostics: sink.warnings)
    }

    /// The limits within which a profile of the file relays; the default without one.
    public var relay: HostRelay { profiles.lazy.compactMap(\.relay).first ?? HostRelay() }

    private static func read(
        _ root: Node?, sink: DiagnosticSink
    ) throws(YAMLFault) -> ([ProfileSpec], HostNetwork, MonitoringAddress?, WebhooksSpec?, GroupJoinPace?) {
        guard let root else {
            throw YAMLFault(
                Diagnostic(
                    .missingKey, at: SourcePosition(line: 1, column: 1), "the file is empty",
                    hint: "start with \"parley: 1\" and \"profiles:\""))
        }
        guard let file = NodeReader(node: root, sink: sink, path: "the file").mapping() else { return ([], HostNetwork(), nil, nil, nil) }
        file.refuseKeys(otherThan: Schemas.file)
        if let version = file.required("parley", hint: "write \"parley: \(Self.version)\" at the top")?.integer(in: 1...Int.max),
            version != Self.version
        {
            file.value("parley")?.report(.badValue, "this version of Parley reads version \(Self.version) of the format, not \(version)")
        }
        let network = file.value("network").map(NetworkSpec.read) ?? HostNetwork()
        let monitoring = file.value("metrics").flatMap(MonitoringSpec.read)
        let webhooks = file.value("webhooks").flatMap { WebhooksSpec($0) }
        let joins = file.value("joins").flatMap(JoinsSpec.read)
        file.value("lists").map { readLists($0, sink) }
        guard let profiles = file.required("profiles")?.mapping() else { return ([], network, monitoring, webhooks, joins) }
        if profiles.all.isEmpty { profiles.reader.report(.badValue, "profiles must not be empty") }
        let specs = profiles.all.compactMap { ProfileSpec(id: $0.key, at: $0.position, $0.value) }
        refuseSameNames(specs, in: profiles)
        checkRelays(specs, in: profiles)
        refuseUnknownForwards(in: profiles, specs)
        return (specs, network, monitoring, webhooks, joins)
    }

    private static func readLists(_ reader: NodeReader, _ sink: DiagnosticSink) {
        guard let mapping = reader.mapping() else { return }
        if mapping.all.isEmpty { reader.report(.badValue, "\(reader.path) must not be empty") }
        for entry in mapping.all {
            if let list = ListSpec(id: entry.key, entry.value) { sink.lists[entry.key] = list } else { sink.faultyLists.insert(entry.key) }
        }
    }

    /// A message is forwarded through a profile of the file, into a chat that this profile vouches for.
    private static func refuseUnknownForwards(in profiles: MappingReader, _ specs: [ProfileSpec]) {
        for use in profiles.reader.sink.uses where use.kind == .chatElsewhere {
            specs.first { $0.id == use.profile }?.refuse(use, in: profiles.reader)
        }
        for use in profiles.reader.sink.uses where use.kind == .profile && !profiles.keys.contains(use.name) {
            profiles.reader.report(
                .badValue, "there is no profile \"\(use.name.cut)\"", hint: Spelling.hint(for: use.name, among: profiles.keys), at: use.position)
        }
    }

    /// Contacts could not distinguish two profiles with one name, and the next start could not find them.
    private static func refuseSameNames(_ specs: [ProfileSpec], in profiles: MappingReader) {
        var seen: [String: String] = [:]
        for spec in specs {
            if let other = seen.updateValue(spec.id, forKey: spec.name) {
                profiles.reader.report(
                    .badValue, "profiles \"\(other.cut)\" and \"\(spec.id.cut)\" have the same name \"\(spec.name.cut)\"",
                    at: profiles.keyPosition(spec.id))
            }
        }
    }
}
