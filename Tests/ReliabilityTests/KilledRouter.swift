import Foundation
import ProcessSupport

/// `parley server smp` or `parley server xftp` on a port of its own, killed and started again.
actor KilledRouter {
    enum Kind: String, Sendable { case smp, xftp }

    nonisolated let address: String
    private let kind: Kind
    private let folder: ScratchFolder
    private let port: LoopbackPort
    private var process: ChildProcess

    /// - Parameters:
    ///   - folder: Its data is in `router` there, or in `file-router`.
    ///   - messageQuota: The messages that a queue takes; nil for the default.
    init(_ kind: Kind, _ folder: ScratchFolder, messageQuota: Int? = nil) async throws {
        self.kind = kind
        self.folder = folder
        if let messageQuota {
            try FileManager.default.createDirectory(atPath: folder("router"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try folder.write("router: 1\nmessage-quota: \(messageQuota)\n", to: "router/router.yaml")
        }
        port = try LoopbackPort.free()
        process = try Self.start(kind, folder, port)
        guard let address = try await process.ready().address else { throw RunFault("the router has no address") }
        self.address = address
    }

    func kill(downtime: Int) async throws {
        process.kill()
        _ = try await process.exit()
        try await PlannedPause.pass(milliseconds: downtime)
        process = try Self.start(kind, folder, port)
    }

    func stop() async { await process.stop() }

    private static func start(_ kind: Kind, _ folder: ScratchFolder, _ port: LoopbackPort) throws -> ChildProcess {
        let data = folder(kind == .smp ? "router" : "file-router")
        return try ParleyProgram.start(
            ["server", kind.rawValue, "--data", data, "--port", "\(port.number)", "--json"], log: folder("\(kind.rawValue)-router.log"))
    }
}
