import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPCrypto
import SMPWire
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

extension ChatTransaction {
    /// A new id of a transfer.
    func newTransferID() -> FileTransferID { FileTransferID(random.bytes(16)) }

    /// - Throws: `fileNotFound`, `fileSize`, `commandError` for a key that is none.
    func outgoingFile(_ source: CryptoFile, limit: Int64 = FileLimits.sentFile) throws -> OutgoingFile {
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
        if !isLocal { record.transfer = newTransferID() }
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
        if !isLocal { try enqueue(.upload(file: id, recipients: FileLimits.descriptions(for: audience.count)), user: user) }
        return try self.item(item.meta.itemID, in: conversation).item
    }

    // MARK: Progress

    /// Records the progress of an upload.
    func receiveUploadProgress(_ transfer: FileTransferID, sent: Int64, total: Int64) throws {
        guard let file = try db.files.find(transfer: transfer), !file.isCancelled, file.senderDescription == nil else { return }
        // Chunks are transferred side by side, and so are their events.
        if case .sendTransfer(let known, total) = file.status, known > sent { return }
        try db.files.update(file.id, status: .sendTransfer(sent: sent, total: total))
        let user = try anyUser(file.user)
        emit(
            .sndFileProgressXFTP(
                user: user, chatItem: try itemInChat(of: file, user: user), meta: file.sendTransfer, sentSize: sent, totalSize: total))
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
            try receiveUploadProgress(transfer, sent: sender.size, total: sender.size)
            file = try db.files.find(file.id) ?? file
        }
        let user = try anyUser(file.user)
        guard let description = recipients.first else { throw Refusal.chat(.internalError(message: "an upload without descriptions")) }
        let shown = try itemInChat(of: file, user: user)
        let contact: FileRecipient?
        do {
            contact = try shown.flatMap { try self.contact(in: $0) }
        } catch let refusal as Refusal {
            try failUpload(file, .unexpected(message: "the contact cannot be written to"), "\(refusal.error)", of: user)
            return false
        }
        file.senderDescription = sender.text
        try db.files.update(file.id, senderDescription: sender.text)
        guard let shown else {
            try finishStandalone(file, recipients, of: user)
            return true
        }
        // Recipients do not acknowledge downloads, so that who joins a group later can use the same description.
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
        guard let connection = try db.connections.find(try sendingConnection(contact).connectionID) else {
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
            effects.deliveries.append(delivery)
        }
    }

    /// Sends a description to each member to whom a file was sent, by the way of all messages: it must not overtake its message where that waits.
    private func send(
        _ descriptions: [RouterFileDescription], ofFileIn message: SharedMessageID, recipientsOf file: FileID, in group: GroupInfo
    ) throws {
        for (recipient, description) in zip(try db.files.recipients(ofFile: file), descriptions) {
            guard let member = try recipient.member.flatMap({ try db.members.find($0) }), member.status.isCurrent || member.status.isPending else { continue }
            try send(try parts(of: description, ofFileIn: message), to: [member], in: group)
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
        guard let current = try db.files.find(file.id), let shown = try itemInChat(of: current, user: user) else { return }
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
            return try failUpload(file, .unexpected(message: "chaining redirects"), "Prohibit chaining redirects", of: user)
        }
        try db.files.update(file.id, state: .complete, status: .sendComplete)
        let redirect = FileRecord(
            id: 0, user: user.userID, isSent: true, name: "redirect.yaml", size: Int64(description.text.utf8.count), fileProtocol: .xftp,
            status: .sendStored, transfer: newTransferID(),
            description: .init(text: description.text, part: 1, isComplete: true), redirectFor: file.id, createdAt: now)
        let id = try db.files.insert(redirect)
        try enqueue(.uploadDescription(file: id), user: user)
        guard let stored = try db.files.find(id) else { return }
        var meta = file
        meta.senderDescription = nil
        emit(.sndFileRedirectStartXFTP(user: user, meta: meta.sendTransfer, redirectMeta: stored.sendTransfer))
    }

    func receiveUploadFailure(_ transfer: FileTransferID, _ error: FileTransferError) throws {
        guard let file = try db.files.find(transfer: transfer), !file.isCancelled, file.senderDescription == nil else { return }
        try failUpload(file, error.fileError, error.description, of: try anyUser(file.user))
    }

    func receiveUploadWarning(_ transfer: FileTransferID, _ error: FileTransferError) throws {
        guard let file = try db.files.find(transfer: transfer), !file.isCancelled, file.senderDescription == nil else { return }
        let user = try anyUser(file.user)
        try db.files.update(file.id, status: .sendWarning(error: error.fileError))
        emit(
            .sndFileWarning(
                user: user, chatItem: try itemInChat(of: file, user: user), meta: file.sendTransfer, message: error.description))
    }

    private func failUpload(_ file: FileRecord, _ error: FileError, _ message: String, of user: User) throws {
        try db.files.update(file.id, state: .cancelled, status: .sendError(error: error))
        let current = try db.files.find(file.id) ?? file
        emit(
            .sndFileError(
                user: user, chatItem: try itemInChat(of: current, user: user), meta: current.sendTransfer, message: message))
    }

    // MARK: Cancelling

    /// Cancels the transfer of a file at the command of its profile.
    func cancelFile(_ id: FileID) throws -> ChatResponse {
        let user = try user()
        guard let file = try db.files.find(id), file.user == user.userID else { throw Refusal.store(.fileNotFound(fileID: id)) }
        guard file.fileProtocol != .local else { throw Refusal.store(.localFileNoTransfer(fileID: id)) }
        if case .refuse(let error) = CancelDecision(file) { throw Refusal.chat(error) }
        guard file.isSent else { return try cancelDownload(file, of: user) }
        let recipients = try db.files.recipients(ofFile: id)
        try cancelUpload(file, of: user)
        let shown = try itemInChat(of: file, user: user)
        if let shown, let message = shown.chatItem.meta.sharedMessageID,
            let stored = try file.item.flatMap({ try db.items.find($0, user: user.userID, at: now) })
        {
            let conversation = try conversation(of: stored, user: user)
            let event = try OutgoingMessage(.cancelFile(messageID: message), id: newSharedMessageID())
            do {
                try send([event], to: try audience(of: conversation), in: conversation, of: user)
            } catch is Refusal {
                // The file is cancelled although those whom it was sent to cannot be told.
            }
        }
        return .sndFileCancelled(
            user: user, chatItem: shown, meta: file.sendTransfer, transfers: recipients.map { file.sendTransfer(to: $0) })
    }

    /// Stops an upload and deletes what routers have of the file, and of the description that its links lead to.
    func cancelUpload(_ file: FileRecord, of user: User) throws {
        if file.item == nil, let redirect = try db.files.redirect(to: file.id), !redirect.isCancelled { try cancelUpload(redirect, of: user) }
        try db.files.update(file.id, state: .cancelled, status: .sendCancelled)
        try db.files.updateRecipients(ofFile: file.id, state: .cancelled)
        if file.senderDescription != nil {
            try enqueue(.deleteUploaded(file: file.id), user: user)
        } else {
            try db.files.insertRemovedFile(path: nil, transfer: file.transfer, isUnfinishedUpload: true)
            effects.removesFiles = true
        }
    }

    /// Cancels the transfers of items that are marked as deleted and stay.
    func cancelTransfers(of items: [StoredItem]) throws {
        for stored in items {
            guard let shown = stored.item.file, let file = try db.files.find(shown.fileID) else { continue }
            try cancelTransfer(of: file)
        }
    }

    /// Cancels the transfers of a chat whose items stay, although nobody is connected to it any more.
    func cancelTransfers(in chat: ItemOwner) throws {
        for file in try db.files.unfinishedFiles(of: chat) { try cancelTransfer(of: file) }
    }

    /// Cancels a transfer, in either direction, unless it is over. Nobody is told.
    private func cancelTransfer(of file: FileRecord) throws {
        guard !file.status.isFinal, !file.isCancelled, file.fileProtocol != .local else { return }
        if file.isSent { try cancelUpload(file, of: try anyUser(file.user)) } else { try abandonDownload(file) }
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
        return try conversation(of: stored, user: user).containing(stored.item)
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
