import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import Foundation
import Logging
import SMPWire
import XFTPAgent
import XFTPProtocol

// Commands about files.

/// Commands about files.
struct FileCommands: CommandFeature {
    let runner: CommandRunner
}

extension CommandRunner {
    /// Commands about files.
    var fileCommands: FileCommands { FileCommands(runner: self) }
}

extension FileCommands {
    func run(_ command: FileCommand) async throws(ChatCoreError) -> ChatResponse {
        switch command {
        case .receive(let id, let approves, let encrypts, let inline, let path):
            return try await receive(id, approvesRelays: approves, encrypts: encrypts, inline: inline, path: path)
        case .setToReceive(let id, let approves, let encrypts):
            let key = newKey(encrypts)
            return try await answer { transaction in
                _ = try transaction.receivedFiles.receivedFile(id)
                try transaction.db.files.markToReceive(id, key: key, approvesRelays: approves)
                return .cmdOk(user: nil)
            }
        case .cancel(let id): return try await answer { try $0.fileTransfers.cancel(id) }
        case .status(let id): return try await query { try $0.fileTransfers.status(id) }
        case .upload(let user, let file): return try await answer { try $0.sentFiles.upload(file, user: user) }
        case .download(let user, let link, let file, let approves): return try await download(link, to: file, approvesRelays: approves, user: user)
        case .linkInfo(let link):
            let link = try fileLink(link)
            return .standaloneFileInfo(fileMeta: link.clientData.flatMap { try? JSONValue(parsing: $0) })
        }
    }

    /// The key with which a file is encrypted on the disk; nil for none.
    ///
    /// - Parameter encrypts: nil as it is set for all files.
    private func newKey(_ encrypts: Bool?) -> CryptoFileArguments? {
        encrypts ?? core.folders.encryptsFiles ? CryptoFileArguments(.random(core.random)) : nil
    }

    private func fileLink(_ text: String) throws(ChatCoreError) -> FileDescriptionLink {
        do {
            let link = try FileDescriptionLink(wireString: text)
            guard link.description.party == .recipient else { throw WireError(.invalidValue, "the description is the sender's") }
            return link
        } catch {
            throw ChatCoreError(Refusal.command("not the link of a file: \(error)").error)
        }
    }

    private func receive(
        _ id: FileID, approvesRelays: Bool, encrypts: Bool?, inline: Bool? = nil, path wanted: String?, announces: Bool = false
    ) async throws(ChatCoreError) -> ChatResponse {
        let key = newKey(encrypts)
        let reservation = NameReservation(in: core.folders)
        let outcome: Result<ChatResponse, Refusal>
        do throws(ChatCoreError) {
            outcome = try await transaction { transaction in
                reservation.begin()
                return try transaction.receivedFiles.accept(id, key: key, approvesRelays: approvesRelays, inline: inline, announces: announces) {
                    name throws(Refusal) in try reservation.reserve(name, at: wanted)
                }
            }
        } catch {
            await reservation.withdraw(unlessStoredBy: core.transactions, logger: core.logger)
            throw error
        }
        switch outcome {
        case .success(let response): return response
        // Names that are reserved then are stored for removal.
        case .failure(let refusal): throw ChatCoreError(refusal.error)
        }
    }

    private func download(
        _ text: String, to target: CryptoFile, approvesRelays: Bool, user id: UserID
    ) async throws(ChatCoreError) -> ChatResponse {
        let link = try fileLink(text)
        do throws(Refusal) {
            let local = try core.folders.localFile(target)
            guard !FileManager.default.fileExists(atPath: local.path) else { throw Refusal.chat(.fileAlreadyExists(filePath: target.filePath)) }
        } catch {
            throw ChatCoreError(error.error)
        }
        return try await answer { try $0.receivedFiles.download(link, to: target, approvesRelays: approvesRelays, user: id) }
    }

    /// Begins with files that were marked to be received while the core was not running.
    func receiveMarkedFiles() async throws(ChatCoreError) {
        let since = core.clock.steady.adding(seconds: -FileLimits.markedPeriod)
        for file in try await query({ try $0.db.files.filesToReceive(since: since) }) {
            do throws(ChatCoreError) {
                _ = try await CommandRunner(core: core, actor: file.user).fileCommands.receive(
                    file.id, approvesRelays: file.approvesRelays, encrypts: file.key != nil, path: nil, announces: true)
            } catch {
                core.hub.publish(.chatError(error: error.chatError ?? .store(error: .internalError(message: error.message))))
            }
        }
    }

    // MARK: Forwarding

    /// Forwards messages. Their files are copied, so that they stay when the originals are deleted.
    func forward(
        _ ids: [ChatItemID], from source: ChatReference, to target: ChatReference, asGroup: Bool = false, ttl: Int?
    ) async throws(ChatCoreError) -> ChatResponse {
        if let key = runner.key, let known = try await query({ try $0.onceCommands.response(to: key) }) { return known }
        var messages: [Composition] = []
        var copies: [String] = []
        defer {
            for path in copies { core.folders.release(path) }
            // Copies that no message has now are removed.
            if !copies.isEmpty { core.transactions.dispatch(Effects(removesFiles: true)) }
        }
        for message in try await transaction({ try $0.forwardedMessages.messages(ids, from: source, to: target) }) {
            var composition = message.composition
            if let file = message.file, let original = file.fileSource {
                composition.message.fileSource = try await copy(original, named: file.fileName, of: composition.message.content, &copies)
            }
            messages.append(composition)
        }
        return try await answer { [messages, copies] transaction in
            for path in copies { try transaction.db.files.keep(at: path) }
            return try transaction.forwardedMessages.forward(messages, to: target, asGroup: asGroup, ttl: ttl)
        }
    }

    /// A copy of a file in the folder for files; the file itself if there is no such folder.
    ///
    /// - Parameter copies: The copies that are made for the command, to which this one is added. They are to be removed unless a message has them.
    private func copy(
        _ source: CryptoFile, named name: String, of content: MessageContent, _ copies: inout [String]
    ) async throws(ChatCoreError) -> CryptoFile {
        guard core.folders.files != nil else { return source }
        let time = core.clock.time.now, reservation = NameReservation(in: core.folders, isHeld: true), path: String
        do throws(ChatCoreError) {
            path = try await transaction { transaction in
                reservation.begin()
                let path = try reservation.reserve(FileNames.forwarded(name, content, at: time))
                try transaction.db.files.insertRemovedFile(path: path, transfer: nil, isUnfinishedUpload: false)
                return path
            }
        } catch {
            await reservation.withdraw(unlessStoredBy: core.transactions, logger: core.logger)
            throw error
        }
        copies.append(path)
        let copy = CryptoFile(filePath: path, cryptoArguments: newKey(nil))
        do {
            try await core.folders.localFile(source).copy(to: try core.folders.localFile(copy))
        } catch {
            throw ChatCoreError(Refusal.chat(.internalError(message: "the file cannot be copied: \(error)")).error)
        }
        return copy
    }
}
