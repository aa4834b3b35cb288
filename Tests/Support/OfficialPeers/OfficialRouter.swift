import Foundation
package import ProcessSupport
package import SMPProtocol
import SMPWire
import Synchronization
import TestSupport

/// An official `smp-server`, set up in a scratch folder and run on a free port.
///
/// It keeps its queues and messages when it is stopped with ``stop(_:)`` and started again, as it does in service.
package final class OfficialRouter: Sendable {
    /// `smp://fingerprint@127.0.0.1:port`
    package let address: String
    private let port: LoopbackPort
    private let folder: ScratchFolder
    private let environment: [String: String]
    private let release: PeerRelease
    private let running = Mutex<ChildProcess?>(nil)

    /// A setting of `smp-server.ini`.
    package struct Setting: Sendable {
        let section: String
        let key: String
        let value: String

        package init(_ section: String, _ key: String, _ value: String) {
            self.section = section
            self.key = key
            self.value = value
        }
    }

    /// Sets up a router that is not started yet: keys, certificates and configuration.
    package init(_ release: PeerRelease = .current, settings: [Setting] = []) async throws(PeerError) {
        self.release = release
        folder = try ScratchFolder("official-router")
        port = try LoopbackPort.free()
        let etc = folder.path + "/etc"
        environment = ["SMP_SERVER_CFG_PATH": etc, "SMP_SERVER_LOG_PATH": folder.path + "/var"]
        let setup = try ChildProcess(
            try PeerProgram.smpServer.path(in: release), ["init", "--yes", "--ip", "127.0.0.1", "--disable-web", "--no-password"],
            environment: environment, log: folder.path + "/router.log", readsOutput: false)
        guard try await setup.exit(within: Patience.limit) == 0 else {
            throw PeerError(.launch, "smp-server init failed: \(setup.logTail())")
        }
        do {
            let file = etc + "/smp-server.ini"
            let given = [Setting("TRANSPORT", "host", "127.0.0.1"), Setting("TRANSPORT", "port", "\(port.number)")] + settings
            let text = given.reduce(try String(contentsOfFile: file, encoding: .utf8)) { Self.apply($1, to: $0) }
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            let fingerprint = try String(contentsOfFile: etc + "/fingerprint", encoding: .utf8)
            address = "smp://\(fingerprint.trimmingCharacters(in: .whitespacesAndNewlines))@127.0.0.1:\(port.number)"
        } catch {
            throw PeerError(.launch, "smp-server could not be configured", cause: error)
        }
    }

    deinit { running.withLock { $0?.kill() } }

    /// Sets up and starts a router.
    package static func start(_ release: PeerRelease = .current, settings: [Setting] = []) async throws(PeerError) -> OfficialRouter {
        let router = try await OfficialRouter(release, settings: settings)
        try await router.start()
        return router
    }

    /// The address as the protocol's rooms take it.
    package var serverAddress: SMPServerAddress {
        get throws { try SMPServerAddress(wireString: address) }
    }

    /// What it counted, written when it is stopped with an interrupt, if `STORE_LOG` has `log_stats = on`.
    package var statisticsFile: String { folder.path + "/var/smp-server-stats.log" }

    /// Its queues and what became of them, a line for each.
    package var queuesFile: String { folder.path + "/var/smp-server-store.log" }

    /// The messages that waited in it when it was stopped, a line for each.
    package var messagesFile: String { folder.path + "/var/smp-server-messages.log" }

    /// The process that runs, for its figures.
    package var process: ChildProcess? { running.withLock { $0 } }

    /// Starts the program and waits until it listens.
    package func start(within limit: Duration = Patience.limit) async throws(PeerError) {
        let process = try ChildProcess(
            try PeerProgram.smpServer.path(in: release), ["start"], environment: environment, log: folder.path + "/router.log", readsOutput: false)
        do throws(PeerError) {
            try await LoopbackPort.waitUntilOpen(port.number, by: process, within: limit)
        } catch {
            process.kill()
            throw error
        }
        running.withLock { $0 = process }
    }

    /// Ends the program. On an interrupt it saves its messages first.
    package func stop(_ signal: ProcessSignal = .interrupt) async {
        let process = running.withLock { running in
            defer { running = nil }
            return running
        }
        await process?.stop(signal, within: .seconds(30))
    }

    /// Sets a key in its section, in place of the line that has it, commented out or not.
    static func apply(_ setting: Setting, to text: String) -> String {
        var lines = text.components(separatedBy: "\n")
        var section = ""
        for index in lines.indices {
            let line = lines[index]
            if line.hasPrefix("["), let end = line.firstIndex(of: "]") { section = String(line.dropFirst().prefix(upTo: end)) }
            let bare = line.drop { $0 == "#" || $0 == " " }
            guard section == setting.section, bare.hasPrefix(setting.key) else { continue }
            let rest = bare.dropFirst(setting.key.count).drop { $0 == " " }
            guard rest.hasPrefix(":") || rest.hasPrefix("=") else { continue }
            lines[index] = "\(setting.key) = \(setting.value)"
            return lines.joined(separator: "\n")
        }
        if let header = lines.firstIndex(of: "[\(setting.section)]") {
            lines.insert("\(setting.key) = \(setting.value)", at: header + 1)
        } else {
            lines += ["[\(setting.section)]", "\(setting.key) = \(setting.value)"]
        }
        return lines.joined(separator: "\n")
    }
}
