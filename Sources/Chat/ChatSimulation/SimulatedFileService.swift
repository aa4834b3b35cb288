package import ChatEngine
import ChatRules
import Foundation
package import SMPClient
import SMPCrypto
package import SMPProtocol
package import SMPWire
import Synchronization
package import XFTPAgent
package import XFTPProtocol

/// Simulated file routers that the services of several cores share. It keeps the contents of files by the ids in their descriptions.
package final class SimulatedFileStorage: Sendable {
    /// The router on which files are, in the way of addresses.
    package static let address = "xftp://AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=@files.example"

    private struct State {
        var contents: [EntityID: (file: Int, content: Bytes)] = [:]
        var files = 0
        var kept: Set<Int> = []
        var chunks = 1
        var isOpen = true
        var waiters: [CheckedContinuation<Void, Never>] = []
        var server = SimulatedFileStorage.address
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of chunks in descriptions of new files: with many, a description has several parts.
    package var chunks: Int {
        get { state.withLock { $0.chunks } }
        set { state.withLock { $0.chunks = newValue } }
    }

    /// The router that new descriptions name.
    package var server: String {
        get { state.withLock { $0.server } }
        set { state.withLock { $0.server = newValue } }
    }

    /// The number of files that were uploaded and not deleted.
    package var keptFiles: Int { state.withLock { $0.kept.count } }

    // MARK: Transfers wait while the gate is closed

    package func closeGate() { state.withLock { $0.isOpen = false } }

    package func openGate() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    package func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    // MARK: Files

    /// Takes a file and makes descriptions of it.
    package func put(_ content: Bytes, recipients: Int, redirect: RouterFileDescription.Redirect? = nil) throws -> (
        sender: RouterFileDescription, recipients: [RouterFileDescription]
    ) {
        let server = try XFTPServerAddress(wireString: server)
        let random = SystemRandomSource()
        let (number, count) = state.withLock { state in
            state.files += 1
            state.kept.insert(state.files)
            return (state.files, redirect == nil ? state.chunks : 1)
        }
        let (digest, key, nonce) = (random.bytes(64), BoxSecret.random(random), BoxNonce.random(random))
        let digests = (0..<count).map { _ in random.bytes(32) }
        func description(_ party: RouterFileDescription.Party) -> RouterFileDescription {
            let chunks = (0..<count).map { index in
                let replica = RouterFileDescription.Replica(
                    server: server, id: EntityID(random.bytes(24)), key: .ed25519(Ed25519.generateKeyPair(random).privateKey))
                return RouterFileDescription.Chunk(number: index + 1, size: 65_536, digest: digests[index], replicas: [replica])
            }
            state.withLock { state in for chunk in chunks { state.contents[chunk.replicas[0].id] = (number, content) } }
            return RouterFileDescription(
                party: party, size: Int64(count) * 65_536, digest: digest, key: key, nonce: nonce, chunkSize: 65_536, chunks: chunks,
                redirect: redirect)
        }
        return (description(.sender), (0..<recipients).map { _ in description(.recipient) })
    }

    /// The content that a description leads to; nil if it was deleted.
    package func content(_ description: RouterFileDescription) -> Bytes? {
        state.withLock { state in
            guard let known = state.contents[description.chunks[0].replicas[0].id], state.kept.contains(known.file) else { return nil }
            return known.content
        }
    }

    package func delete(_ description: RouterFileDescription) {
        state.withLock { state in
            if let known = state.contents[description.chunks[0].replicas[0].id] { state.kept.remove(known.file) }
        }
    }
}

/// The transfer of files as a core sees it, over a ``SimulatedFileStorage``. It outlives the core, like the agent's database: what is not removed goes on
/// at the next start, and outcomes are announced again.
package final class SimulatedFileService: FileService {
    /// A call of the core.
    package struct Call: Sendable, Hashable {
        package var name: String
        package var transfer: FileTransferID?
        package var approvesServers = false

        package init(name: String, transfer: FileTransferID? = nil, approvesServers: Bool = false) {
            self.name = name
            self.transfer = transfer
            self.approvesServers = approvesServers
        }
    }

    private enum Work: Sendable {
        case upload(Bytes, recipients: Int, RouterFileDescription.Redirect?)
        case download(RouterFileDescription, LocalFile)
    }

    private struct Transfer: Sendable {
        var work: Work
        var outcome: FileTransferEvent?
        var sender: RouterFileDescription?
        var task: Task<Void, Never>?
    }

    private struct State {
        var transfers: [FileTransferID: Transfer] = [:]
        var isStarted = false
        package var calls: [Call] = []
        var failure: FileTransferError?
        var repeats = 1
        var relay: FileEventRelay?
    }

    package let cloud: SimulatedFileStorage
    private let state = Mutex(State())

    package init(_ cloud: SimulatedFileStorage) { self.cloud = cloud }

    /// The core that gets the events of transfers from now on.
    package func attach(_ relay: FileEventRelay) { state.withLock { $0.relay = relay } }

    package var calls: [Call] { state.withLock { $0.calls } }
    /// The number of transfers that are not forgotten.
    package var count: Int { state.withLock { $0.transfers.count } }

    /// Makes transfers from now on fail, or not any more.
    package func fail(_ error: FileTransferError?) { state.withLock { $0.failure = error } }
    /// Announces outcomes that often.
    package func repeatOutcomes(_ times: Int) { state.withLock { $0.repeats = times } }

    // MARK: FileService

    package func start() async throws(FileTransferError) {
        let ids = state.withLock { state in
            state.isStarted = true
            return Array(state.transfers.keys)
        }
        for id in ids { run(id) }
    }

    package func stop() async {
        let tasks = state.withLock { state in
            state.isStarted = false
            return state.transfers.values.compactMap(\.task)
        }
        for task in tasks { task.cancel() }
        // Those that wait at the gate end when it opens, and tell nobody.
        state.withLock { state in for id in state.transfers.keys { state.transfers[id]?.task = nil } }
    }

    package func setNetwork(_ network: NetworkConfiguration) async throws(FileTransferError) {}

    package func upload(_ id: FileTransferID, of user: Int64, _ source: LocalFile, name: String, recipients: Int) async throws(FileTransferError) {
        log(Call(name: "upload", transfer: id))
        guard !isKnown(id) else { return run(id) }
        let content: Bytes
        do throws(FileFormatError) { content = try source.contents(upTo: 1 << 30) } catch { throw FileTransferError(.file, error.message) }
        begin(id, .upload(content, recipients: recipients, nil))
    }

    package func upload(_ id: FileTransferID, of user: Int64, _ description: RouterFileDescription) async throws(FileTransferError) {
        log(Call(name: "uploadDescription", transfer: id))
        guard !isKnown(id) else { return run(id) }
        begin(id, .upload(Bytes(description.text.utf8), recipients: 4, .init(size: description.size, digest: description.digest)))
    }

    package func download(
        _ id: FileTransferID, of user: Int64, _ description: RouterFileDescription, to target: LocalFile, approvesServers: Bool
    ) async throws(FileTransferError) {
        log(Call(name: "download", transfer: id, approvesServers: approvesServers))
        guard !isKnown(id) else { return run(id) }
        begin(id, .download(description, target))
    }

    package func remove(_ id: FileTransferID) async throws(FileTransferError) {
        log(Call(name: "remove", transfer: id))
        await forget(id)
    }

    package func delete(_ id: FileTransferID) async throws(FileTransferError) {
        log(Call(name: "delete", transfer: id))
        if let sender = await forget(id) { cloud.delete(sender) }
    }

    package func deleteRemote(user: Int64, _ description: RouterFileDescription) async throws(FileTransferError) {
        log(Call(name: "deleteRemote"))
        cloud.delete(description)
    }

    package func test(_ server: XFTPServerWithAuth, of user: Int64) async throws(FileServerTestFailure) {
        guard server.server.wireString == cloud.server else { throw FileServerTestFailure(step: .connect, reason: .broker(.network(.failed))) }
        guard server.basicAuth == nil else { throw FileServerTestFailure(step: .createFile, reason: .router(.auth)) }
    }

    // MARK: Transfers

    private func log(_ call: Call) { state.withLock { $0.calls.append(call) } }
    private func isKnown(_ id: FileTransferID) -> Bool { state.withLock { $0.transfers[id] != nil } }

    @discardableResult
    private func forget(_ id: FileTransferID) async -> RouterFileDescription? {
        let transfer = state.withLock { $0.transfers.removeValue(forKey: id) }
        transfer?.task?.cancel()
        return transfer?.sender
    }

    private func begin(_ id: FileTransferID, _ work: Work) {
        state.withLock { $0.transfers[id] = Transfer(work: work) }
        run(id)
    }

    private func run(_ id: FileTransferID) {
        state.withLock { state in
            guard state.isStarted, state.transfers[id]?.task == nil else { return }
            state.transfers[id]?.task = Task { [self] in await perform(id) }
        }
    }

    private func perform(_ id: FileTransferID) async {
        guard let transfer = state.withLock({ $0.transfers[id] }) else { return }
        guard transfer.outcome == nil else { return await announce(id) }
        if let failure = state.withLock({ $0.failure }) { return await end(id, failed(id, transfer.work, failure)) }
        await send(id, progress(id, transfer.work))
        await cloud.pass()
        guard !Task.isCancelled else { return }
        switch transfer.work {
        case .upload(let content, let recipients, let redirect):
            guard let made = try? cloud.put(content, recipients: recipients, redirect: redirect) else {
                return await end(id, failed(id, transfer.work, FileTransferError(.file, "no descriptions")))
            }
            let isWanted = state.withLock { state in
                state.transfers[id]?.sender = made.sender
                return state.transfers[id] != nil
            }
            guard isWanted else { return cloud.delete(made.sender) }
            await end(id, .uploadComplete(id, sender: made.sender, recipients: made.recipients))
        case .download(let description, let target):
            guard let content = content(description) else {
                return await end(id, .downloadFailed(id, FileTransferError(.noFile, "the file is gone", router: .auth)))
            }
            await end(
                id,
                write(content, to: target)
                    ? .downloadComplete(id, target, size: Int64(content.count)) : .downloadFailed(id, FileTransferError(.file, "\(target.path) exists")))
        }
    }

    /// The content that a description leads to, by one redirect at most.
    private func content(_ description: RouterFileDescription) -> Bytes? {
        guard let content = cloud.content(description) else { return nil }
        guard description.redirect != nil else { return content }
        guard let next = try? RouterFileDescription(parsing: String(decoding: content, as: UTF8.self)), next.redirect == nil else { return nil }
        return cloud.content(next)
    }

    /// As the real service does it: a file that is there already stays, unless it is an empty one, which reserves the name.
    private func write(_ content: Bytes, to target: LocalFile) -> Bool {
        if let size = try? FileManager.default.attributesOfItem(atPath: target.path)[.size] as? Int {
            guard size == 0 else { return false }
            try? FileManager.default.removeItem(atPath: target.path)
        }
        return (try? target.write(content)) != nil
    }

    /// The progress half way, in bytes of the content.
    private func progress(_ id: FileTransferID, _ work: Work) -> FileTransferEvent {
        switch work {
        case .upload(let content, _, _):
            return .uploadProgress(id, sent: Int64(content.count / 2), total: Int64(content.count))
        case .download(let description, _):
            let size = content(description)?.count ?? 0
            return .downloadProgress(id, received: Int64(size / 2), total: Int64(size))
        }
    }

    private func failed(_ id: FileTransferID, _ work: Work, _ error: FileTransferError) -> FileTransferEvent {
        if case .upload = work { .uploadFailed(id, error) } else { .downloadFailed(id, error) }
    }

    private func end(_ id: FileTransferID, _ outcome: FileTransferEvent) async {
        state.withLock { $0.transfers[id]?.outcome = outcome }
        await announce(id)
    }

    private func announce(_ id: FileTransferID) async {
        let (outcome, times) = state.withLock { ($0.transfers[id]?.outcome, $0.repeats) }
        guard let outcome else { return }
        for _ in 0..<times { await send(id, outcome) }
        state.withLock { $0.transfers[id]?.task = nil }
    }

    private func send(_ id: FileTransferID, _ event: FileTransferEvent) async {
        // The relay of a core that is gone hears nothing.
        guard !Task.isCancelled, let relay = state.withLock({ $0.isStarted ? $0.relay : nil }) else { return }
        await relay.receive(event)
    }
}
