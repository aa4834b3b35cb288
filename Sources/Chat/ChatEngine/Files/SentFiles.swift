import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import Foundation
import Logging
import SMPWire
import Synchronization
import XFTPAgent
import XFTPProtocol

// Sent files. The message with the invitation goes out at once; the description follows when the upload is complete.

/// A file that a message is sent with.
struct OutgoingFile: Sendable {
    var source: CryptoFile
    /// Bytes of the content.
    var size: Int64

    /// The name without a folder.
    var name: String { source.filePath.unicodeScalars.split(separator: "/").last.map { String($0) } ?? source.filePath }
    var invitation: FileInvitation { FileInvitation(name: name, size: size, fileDescription: .pending) }
}

/// Uploads files, and offers them to their recipients.
struct SentFiles: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Files that are sent.
    var sentFiles: SentFiles { SentFiles(transaction: self) }
}

extension SentFiles {
    /// - Throws: `fileNotFound`, `fileSize`, `commandError` for an invalid key.
    func prepare(_ source: CryptoFile, limit: Int64 = FileLimits.sentFile) throws -> OutgoingFile {
        OutgoingFile(source: source, size: try folders.size(of: source, limit: limit))
    }

    /// Attaches a file to a new item and begins its upload. A file of notes stays on the disk.
    ///
    /// - Returns: The item with the file.
    func attach(_ file: OutgoingFile, to item: ChatItem, sentTo audience: Audience, in conversation: Conversation, of user: User) throws -> ChatItem {
        let isLocal = !conversation.hasRecipients
        var record = FileRecord(
            id: 0, user: user.userID, item: item.meta.itemID, isSent: true, name: file.name, size: file.size, fileProtocol: isLocal ? .local : .xftp,
            status: .sendStored, path: file.source.filePath, key: file.source.cryptoArguments, createdAt: now)
        if !isLocal { record.transfer = transaction.fileTransfers.newID() }
        let id = try db.files.insert(record)
        switch audience {
        case .nobody: break
        case .contact(let connection): try db.files.addRecipient(connection.id, member: nil, ofFile: id)
        case .members(let members):
            // Also those to whom nothing can be sent now: that may be over when the description is there.
            for member in members {
                guard let connection = member.activeConnection, !connection.isDisabled else { continue }
                try db.files.addRecipient(connection.connectionID, member: member.groupMemberID, ofFile: id)
            }
        }
        if !isLocal { try enqueue(.file(.upload(file: id, recipients: FileLimits.descriptions(for: audience.count))), user: user) }
        return try transaction.conversations.item(item.meta.itemID, in: conversation).item
    }

    // MARK: Progress

    /// Records the progress of an upload.
    func receiveProgress(_ transfer: FileTransferID, sent: Int64, total: Int64) throws {
        guard let file = try db.files.find(transfer: transfer), !file.isCancelled, file.senderDescription == nil else { return }
        // Chunks are transferred side by side, and so are their events.
        if case .sendTransfer(let known, total) = file.status, known > sent { return }
        try db.files.update(file.id, status: .sendTransfer(sent: sent, total: total))
        let user = try transaction.anyUser(file.user)
        emit(
            .sndFileProgressXFTP(
                user: user, chatItem: try transaction.fileTransfers.itemInChat(of: file, user: user), meta: file.sendTransfer, sentSize: sent, totalSize: total)
        )
    }

    /// Sends the descriptions of an uploaded file to its recipients, or makes links of them.
    ///
    /// - Returns: Whether the routers are to keep the file. The service forgets the transfer in any case.
    func receiveUpload(
        _ transfer: FileTransferID, sender: RouterFileDescription, recipients: [RouterFileDescription]
    ) throws -> Bool {
        guard var file = try db.files.find(transfer: transfer) else { return try db.files.keepsUploaded(transfer) }
        guard !file.isCancelled else { return false }
        // Announced again after a crash.
        guard file.senderDescription == nil else { return true }
        // The last chunk completes the upload.
        if file.status != .sendTransfer(sent: sender.size, total: sender.size) {
            try receiveProgress(transfer, sent: sender.size, total: sender.size)
            file = try db.files.find(file.id) ?? file
        }
        let user = try transaction.anyUser(file.user)
        guard let description = recipients.first else { throw Refusal.chat(.internalError(message: "an upload without descriptions")) }
        let shown = try transaction.fileTransfers.itemInChat(of: file, user: user)
        let contact: FileRecipient?
        do {
            contact = try shown.flatMap { try self.contact(in: $0) }
        } catch let refusal as Refusal {
            try fail(file, .unexpected(message: "the contact cannot be written to"), "\(refusal.error)", of: user)
            return false
        }
        file.senderDescription = sender.text
        try db.files.update(file.id, senderDescription: sender.text)
        guard let shown else {
            try finishStandalone(file, recipients, of: user)
            return true
        }
        // Recipients do not acknowledge downloads, so that later members of a group can use the same description.
        try db.files.update(file.id, description: .init(text: description.text, part: 1, isComplete: true))
        guard let sharedID = shown.chatItem.meta.sharedMessageID, shown.chatItem.meta.deleted == nil else { return true }
        emit(.sndFileProgressXFTP(user: user, chatItem: shown, meta: file.sendTransfer, sentSize: 1, totalSize: 1))
        if let contact {
            // The file counts as sent once the router has its description.
            try send(description, ofFileIn: sharedID, to: contact, completing: file.id)
        } else {
            if case .group(let group, _) = shown.chatInfo { try send(recipients, ofFileIn: sharedID, recipientsOf: file.id, in: group) }
            try complete(file, of: user)
        }
        return true
    }

    /// The contact that a file was sent to, over the connection that it has now; nil in a group.
    ///
    /// - Throws: `contactNotReady`, `contactNotActive`, `contactDisabled`.
    private func contact(in shown: ItemInChat) throws -> FileRecipient? {
        guard case .direct(let contact) = shown.chatInfo else { return nil }
        guard let connection = try db.connections.find(try transaction.outbox.sendingConnection(contact).connectionID) else {
            throw Refusal.chat(.contactNotReady(contact: contact))
        }
        return FileRecipient(connection: connection, member: nil, name: contact.localDisplayName, state: .new)
    }

    private func send(
        _ description: RouterFileDescription, ofFileIn message: SharedMessageID, to recipient: FileRecipient, completing file: FileID
    ) throws {
        var encoder = OutgoingBodyEncoder(try parts(of: description, ofFileIn: message))
        let bodies = try encoder.bodies(for: recipient.connection.connection, store: db.deliveries.insertBody)
        for (index, body) in bodies.enumerated() {
            let delivery = try db.deliveries.insert(to: DeliveryTarget(recipient.connection.connection), body: body.stored, notifies: false, at: now)
            if index == bodies.count - 1 { try db.files.linkDelivery(delivery.id, file: file) }
            transaction.effects.deliveries.append(delivery)
        }
    }

    /// Sends a description to each member to whom a file was sent, by the way of all messages: it must not overtake its message where that waits.
    private func send(
        _ descriptions: [RouterFileDescription], ofFileIn message: SharedMessageID, recipientsOf file: FileID, in group: GroupInfo
    ) throws {
        for (recipient, description) in zip(try db.files.recipients(ofFile: file), descriptions) {
            guard let member = try recipient.member.flatMap({ try db.members.find($0) }), member.status.isCurrent || member.status.isPending else { continue }
            try transaction.outbox.send(try parts(of: description, ofFileIn: message), to: [member], in: group)
        }
    }

    private func parts(of description: RouterFileDescription, ofFileIn message: SharedMessageID) throws -> [OutgoingMessage] {
        try FileDescriptionPart.parts(of: description.text).map { try OutgoingMessage(.fileDescription(messageID: message, $0), id: newSharedMessageID()) }
    }

    /// Records that the recipients of a file can fetch it.
    func complete(_ file: FileRecord, of user: User) throws {
        guard !file.state.isFinal else { return }
        try db.files.update(file.id, state: .complete, status: .sendComplete)
        try db.files.updateRecipients(ofFile: file.id, state: .complete)
        guard let current = try db.files.find(file.id), let shown = try transaction.fileTransfers.itemInChat(of: current, user: user) else { return }
        emit(.sndFileCompleteXFTP(user: user, chatItem: shown, meta: current.sendTransfer))
    }

    /// Records that a router has the end of a file's description.
    func receiveSent(descriptionDelivery id: Int64, of user: User) throws {
        guard let file = try db.files.find(ofDelivery: id).flatMap({ try db.files.find($0) }) else { return }
        try complete(file, of: user)
    }

    /// Makes links of an upload without a message. A link has room for one chunk: of a larger file the description is uploaded, and the links lead
    /// to that.
    private func finishStandalone(_ file: FileRecord, _ recipients: [RouterFileDescription], of user: User) throws {
        let short = recipients.filter { $0.chunks.count == 1 }
        if !short.isEmpty {
            try db.files.update(file.id, state: .complete, status: .sendComplete)
            let shown = try file.redirectFor.flatMap { try db.files.find($0) } ?? db.files.find(file.id) ?? file
            emit(
                .sndStandaloneFileComplete(
                    user: user, meta: shown.sendTransfer, links: short.map { FileDescriptionLink(description: $0).wireString }))
            return
        }
        guard file.redirectFor == nil, let description = recipients.first else {
            return try fail(file, .unexpected(message: "chaining redirects"), "Prohibit chaining redirects", of: user)
        }
        try db.files.update(file.id, state: .complete, status: .sendComplete)
        let redirect = FileRecord(
            id: 0, user: user.userID, isSent: true, name: "redirect.yaml", size: Int64(description.text.utf8.count), fileProtocol: .xftp,
            status: .sendStored, transfer: transaction.fileTransfers.newID(),
            description: .init(text: description.text, part: 1, isComplete: true), redirectFor: file.id, createdAt: now)
        let id = try db.files.insert(redirect)
        try enqueue(.file(.uploadDescription(file: id)), user: user)
        guard let stored = try db.files.find(id) else { return }
        var meta = file
        meta.senderDescription = nil
        emit(.sndFileRedirectStartXFTP(user: user, meta: meta.sendTransfer, redirectMeta: stored.sendTransfer))
    }

    func receiveFailure(_ transfer: FileTransferID, _ error: FileTransferError) throws {
        guard let file = try db.files.find(transfer: transfer), !file.isCancelled, file.senderDescription == nil else { return }
        try fail(file, error.fileError, error.description, of: try transaction.anyUser(file.user))
    }

    func receiveWarning(_ transfer: FileTransferID, _ error: FileTransferError) throws {
        guard let file = try db.files.find(transfer: transfer), !file.isCancelled, file.senderDescription == nil else { return }
        let user = try transaction.anyUser(file.user)
        try db.files.update(file.id, status: .sendWarning(error: error.fileError))
        emit(
            .sndFileWarning(
                user: user, chatItem: try transaction.fileTransfers.itemInChat(of: file, user: user), meta: file.sendTransfer, message: error.description))
    }

    private func fail(_ file: FileRecord, _ error: FileError, _ message: String, of user: User) throws {
        try db.files.update(file.id, state: .cancelled, status: .sendError(error: error))
        let current = try db.files.find(file.id) ?? file
        emit(
            .sndFileError(
                user: user, chatItem: try transaction.fileTransfers.itemInChat(of: current, user: user), meta: current.sendTransfer, message: message))
    }

    /// Stops an upload and deletes what routers have of the file, and of the description that its links lead to.
    func cancel(_ file: FileRecord, of user: User) throws {
        if file.item == nil, let redirect = try db.files.redirect(to: file.id), !redirect.isCancelled { try cancel(redirect, of: user) }
        try db.files.update(file.id, state: .cancelled, status: .sendCancelled)
        try db.files.updateRecipients(ofFile: file.id, state: .cancelled)
        if file.senderDescription != nil {
            try enqueue(.file(.deleteUploaded(file: file.id)), user: user)
        } else {
            try db.files.insertRemovedFile(path: nil, transfer: file.transfer, isUnfinishedUpload: true)
            transaction.effects.removesFiles = true
        }
    }
}

extension Audience {
    /// The number of receivers.
    var count: Int {
        switch self {
        case .nobody: 0
        case .contact: 1
        case .members(let members): members.count
        }
    }
}

extension ItemFileStatus {
    /// True if the transfer is over.
    var isFinal: Bool {
        switch self {
        case .sendComplete, .sendCancelled, .sendError, .receiveComplete, .receiveCancelled, .receiveError, .invalid: true
        default: false
        }
    }
}

extension SentFiles {
    /// Begins an upload without a message.
    func upload(_ source: CryptoFile, user id: UserID) throws -> ChatResponse {
        let user = try transaction.user(id)
        let full = try folders.fullPath(source.filePath)
        guard FileFolders.isRegularFile(full) else { throw Refusal.chat(.exception(message: "\(full): does not exist (No such file or directory)")) }
        let file = try prepare(source, limit: FileLimits.uploadedFile)
        let record = FileRecord(
            id: 0, user: user.userID, isSent: true, name: file.name, size: file.size, fileProtocol: .xftp, status: .sendStored, path: source.filePath,
            key: source.cryptoArguments, transfer: transaction.fileTransfers.newID(), createdAt: now)
        let stored = try db.files.insert(record)
        try enqueue(.file(.upload(file: stored, recipients: FileLimits.descriptions(for: 1))), user: user)
        guard let shown = try db.files.find(stored) else { throw Refusal.store(.fileNotFound(fileID: stored)) }
        return .sndStandaloneFileCreated(user: user, meta: shown.sendTransfer)
    }
}
