internal import Foundation
internal import Logging
public import Parley
internal import SystemSupport
internal import UnixSignals

extension BotsFile {
    /// Runs the bots of a file in a process that is theirs alone, until it gets SIGTERM or SIGINT: the last thing that a `main` does.
    ///
    /// ```swift
    /// await BotsFile.run("bots.yaml", plugins: [Weather.self], conditions: [digits], actions: [roll])
    /// ```
    ///
    /// A changed file takes effect while the bots run, as with `parley run`. Errors of the file are written to standard error with their positions, and
    /// ends the process with exit code 2.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - plugins: the plugins that profiles can name.
    ///   - conditions: the conditions that rules can use in addition to those of the format.
    ///   - actions: the actions that rules can use in addition to those of the format.
    ///   - configuration: the data folder and the routers. Its network is that of the file, unless the configuration has one of its own.
    public static func run(
        _ path: String = "bots.yaml", plugins: [any BotPlugin.Type] = [], conditions: [CustomCondition] = [], actions: [CustomAction] = [],
        configuration: HostConfiguration = HostConfiguration()
    ) async {
        Heap.limitArenas()
        CrashHandling.install(program: ProcessInfo.processInfo.processName)
        OpenFiles.raiseLimit()
        if let shortage = OpenFiles.shortage() { ProcessFault.end(saying: "\(shortage) [\(OpenFiles.code)]", 2) }
        do {
            let extensions = try RuleExtensions(plugins: plugins, conditions: conditions, actions: actions)
            try await serve(path, extensions: extensions, configuration: configuration) { Bot.show($0) }
        } catch let error as BotsFileError {
            ProcessFault.end(saying: error.description, 2)
        } catch let error as RuleExtensionError {
            ProcessFault.end(saying: "\(error.message) [\(error.code.rawValue)]", 2)
        } catch {
            ProcessFault(error).end(program: ProcessInfo.processInfo.processName)
        }
    }

    /// Runs the bots of a file until the process receives SIGTERM or SIGINT, in a program that takes care of errors itself.
    ///
    /// - Parameter onReady: called once every bot has started.
    /// - Throws: ``BotsFileError``, and what `BotHost.serve(onReady:)` does.
    public static func serve(
        _ path: String = "bots.yaml", extensions: RuleExtensions, configuration: HostConfiguration = HostConfiguration(),
        onReady: @escaping @Sendable (HostReady) -> Void = { _ in }
    ) async throws {
        let file = try BotsFile(contentsOf: path, extensions: extensions)
        var configuration = configuration
        if configuration.network == HostNetwork() { configuration.network = file.network }
        configuration.monitoring = configuration.monitoring ?? file.monitoring
        if configuration.relay == HostRelay() { configuration.relay = file.relay }
        if let joins = file.joins { configuration.joins = joins }
        let logger = configuration.logger
        let rules = try RunningRules(file, logger: logger)
        for warning in file.warnings.diagnostics { logger.warning("\(warning.message)", metadata: ["code": "\(warning.code.rawValue)", "file": "\(path)"]) }
        // From here on SIGHUP does not end the process.
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let reloader = RuleReloader(file: path, rules: rules, extensions: extensions, logger: logger) { outcome in
            if case .refused(let error) = outcome { logger.error("\(error)", metadata: ["code": "rules.refused", "file": "\(path)"]) }
        }
        let reloading = Task { await reloader.run(hangUps, from: file) }
        defer { reloading.cancel() }
        try await WebhookEndpoint.serving(file.webhooks, logger: logger) { [configuration] endpoint in
            try await BotHost(rules.bots, configuration: configuration).serve { ready in
                endpoint?.open(ready.profiles)
                onReady(ready)
            }
        }
    }

    /// Runs the tests of the file, as `parley test` does: for the tests of a program that adds to the format.
    ///
    /// - Returns: for each test that fails, its profile, its position and the failed expectation; empty if all tests pass.
    public func testFailures() throws -> [(profile: String, test: RuleTest, failures: [RuleTestFailure])] {
        try profiles.flatMap { profile in
            let rules = try RuleSet(profile.rules, lists: lists)
            return profile.tests.compactMap { test in
                let failures = test.run(rules, bot: profile.name, forms: profile.forms, texts: profile.texts)
                return failures.isEmpty ? nil : (profile.id, test, failures)
            }
        }
    }
}
