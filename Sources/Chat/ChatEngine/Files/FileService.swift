import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import Logging
import SMPAgent
package import SMPClient
package import SMPProtocol
import Synchronization
package import XFTPAgent
package import XFTPProtocol

/// The description by which file routers give out a file; the part of it that a message carries is `ChatProtocol.FileDescription`.
package typealias RouterFileDescription = XFTPProtocol.FileDescription

/// The transfer of files over file routers, below the chat engine. Ids are chosen by the caller, so that a request can be repeated.
package protocol FileService: Sendable {
    /// Continues all transfers.
    func start() async throws(FileTransferError)
    /// Interrupts all transfers until the next start.
    func stop() async
    func setNetwork(_ network: NetworkConfiguration) async throws(FileTransferError)

    func upload(_ id: FileTransferID, of user: Int64, _ source: LocalFile, name: String, recipients: Int) async throws(FileTransferError)
    func upload(_ id: FileTransferID, of user: Int64, _ description: RouterFileDescription) async throws(FileTransferError)
    func download(
        _ id: FileTransferID, of user: Int64, _ description: RouterFileDescription, to target: LocalFile, approvesServers: Bool
    ) async throws(FileTransferError)

    /// Deletes a transfer and leaves the uploaded chunks on the routers.
    func remove(_ id: FileTransferID) async throws(FileTransferError)
    /// Deletes a transfer and its uploaded chunks.
    func delete(_ id: FileTransferID) async throws(FileTransferError)
    /// Deletes an uploaded file by its sender's description.
    func deleteRemote(user: Int64, _ description: RouterFileDescription) async throws(FileTransferError)

    /// The state and counters of all file routers.
    func serversSummary() async -> FileServersSummary
    /// Begins to count anew.
    func resetServerStatistics()

    /// Tries whether files can be exchanged over a router.
    func test(_ server: XFTPServerWithAuth, of user: Int64) async throws(FileServerTestFailure)
}

extension FileService {
    package func serversSummary() async -> FileServersSummary { FileServersSummary() }
    package func resetServerStatistics() {}
}

extension FileAgent: FileService {
    package func upload(_ id: FileTransferID, of user: Int64, _ source: LocalFile, name: String, recipients: Int) async throws(FileTransferError) {
        try await sendFile(user: user, source, name: name, recipients: recipients, as: id)
    }

    package func upload(_ id: FileTransferID, of user: Int64, _ description: RouterFileDescription) async throws(FileTransferError) {
        // As many links as official clients make.
        try await sendDescription(user: user, description, recipients: FileLimits.descriptions(for: 1), as: id)
    }

    package func download(
        _ id: FileTransferID, of user: Int64, _ description: RouterFileDescription, to target: LocalFile, approvesServers: Bool
    ) async throws(FileTransferError) {
        try await receiveFile(user: user, description, to: target, approvesServers: approvesServers, as: id)
    }

    package func test(_ server: XFTPServerWithAuth, of user: Int64) async throws(FileServerTestFailure) { try await testServer(server, user: user) }
}

/// The service of a core that cannot transfer files, for example because it has no folder for them. Transfers fail with the reason.
struct UnavailableFileService: FileService {
    let reason: String

    private var failure: FileTransferError { FileTransferError(.network, "files cannot be transferred: \(reason)") }

    func start() async throws(FileTransferError) {}
    func stop() async {}
    func setNetwork(_ network: NetworkConfiguration) async throws(FileTransferError) {}
    func upload(_ id: FileTransferID, of user: Int64, _ source: LocalFile, name: String, recipients: Int) async throws(FileTransferError) {
        throw failure
    }
    func upload(_ id: FileTransferID, of user: Int64, _ description: RouterFileDescription) async throws(FileTransferError) { throw failure }
    func download(
        _ id: FileTransferID, of user: Int64, _ description: RouterFileDescription, to target: LocalFile, approvesServers: Bool
    ) async throws(FileTransferError) { throw failure }
    func remove(_ id: FileTransferID) async throws(FileTransferError) {}
    func delete(_ id: FileTransferID) async throws(FileTransferError) {}
    func deleteRemote(user: Int64, _ description: RouterFileDescription) async throws(FileTransferError) {}
    func test(_ server: XFTPServerWithAuth, of user: Int64) async throws(FileServerTestFailure) {
        throw FileServerTestFailure(step: .connect, reason: .internal(failure.message))
    }
}

/// The receiver of a service's events, which exists only after the service does.
package final class FileEventRelay: Sendable {
    // In a struct, since a function that is itself the value of a mutex is wrapped anew by every access, and each call goes through all wrappings.
    private struct Subscriber {
        var receive: @Sendable (FileTransferEvent) async -> Void
    }

    private struct Hosts {
        var report: @Sendable (XFTPServerAddress, Bool) -> Void
    }

    private let subscriber = Mutex<Subscriber?>(nil)
    private let hosts = Mutex<Hosts?>(nil)

    package init() {}

    /// Sets the receiver of what connections with file routers begin and end.
    func attachHosts(_ report: @escaping @Sendable (XFTPServerAddress, Bool) -> Void) { hosts.withLock { $0 = Hosts(report: report) } }

    /// A connection with a file router was made, or has ended.
    func report(_ server: XFTPServerAddress, isConnected: Bool) { hosts.withLock { $0 }?.report(server, isConnected) }

    func attach(_ handler: @escaping @Sendable (FileTransferEvent) async -> Void) { subscriber.withLock { $0 = Subscriber(receive: handler) } }

    package func receive(_ event: FileTransferEvent) async {
        let subscriber = subscriber.withLock { $0 }
        await subscriber?.receive(event)
    }
}

/// The file routers of profiles, as the chat store has them.
struct ChatFileServers: FileServerSource {
    let store: ChatStore

    func servers(of user: Int64) async -> [XFTPServerWithAuth] { (try? await store.read { try $0.servers.fileServers(ofUser: UserID(user)) }) ?? [] }

    func isKnown(_ server: XFTPServerAddress, to user: Int64) async -> Bool {
        await servers(of: user).contains { $0.server.isSameRouter(as: server) }
    }
}

extension XFTPServerAddress {
    /// True for another address of the same router.
    func isSameRouter(as other: XFTPServerAddress) -> Bool {
        keyHash == other.keyHash && !Set(hosts).isDisjoint(with: other.hosts) && (port ?? 443) == (other.port ?? 443)
    }
}
