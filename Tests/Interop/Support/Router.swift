import ChatEngine
import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport
import SMPClient
import SMPWire
import Synchronization
import Testing

/// A router as a process of its own that can be stopped and started again.
protocol Router: AnyObject, Sendable {
    /// `smp://fingerprint@127.0.0.1:port`
    var address: String { get }
    func run() async throws
    func end(_ signal: ProcessSignal) async
    /// Ends it, and tells what it has counted: the official one says that at its end.
    func finish() async throws -> RouterCounts
}

/// Some of what a router counts.
struct RouterCounts {
    /// Commands of clients that it passed on to other routers.
    let relayed: Int
    /// Commands that came to it through other routers.
    let received: Int
    /// Messages that it refused because their queue was full.
    let overQuota: Int
    /// Queues that it takes for services'.
    let ofServices: Int
}

extension OfficialRouter: Router {
    func run() async throws { try await start() }
    func end(_ signal: ProcessSignal) async { await stop(signal) }

    func finish() async throws -> RouterCounts {
        await stop(.interrupt)
        let lines = try String(contentsOfFile: statisticsFile, encoding: .utf8).split(separator: "\n")
        func number(_ name: String, of section: String? = nil) throws -> Int {
            let start = if let section { try #require(lines.firstIndex { $0 == section + ":" }, "\(section) in the router's statistics") } else { 0 }
            let line = try #require(lines[start...].first { $0.hasPrefix(name + "=") }, "\(name) in the router's statistics")
            return try #require(Int(line.dropFirst(name.count + 1)))
        }
        // This version does not count the queues of those who receive as services.
        let queues = try String(contentsOfFile: queuesFile, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("CREATE ") }
        return RouterCounts(
            relayed: try number("successes", of: "pMsgFwds"), received: try number("pMsgFwdsRecv"),
            overQuota: try number("msgSentQuota"), ofServices: queues.count { $0.contains(" rsrv=") })
    }
}

/// `parley server smp` or `parley server xftp`, in a folder and on a port of its own.
final class ParleyRouter: Router {
    let address: String
    private let kind: String
    private let folder: ScratchFolder
    private let port: LoopbackPort
    private let running: Mutex<ChildProcess?>

    /// - Parameter messageQuota: The messages that a queue takes; nil for the default.
    init(_ kind: String = "smp", messageQuota: Int? = nil) async throws {
        self.kind = kind
        folder = try ScratchFolder("parley-router")
        if let messageQuota {
            try FileManager.default.createDirectory(atPath: folder("data"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try folder.write("router: 1\nmessage-quota: \(messageQuota)\n", to: "data/router.yaml")
        }
        port = try LoopbackPort.free()
        let (process, address) = try await Self.launch(kind, folder, port)
        running = Mutex(process)
        self.address = address
    }

    deinit { running.withLock { $0?.kill() } }

    func run() async throws {
        let (process, address) = try await Self.launch(kind, folder, port)
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

    func finish() async throws -> RouterCounts {
        let question = try ParleyProgram.start(["server", "smp", "stats", "--json", "--data", folder("data")], log: folder("stats.log"))
        let answer = try JSONValue(parsing: Bytes(try await question.output.first("the router's statistics", within: .seconds(60)) { $0 }.utf8))
        await end(.interrupt)
        func number(_ json: JSONValue?, _ name: String) throws -> Int {
            Int(try #require(json?[name]?.intValue, "\(name) in the router's statistics"))
        }
        return RouterCounts(
            relayed: try number(answer["total"], "commands_relayed"), received: try number(answer["total"], "commands_forwarded"),
            overQuota: try number(answer["total"], "messages_over_quota"), ofServices: try number(answer, "serviceQueues"))
    }

    private static func launch(_ kind: String, _ folder: ScratchFolder, _ port: LoopbackPort) async throws -> (ChildProcess, String) {
        let process = try ParleyProgram.start(
            ["server", kind, "--data", folder.path + "/data", "--port", "\(port.number)", "--json"],
            log: folder.path + "/router.log")
        return (process, try await process.ready().address ?? "")
    }
}

/// A file router as a process of its own that can be stopped and started again.
protocol FileRouterProcess: AnyObject, Sendable {
    /// `xftp://fingerprint@127.0.0.1:port`
    var address: String { get }
    func run() async throws
    func end(_ signal: ProcessSignal) async
}

extension OfficialFileRouter: FileRouterProcess {
    func run() async throws { try await start() }
    func end(_ signal: ProcessSignal) async { await stop(signal) }
}

extension ParleyRouter: FileRouterProcess {}

extension Implementation {
    /// A file router of that implementation, running.
    func fileRouter() async throws -> any FileRouterProcess {
        switch self {
        case .official: try await OfficialFileRouter.start()
        case .parley: try await ParleyRouter("xftp")
        }
    }

    /// A router of that implementation, running.
    func router() async throws -> any Router {
        switch self {
        case .official: try await OfficialRouter.start(settings: [.init("STORE_LOG", "log_stats", "on")])
        case .parley: try await ParleyRouter()
        }
    }

    /// A party of that implementation, with one profile, online.
    ///
    /// - Parameter routesPrivately: whether it sends everything through its own routers, and nothing directly.
    func party(_ name: String, servers: [String], fileServers: [String] = [], routesPrivately: Bool = false) async throws -> any Party {
        switch self {
        case .official:
            var options = OfficialClient.Options(servers: servers)
            options.fileServers = fileServers
            if routesPrivately { options.arguments = ["--smp-proxy=always", "--smp-proxy-fallback=no"] }
            return try await OfficialClient.start(name, options)
        case .parley:
            var network = NetworkOptions()
            if routesPrivately { (network.privateRouting, network.privateRoutingFallback) = (.always, .prohibit) }
            return try await ParleyParty(name, servers: servers, fileServers: fileServers, network: network)
        }
    }
}
