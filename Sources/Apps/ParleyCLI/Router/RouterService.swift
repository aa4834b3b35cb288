internal import ChatProtocol
internal import Hosting
internal import Logging
internal import ServiceLifecycle
internal import SystemSupport
internal import UnixSignals

/// A router of any kind that runs until its service is stopped.
struct RouterService: Service, CustomStringConvertible {
    /// A router that runs.
    struct Router: Sendable {
        let address: String
        let waitUntilStopped: @Sendable () async -> Void
        let renewCertificate: @Sendable () throws -> Void
        let stop: @Sendable () async -> Void
    }

    typealias Starter = @Sendable () async throws -> Router

    let json: Bool
    let logger: Logger
    let start: Starter

    var description: String { "router" }

    /// The logger of routers.
    static func logger(_ level: Logger.Level, json: Bool) -> Logger {
        Logger(label: "parley.router") { StructuredLogHandler(label: $0, level: level, format: json ? .json : .text) }
    }

    func run() async throws {
        // From here on SIGHUP does not end the process: who hears that the router is ready may send one at once.
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let router = try await start()
        if json { Output.line(["event": "ready", "address": .string(router.address)]) } else { Output.line(router.address) }
        ServiceManager.current.tell(.ready, logger: logger)
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await router.waitUntilStopped() }
                group.addTask {
                    for await _ in hangUps { renewCertificate(of: router) }
                }
                // Only the router's end is waited for.
                await group.next()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            ServiceManager.current.tell(.stopping, logger: logger)
            Task { await router.stop() }
        }
        await router.stop()
    }

    private func renewCertificate(of router: Router) {
        do {
            try router.renewCertificate()
        } catch {
            logger.error("the certificate stays as it is", metadata: ["reason": "\(error)"])
        }
    }
}
