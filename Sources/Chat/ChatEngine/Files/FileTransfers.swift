import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import Foundation
import Logging
import SMPCrypto
import Synchronization
import XFTPProtocol

/// Finds and cancels transfers of files in both directions.
struct FileTransfers: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Transfers of files in both directions.
    var fileTransfers: FileTransfers { FileTransfers(transaction: self) }
}

extension FileTransfers {
    /// A new id of a transfer.
    func newID() -> FileTransferID { FileTransferID(random.bytes(16)) }

    // MARK: Cancelling

    /// Cancels the transfer of a file at the command of its profile.
    func cancel(_ id: FileID) throws -> ChatResponse {
        let user = try transaction.user()
        guard let file = try db.files.find(id), file.user == user.userID else { throw Refusal.store(.fileNotFound(fileID: id)) }
        guard file.fileProtocol != .local else { throw Refusal.store(.localFileNoTransfer(fileID: id)) }
        if case .refuse(let error) = CancelDecision(file) { throw Refusal.chat(error) }
        guard file.isSent else { return try transaction.receivedFiles.cancel(file, of: user) }
        let recipients = try db.files.recipients(ofFile: id)
        try transaction.sentFiles.cancel(file, of: user)
        let shown = try itemInChat(of: file, user: user)
        if let shown, let message = shown.chatItem.meta.sharedMessageID,
            let stored = try file.item.flatMap({ try db.items.find($0, user: user.userID, at: now) })
        {
            let conversation = try transaction.conversations.conversation(of: stored, user: user)
            let event = try OutgoingMessage(.cancelFile(messageID: message), id: newSharedMessageID())
            do {
                try transaction.outbox.send([event], to: try transaction.outbox.audience(of: conversation), in: conversation, of: user)
            } catch is Refusal {
                // The file is cancelled although its recipients cannot be notified.
            }
        }
        return .sndFileCancelled(
            user: user, chatItem: shown, meta: file.sendTransfer, transfers: recipients.map { file.sendTransfer(to: $0) })
    }

    /// Cancels the transfers of items that are marked as deleted and stay.
    func cancelAll(of items: [StoredItem]) throws {
        for stored in items {
            guard let shown = stored.item.file, let file = try db.files.find(shown.fileID) else { continue }
            try cancelTransfer(of: file)
        }
    }

    /// Cancels the transfers of a chat that nobody is connected to any more; its items stay.
    func cancelAll(in chat: ItemOwner) throws {
        for file in try db.files.unfinishedFiles(of: chat) { try cancelTransfer(of: file) }
    }

    /// Cancels a transfer, in either direction, unless it is over. No event reports this.
    private func cancelTransfer(of file: FileRecord) throws {
        guard !file.status.isFinal, !file.isCancelled, file.fileProtocol != .local else { return }
        if file.isSent { try transaction.sentFiles.cancel(file, of: try transaction.anyUser(file.user)) } else { try transaction.receivedFiles.abandon(file) }
    }

    // MARK: Items

    /// True if a file's content is at a path, or will be.
    func needsFile(at path: String) throws -> Bool {
        // The same file may be known by its full path.
        let full = FileFolders.isAbsolute(path) ? nil : folders.files.map { $0 + "/" + path }
        return try db.files.hasFile(at: [path] + [full].compactMap { $0 })
    }

    /// The item of a file with its chat; nil for a file without a message.
    func itemInChat(of file: FileRecord, user: User) throws -> ItemInChat? {
        guard let item = file.item, let stored = try db.items.find(item, user: user.userID, at: now) else { return nil }
        return try transaction.conversations.conversation(of: stored, user: user).containing(stored.item)
    }

    /// The progress of the transfer of a file.
    func status(_ id: FileID) throws -> ChatResponse {
        let user = try transaction.user()
        guard let file = try db.files.find(id), file.user == user.userID else { throw Refusal.store(.fileNotFound(fileID: id)) }
        guard file.fileProtocol != .local else { throw Refusal.command("not supported for local files") }
        if let shown = try itemInChat(of: file, user: user), file.fileProtocol == .xftp {
            return .fileTransferStatusXFTP(user: user, chatItem: shown)
        }
        let transfer: JSONValue =
            file.isSent
            ? [
                "type": "snd", "fileTransferMeta": file.sendTransfer,
                "sndFileTransfers": .array(try db.files.recipients(ofFile: id).map { file.sendTransfer(to: $0) }),
            ] : ["type": "rcv", "rcvFileTransfer": try transaction.receivedFiles.receiveTransfer(file).json]
        return .fileTransferStatus(user: user, status: FileTransferState(json: [transfer, [.int(try db.inlineChunks.chunks(ofFile: id))]]))
    }
}
