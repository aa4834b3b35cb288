import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport
import Synchronization

/// A router as a process of its own that can be stopped and started again.
protocol Router: AnyObject, Sendable {
    /// `smp://fingerprint@127.0.0.1:port`
    var address: String { get }
    func run() async throws
    func end(_ signal: ProcessSignal) async
}

extension OfficialRouter: Router {
    func run() async throws { try await start() }
    func end(_ signal: ProcessSignal) async { await stop(signal) }
}

/// `parley server smp`, in a folder and on a port of its own.
final class ParleyRouter: Router {
    let address: String
    private let folder: ScratchFolder
    private let port: Int
    private let running: Mutex<ChildProcess?>

    init() async throws {
        folder = try ScratchFolder("parley-router")
        port = try LoopbackPort.free()
        let (process, address) = try await Self.launch(folder, port)
        running = Mutex(process)
        self.address = address
    }

    deinit { running.withLock { $0?.kill() } }

    func run() async throws {
        let (process, address) = try await Self.launch(folder, port)
        guard address == self.address else { throw PeerError(.launch, "the router came back as \(address), it was \(self.address)") }
        running.withLock { $0 = process }
    }

    func end(_ signal: ProcessSignal) async {
        let process = running.withLock { running in
            defer { running = nil }
            return running
        }
        await process?.stop(signal)
    }

    private static func launch(_ folder: ScratchFolder, _ port: Int) async throws -> (ChildProcess, String) {
        let process = try ParleyProgram.start(
            ["server", "smp", "--data", folder.path + "/data", "--port", "\(port)", "--json"],
            log: folder.path + "/router.log")
        return (process, try await process.ready().address ?? "")
    }
}

extension Implementation {
    /// A router of that implementation, running.
    func router() async throws -> any Router {
        switch self {
        case .official: try await OfficialRouter.start()
        case .parley: try await ParleyRouter()
        }
    }

    /// A party of that implementation, with one profile, online.
    func party(_ name: String, servers: [String], arguments: [String] = []) async throws -> any Party {
        switch self {
        case .official:
            var options = OfficialClient.Options(servers: servers)
            options.arguments = arguments
            return try await OfficialClient.start(name, options)
        case .parley: return try await ParleyParty(name, servers: servers)
        }
    }
}
