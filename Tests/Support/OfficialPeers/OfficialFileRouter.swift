import Foundation
package import ProcessSupport
package import SMPProtocol
import SMPWire
import Synchronization
import TestSupport

/// An official `xftp-server`, set up in a scratch folder and run on a free port. It keeps its files when it is stopped and started again.
package final class OfficialFileRouter: Sendable {
    /// `xftp://fingerprint@127.0.0.1:port`
    package let address: String
    private let port: LoopbackPort
    private let folder: ScratchFolder
    private let environment: [String: String]
    private let running = Mutex<ChildProcess?>(nil)

    /// Sets up a router that is not started yet: keys, certificates and configuration.
    ///
    /// - Parameter settings: of `file-server.ini`.
    package init(settings: [OfficialRouter.Setting] = []) async throws(PeerError) {
        folder = try ScratchFolder("official-file-router")
        port = try LoopbackPort.free()
        let etc = folder.path + "/etc"
        environment = ["XFTP_SERVER_CFG_PATH": etc, "XFTP_SERVER_LOG_PATH": folder.path + "/var"]
        let files = folder.path + "/files"
        do {
            try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        } catch {
            throw PeerError(.launch, "no folder for files", cause: error)
        }
        let setup = try ChildProcess(
            try PeerProgram.xftpServer.path(), ["init", "--ip", "127.0.0.1", "-p", files, "-q", "10gb"], environment: environment,
            log: folder.path + "/router.log", readsOutput: false)
        guard try await setup.exit(within: Patience.limit) == 0 else {
            throw PeerError(.launch, "xftp-server init failed: \(setup.logTail())")
        }
        do {
            let file = etc + "/file-server.ini"
            let given = [OfficialRouter.Setting("TRANSPORT", "host", "127.0.0.1"), .init("TRANSPORT", "port", "\(port.number)")] + settings
            let text = given.reduce(try String(contentsOfFile: file, encoding: .utf8)) { OfficialRouter.apply($1, to: $0) }
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            let fingerprint = try String(contentsOfFile: etc + "/fingerprint", encoding: .utf8)
            address = "xftp://\(fingerprint.trimmingCharacters(in: .whitespacesAndNewlines))@127.0.0.1:\(port.number)"
        } catch {
            throw PeerError(.launch, "xftp-server could not be configured", cause: error)
        }
    }

    deinit { running.withLock { $0?.kill() } }

    /// Sets up and starts a router.
    package static func start(settings: [OfficialRouter.Setting] = []) async throws(PeerError) -> OfficialFileRouter {
        let router = try await OfficialFileRouter(settings: settings)
        try await router.start()
        return router
    }

    /// The address as the protocol's modules take it.
    package var serverAddress: XFTPServerAddress {
        get throws { try XFTPServerAddress(wireString: address) }
    }

    /// Starts the program and waits until it listens.
    package func start(within limit: Duration = Patience.limit) async throws(PeerError) {
        let process = try ChildProcess(
            try PeerProgram.xftpServer.path(), ["start"], environment: environment, log: folder.path + "/router.log", readsOutput: false)
        do throws(PeerError) {
            try await LoopbackPort.waitUntilOpen(port.number, by: process, within: limit)
        } catch {
            process.kill()
            throw error
        }
        running.withLock { $0 = process }
    }

    /// Ends the program.
    package func stop(_ signal: ProcessSignal = .interrupt) async {
        let process = running.withLock { running in
            defer { running = nil }
            return running
        }
        await process?.stop(signal, within: .seconds(30))
    }
}
