import AsyncPrimitives
import ChatAPI
import ChatRules
import ChatStore
import GRDB
import Logging
import SMPProtocol
import SMPWire
import XFTPAgent
import XFTPProtocol

/// Begins the transfers that transactions have written down, and records what becomes of them.
///
/// The store knows the id of a transfer before the service does, and the service announces an outcome again until it may forget the transfer: a crash
/// between the two repeats a step and loses none.
final class FileTransferController: Sendable {
    private let transactions: TransactionRunner
    let service: any FileService
    private let locks: KeyedLock<String>
    private let logger: Logger

    init(transactions: TransactionRunner, service: any FileService, locks: KeyedLock<String>, logger: Logger) {
        self.transactions = transactions
        self.service = service
        self.locks = locks
        self.logger = logger
    }

    func start() async throws(ChatCoreError) {
        do throws(FileTransferError) {
            try await service.start()
        } catch {
            // Messages are more than files: they continue without.
            logger.error("files cannot be transferred", metadata: ["error": "\(error.code.rawValue)"])
        }
    }

    func stop() async { await service.stop() }

    /// Tries whether files can be exchanged over a router.
    func test(_ server: XFTPServerWithAuth, of user: UserID) async throws(FileServerTestFailure) { try await service.test(server, of: user.rawValue) }

    // MARK: Jobs

    func upload(_ id: FileID, recipients: Int) async throws {
        try await begin(id) { [service, transactions] file, transfer throws(FileTransferError) in
            guard let source = file.source else { throw FileTransferError(.file, "the file has no path") }
            let local: LocalFile
            do throws(Refusal) {
                local = try transactions.folders.localFile(source)
            } catch {
                throw FileTransferError(.file, "\(error.error)")
            }
            try await service.upload(transfer, of: file.user.rawValue, local, name: file.name, recipients: recipients)
        }
    }

    func uploadDescription(_ id: FileID) async throws {
        try await begin(id) { [service] file, transfer throws(FileTransferError) in
            try await service.upload(transfer, of: file.user.rawValue, try file.routerDescription)
        }
    }

    func download(_ id: FileID) async throws {
        try await begin(id) { [service, transactions] file, transfer throws(FileTransferError) in
            guard let source = file.source else { throw FileTransferError(.file, "the file has no path") }
            let target: LocalFile
            do throws(Refusal) {
                target = try transactions.folders.localFile(source)
            } catch {
                throw FileTransferError(.file, "\(error.error)")
            }
            // Unknown routers were checked when the file was accepted; those of a redirected description are known only now.
            try await service.download(transfer, of: file.user.rawValue, try file.routerDescription, to: target, approvesServers: file.approvesRelays)
        }
    }

    func deleteUploaded(_ id: FileID) async throws {
        guard let file = try await transactions.query({ try $0.db.files.find(id) }), let text = file.senderDescription else { return }
        do throws(FileTransferError) {
            guard let description = try? RouterFileDescription(parsing: text) else { return }
            try await service.deleteRemote(user: file.user.rawValue, description)
        } catch {
            throw error.temporary
        }
    }

    /// Reserves a path for a file that has come in messages, and goes on there.
    func reserve(_ id: FileID) async throws {
        let reservation = NameReservation(in: transactions.folders)
        do throws(ChatCoreError) {
            try await record { transaction in
                reservation.begin()
                try transaction.inlineFiles.reserveInline(id) { name throws(Refusal) in try reservation.reserve(name) }
            }
        } catch {
            await reservation.withdraw(unlessStoredBy: transactions, logger: logger)
            throw error
        }
    }

    /// Writes a file that has come in messages at its path, unless it is not wanted any more.
    func keep(_ transfer: FileTransferID, at path: String) async throws {
        let full = try transactions.folders.fullPath(path)
        try await locks.withLock(Self.lock(of: transfer)) { [self] in
            if let received = try await transactions.query({ try $0.inlineFiles.wholeInlineFile(transfer) }) {
                do {
                    try await LocalFile(full, key: try received.file.key?.localKey).keep(received.content, of: transfer)
                    try await record { try $0.inlineFiles.receiveInlineFile(transfer) }
                } catch let error as FileFormatError {
                    try await record { try $0.receivedFiles.receiveFailure(transfer, FileTransferError(.file, error.message)) }
                }
            }
            do throws(FileFormatError) { try LocalFile(full).removePart(of: transfer) } catch {
                throw FileTransferError(.file, error.message).temporary
            }
        }
    }

    /// Begins the transfer of a file unless it was begun before or is not wanted any more.
    private func begin(
        _ id: FileID, _ body: @escaping @Sendable (FileRecord, FileTransferID) async throws(FileTransferError) -> Void
    ) async throws {
        guard let transfer = try await transactions.query({ try $0.db.files.find(id)?.transfer }) else { return }
        try await locks.withLock(Self.lock(of: transfer)) { [self] in
            guard let file = try await transactions.query({ try $0.db.files.find(id) }), file.transfer == transfer, !file.isStarted, !file.state.isFinal else {
                return
            }
            do throws(FileTransferError) {
                try await body(file, transfer)
                later("begun") { try $0.files.markStarted(transfer) }
            } catch {
                if error.code == .storage { throw error.temporary }
                await receive(file.isSent ? .uploadFailed(transfer, error) : .downloadFailed(transfer, error))
            }
        }
    }

    /// The key under which steps of a transfer wait for each other.
    static func lock(of transfer: FileTransferID) -> String { "transfer " + Base64URL.encode(transfer.bytes) }

    // MARK: Events

    /// Records an event of the service.
    func receive(_ event: FileTransferEvent) async {
        let id = event.id
        do throws(ChatCoreError) {
            switch event {
            // Nothing is there yet.
            case .uploadProgress(_, 0, _), .downloadProgress(_, 0, _): return
            case .uploadProgress(_, let sent, let total):
                try await record { try $0.sentFiles.receiveProgress(id, sent: sent, total: total) }
            case .uploadWarning(_, let error): try await record { try $0.sentFiles.receiveWarning(id, error) }
            case .downloadProgress(_, let received, let total):
                try await record { try $0.receivedFiles.receiveProgress(id, received: received, total: total) }
            case .downloadWarning(_, let error): try await record { try $0.receivedFiles.receiveWarning(id, error) }
            case .uploadComplete(_, let sender, let recipients):
                let isKept = try await record { try $0.sentFiles.receiveUpload(id, sender: sender, recipients: recipients) }
                forget(id, deletesRemotely: !isKept)
            case .uploadFailed(_, let error):
                try await record { try $0.sentFiles.receiveFailure(id, error) }
                forget(id, deletesRemotely: true)
            case .downloadComplete(_, _, let size):
                try await record { try $0.receivedFiles.receiveDownload(id, size: size) }
                forget(id, deletesRemotely: false)
            case .downloadFailed(_, let error):
                try await record { try $0.receivedFiles.receiveFailure(id, error) }
                forget(id, deletesRemotely: false)
            }
        } catch {
            // The service announces outcomes again at the next start.
            logger.error("an event of a file could not be recorded", metadata: ["error": "\(error.code)"])
        }
    }

    private func record<Value: Sendable>(
        _ body: @escaping @Sendable (ChatTransaction) throws -> Value
    ) async throws(ChatCoreError) -> Value {
        try await transactions.transaction(isPersistent: true, body)
    }

    /// Records something with the next transaction. A crash before that repeats the work, or shows it as not done: that costs less than a
    /// flush of the disk for each.
    private func later(_ what: String, _ body: @escaping @Sendable (Database) throws -> Void) {
        transactions.store.submitLater(body) { [logger] result in
            guard case .failure = result else { return }
            logger.warning("a transfer could not be recorded as \(what)")
        }
    }

    /// Has the service forget a transfer. It announces events from the transfer itself, which it would wait for: this does not.
    private func forget(_ transfer: FileTransferID, deletesRemotely: Bool) {
        Task { [self] in
            do throws(FileTransferError) {
                if deletesRemotely { try await service.delete(transfer) } else { try await service.remove(transfer) }
                later("removed") { try $0.files.markDeleted(transfer) }
            } catch {
                logger.warning("a transfer cannot be removed", metadata: ["error": "\(error.code.rawValue)"])
            }
        }
    }
}

extension FileRecord {
    /// The description of a recipient.
    fileprivate var routerDescription: RouterFileDescription {
        get throws(FileTransferError) {
            guard let description = try? RouterFileDescription(parsing: description?.text ?? "") else {
                throw FileTransferError(.redirect, "the description of the file cannot be read")
            }
            return description
        }
    }
}

extension FileTransferError {
    /// The error of a job that is to be tried again.
    fileprivate var temporary: ChatCoreError { ChatCoreError(.store(error: .internalError(message: description)), isTemporary: true) }
}
