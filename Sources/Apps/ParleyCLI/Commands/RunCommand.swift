internal import ArgumentParser
internal import ChatProtocol
internal import Foundation
internal import Hosting
internal import Logging
internal import Parley
internal import ParleyRules
internal import SystemSupport
internal import Telemetry
internal import UnixSignals

/// `parley run`: runs the bots of a bots.yaml until it is stopped.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the bots of a bots.yaml.",
        discussion: """
            Prints the address of each bot once all have started. At the first start on a terminal, and with --qr, QR codes of the \
            links that phones can use stand above. SIGTERM or Ctrl-C lets the handlers that run finish and stops; nothing that was \
            accepted is lost.
            A changed file takes effect by itself, and at once on SIGHUP: rules, lists and forms are replaced while the bots run. A file with \
            errors leaves the rules before in force.
            OTEL_EXPORTER_OTLP_ENDPOINT names a collector of OpenTelemetry, which gets metrics and traces in JSON over HTTP.
            With --json it prints {"event":"ready","profiles":[…],"servers":[…],"fileServers":[…]} instead.
            """)

    @Argument(help: "The file that describes the bots.")
    var file = "bots.yaml"

    @Option(help: "The folder for databases and keys. [default: $PARLEY_DATA, else parley-data]")
    var data: String?

    @Option(
        name: .customLong("metrics-port"),
        help: "Serve /metrics (Prometheus) and /healthz on this port; 0 chooses a free port. [default: the port in the file, else none]",
        transform: PortArgument.read)
    var metricsPort: UInt16?

    @Option(name: .customLong("metrics-address"), help: "The address of this machine for --metrics-port. [default: 127.0.0.1]")
    var metricsAddress: String?

    @Flag(
        name: .customLong("dry-run"),
        help: "Run the rules without effects: each message, deletion, block and so on is logged and not done, and the next run handles the same messages.")
    var isDryRun = false

    @Flag(name: .customLong("qr"), inversion: .prefixedNo, help: "Show QR codes of the links on a terminal. [default: at the first start]")
    var showsCodes: Bool?

    @Flag(
        name: .customLong("show-invitations"),
        help: "Print unused links of trusted contacts also where the journal of the system reads them. [default: everywhere else]")
    var showsInvitations = false

    @OptionGroup var options: CommonOptions

    func validate() throws {
        if metricsAddress != nil, metricsPort == nil { throw ValidationError("--metrics-address means nothing without --metrics-port") }
    }

    func run() async throws {
        let description = try BotsFile(contentsOf: file)
        var configuration = try options.configuration(data: data, network: description.network)
        configuration.relay = description.relay
        if let joins = description.joins { configuration.joins = joins }
        configuration.isDryRun = isDryRun
        configuration.monitoring = metricsPort.map { MonitoringAddress(host: metricsAddress ?? "127.0.0.1", port: $0) } ?? description.monitoring
        configuration.telemetry = try Self.telemetry(of: configuration)
        let rules = try RunningRules(description, logger: configuration.logger)
        let bots = rules.bots
        let json = options.json, showsInvitations = showsInvitations || !ServiceManager.current.reads(STDOUT_FILENO)
        ReloadReport.show(description.warnings, of: file, json: json, configuration.logger)
        // The endpoint of webhooks would meet the port of the process that has the folder.
        try configuration.data.requireUnused()
        let showsCodes = showsCodes ?? !configuration.data.hasDatabases
        FolderOwner.warn(of: configuration.data.path)
        // A wrong key or an unusable folder is reported first.
        if !json {
            configuration.onOpen = { [file, isDryRun, folder = configuration.dataFolder] in
                Output.line("Starting \(bots.count) bot\(bots.count == 1 ? "" : "s") from \(file), data in \(folder) …")
                if isDryRun { Output.line("This is a dry run: the log says what the rules would do.") }
            }
        }
        // From here on SIGHUP does not end the process.
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let reloader = RuleReloader(file: file, rules: rules, logger: configuration.logger) { [file, logger = configuration.logger] in
            ReloadReport.show($0, of: file, json: json, logger)
        }
        let reloading = Task { await reloader.run(hangUps, from: description) }
        defer { reloading.cancel() }
        configuration.telemetry?.install()
        try await WebhookEndpoint.serving(description.webhooks, logger: configuration.logger) { endpoint in
            try await BotHost(bots, configuration: configuration).serve { ready in
                endpoint?.open(ready.profiles)
                if json {
                    Output.line(ReadyReport.json(ready, showsInvitations: showsInvitations))
                } else {
                    ReadyReport.show(ready, withCodes: showsCodes, showsInvitations: showsInvitations)
                }
            }
        }
        if !json { Output.line("Stopped.") }
    }

    /// The export to a collector that the variables of OpenTelemetry name; nil for none.
    private static func telemetry(of configuration: HostConfiguration) throws -> TelemetryExporter? {
        let version = ParleyVersion.current.parley
        do throws(TelemetryConfiguration.Fault) {
            guard let settings = try TelemetryConfiguration(environment: ProcessInfo.processInfo.environment, version: version) else { return nil }
            return TelemetryExporter(
                settings, version: version, factory: configuration.metrics, logger: configuration.logger, errorCode: { ErrorCode.of($0) })
        } catch {
            throw Outcome.BadInput("telemetry", description: error.description)
        }
    }
}

/// The output of `parley run` when its file has changed.
enum ReloadReport {
    static func show(_ outcome: RuleReloader.Outcome, of file: String, json: Bool, _ logger: Logger) {
        switch outcome {
        case .replaced(let description, let waiting):
            if json {
                Output.line(["event": "rules", "result": "replaced", "waiting": .array(waiting.map { .string($0) })])
            } else {
                Output.line("\(file): the rules were replaced." + (waiting.isEmpty ? "" : " Another start is needed for: \(waiting.joined(separator: ", "))."))
            }
            show(description.warnings, of: file, json: json, logger)
        case .refused(let error):
            let faults = (error as? BotsFileError)?.diagnostics
            if json {
                if let faults { log(faults, of: file, as: .error, logger) } else { logger.error("\(error)", metadata: ["file": "\(file)"]) }
                Output.line(["event": "rules", "result": "refused", "errors": .int(faults?.count ?? 1)])
            } else {
                Output.warning("\(error)\n\(file) was refused: the previous rules stay in force.")
            }
        }
    }

    static func show(_ warnings: BotsFileWarnings, of file: String, json: Bool, _ logger: Logger) {
        if json {
            log(warnings.diagnostics, of: file, as: .warning, logger)
        } else if !warnings.diagnostics.isEmpty {
            Output.warning(warnings.description)
        }
    }

    /// With JSON, the log has no other lines.
    private static func log(_ diagnostics: [Diagnostic], of file: String, as level: Logger.Level, _ logger: Logger) {
        for diagnostic in diagnostics {
            var metadata: Logger.Metadata = [
                "code": "\(diagnostic.code.rawValue)", "file": "\(file)", "line": "\(diagnostic.position.line)", "column": "\(diagnostic.position.column)",
            ]
            if let hint = diagnostic.hint { metadata["hint"] = "\(hint)" }
            logger.log(level: level, "\(diagnostic.message)", metadata: metadata)
        }
    }
}

/// The output of `parley run` once every bot has started.
enum ReadyReport {
    /// A link, and the words before it.
    struct Entry: Equatable {
        let title: String
        let link: String?
    }

    /// The links of the bots, in the order in which they are shown.
    ///
    /// - Parameter showsInvitations: false to print only the names of trusted contacts who have not connected, because too many people read the output.
    static func entries(_ ready: HostReady, showsInvitations: Bool = true) -> [Entry] {
        var entries: [Entry] = []
        for profile in ready.profiles {
            let name = VisibleText.name(profile.name), link = profile.shortAddress ?? profile.address
            for group in profile.managedGroups where group.link != nil {
                entries.append(Entry(title: "\(VisibleText.name(group.name)) can be joined at", link: group.link))
            }
            for channel in profile.managedChannels where channel.link != nil {
                entries.append(Entry(title: "The channel \(VisibleText.name(channel.name)) can be subscribed to at", link: channel.link))
            }
            entries.append(Entry(title: link == nil ? "\(name) is running, without an address." : "\(name) can be reached at", link: link))
            for invitation in profile.invitations {
                let title = "\(VisibleText.name(invitation.name)) can connect once, as a trusted contact of \(name)"
                entries.append(
                    showsInvitations
                        ? Entry(title: title + ", at", link: invitation.link)
                        : Entry(
                            title: title + ". The link is not written to the journal: a start on a terminal, or with --show-invitations, prints it.", link: nil)
                )
            }
        }
        return entries
    }

    /// The codes come first, so that the links stay in view.
    static func show(_ ready: HostReady, withCodes: Bool, showsInvitations: Bool = true) {
        let entries = entries(ready, showsInvitations: showsInvitations)
        if withCodes, Output.isTerminal {
            for entry in entries {
                guard let link = entry.link, !LinkReach.isLocal(link) else { continue }
                Output.line("\n\(entry.title)")
                Output.code(for: link)
            }
        }
        for entry in entries {
            Output.line("\n\(entry.title)")
            if let link = entry.link { Output.line("  " + VisibleText.line(link, limit: .max)) }
        }
        if entries.contains(where: { $0.link.map(LinkReach.isLocal) ?? false }) { Output.line("\n\(LinkReach.notice)") }
        Output.line("\nReady. Ctrl-C stops.")
    }

    /// Links with the names of whom or what they lead to, as JSON; nil for none.
    private static func list(_ links: [(id: String?, name: String, link: String?)]) -> JSONValue? {
        guard !links.isEmpty else { return nil }
        return .array(
            links.map { entry in
                Output.object { object in
                    object["id"] = entry.id
                    object["name"] = entry.name
                    object["link"] = entry.link
                }
            })
    }

    static func json(_ ready: HostReady, showsInvitations: Bool = true) -> JSONValue {
        let profiles = ready.profiles.map { profile in
            Output.object { object in
                object["name"] = profile.name
                object["id"] = profile.id
                object["address"] = profile.address
                object["shortAddress"] = profile.shortAddress
                object["groups"] = list(profile.managedGroups.map { ($0.id, $0.name, $0.link) })
                object["channels"] = list(profile.managedChannels.map { ($0.id, $0.name, $0.link) })
                object["invitations"] = list(profile.invitations.map { (nil, $0.name, showsInvitations ? $0.link : nil) })
            }
        }
        return [
            "event": "ready", "profiles": .array(profiles), "servers": .array(ready.servers.map { .string($0) }),
            "fileServers": .array(ready.fileServers.map { .string($0) }),
        ]
    }
}
