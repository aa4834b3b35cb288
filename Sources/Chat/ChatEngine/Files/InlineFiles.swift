import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPWire
import XFTPAgent
import XFTPProtocol

// Files of old clients, which travel inside messages. Chunks are stored with the message that brings them; when the last one is there, a job writes the
// file.

/// Receives files that come inside messages.
struct InlineFiles: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Files that come inside messages.
    var inlineFiles: InlineFiles { InlineFiles(transaction: self) }
}

extension InlineFiles {
    // MARK: Offers

    /// Fills in how an offered file is received if it travels inside messages. A short voice message is received without being accepted.
    ///
    /// Its path is reserved when all of it is there, so that offers make no files.
    func fill(_ record: inout FileRecord, from offer: FileInvitation, with item: ChatItem) {
        guard offer.inlineMode != nil else { return }
        record.offer = offer
        // A channel does not tell who would send the chunks.
        let isShown = item.meta.deleted == nil && item.direction != .channelReceived
        record.receivedInline = offer.receivedInline(with: item.content.message, isShown: isShown)
        guard record.receivedInline == .sent else { return }
        record.state = .accepted
        record.status = .receiveAccepted
        if folders.encryptsFiles { record.key = CryptoFileArguments(.random(random)) }
    }

    /// Asks the sender of a file for its chunks.
    ///
    /// - Throws: An error of a contact that cannot be written to; `fileInternal` for a member without a connection.
    func askForChunks(of file: FileRecord, user: User) throws {
        guard let stored = try file.item.flatMap({ try db.items.find($0, user: user.userID, at: now) }), let message = stored.item.meta.sharedMessageID else {
            throw Refusal.store(.sharedMessageIDNotFoundByFileID(fileID: file.id))
        }
        // The sender of the file compares the name with that of the offer.
        let event = ChatMessageEvent.acceptFileInvitation(messageID: message, connectionRequest: nil, name: file.offer?.name ?? file.name)
        switch (stored.owner, stored.item.direction) {
        case (.contact(let id), _): try transaction.outbox.send(event, to: try transaction.conversations.contact(id, of: user))
        case (.group(let id), .groupReceived(let author)):
            guard let member = try db.members.find(author.groupMemberID), member.readyConnection != nil else {
                throw Refusal.chat(.fileInternal(message: "member connection not active"))
            }
            try transaction.outbox.sendDirectly([event], to: member, in: try transaction.conversations.group(id, of: user))
        default: throw Refusal.chat(.fileInternal(message: "invalid chat ref for file transfer"))
        }
    }

    // MARK: Chunks

    /// Takes a chunk of a contact's file.
    func receive(_ chunk: FileChunk, ofFileIn message: SharedMessageID, from contact: Contact, of user: User) throws {
        let stored = try db.items.find(contact: contact.contactID, sharedMessageID: message, at: now)
        try receive(chunk, ofFileIn: message, stored, of: user)
    }

    /// Takes a chunk of a member's file, from the member itself.
    func receive(_ chunk: FileChunk, ofFileIn message: SharedMessageID, from member: GroupMember, in group: GroupInfo, of user: User) throws {
        let stored = try db.items.find(group: group, sharedMessageID: message, author: member.memberID, at: now)
        try receive(chunk, ofFileIn: message, stored, of: user)
    }

    private func receive(_ chunk: FileChunk, ofFileIn message: SharedMessageID, _ stored: StoredItem?, of user: User) throws {
        guard let stored, !stored.isSent, let file = try db.files.find(ofItem: stored.id) else {
            // The other chunks keep arriving for some time: only the first one is reported.
            if case .piece(let number, _) = chunk, number != 1 { return }
            return emit(.chatError(error: .store(error: .fileIDNotFoundBySharedMessageID(sharedMessageID: message))))
        }
        guard case .piece(let number, let content) = chunk else { return try transaction.receivedFiles.receiveCancellation(of: stored, user: user) }
        switch InlineChunkDecision(number, bytes: content.count, of: file, after: try db.inlineChunks.chunks(ofFile: file.id)) {
        case .ignore: break
        case .prohibit: emit(.chatError(error: .chat(error: .inlineFileProhibited(fileID: file.id))))
        case .fail(let reason):
            try transaction.receivedFiles.abandon(file)
            emit(.chatError(error: .chat(error: .fileReceiveChunk(message: reason))))
            // The error does not name the file.
            if let shown = try transaction.fileTransfers.itemInChat(of: file, user: user) { emit(.chatItemUpdated(user: user, chatItem: shown)) }
        case .store(let isFirst, let isLast):
            if isFirst { try beginInline(file, of: user) }
            try db.inlineChunks.insert(Int64(number), content, ofFile: file.id)
            if isLast { try keepInline(file, of: user) }
        }
    }

    private func beginInline(_ file: FileRecord, of user: User) throws {
        try db.files.update(file.id, state: .connected, status: .receiveTransfer(received: 0, total: 1))
        if let shown = try transaction.fileTransfers.itemInChat(of: file, user: user) { emit(.rcvFileStart(user: user, chatItem: shown)) }
    }

    // MARK: Whole files

    /// Enqueues the writing of a whole file at its path, which is reserved before if it has none.
    private func keepInline(_ file: FileRecord, of user: User) throws {
        guard let path = file.path else { return try enqueue(.file(.reserveReceived(file: file.id)), user: user) }
        // It is no transfer of the file service. With an id like one, what removes the file waits until it is not being written.
        let transfer = transaction.fileTransfers.newID()
        try db.files.update(file.id, transfer: transfer)
        try enqueue(.file(.keepReceived(transfer: transfer, path: path)), user: user)
    }

    /// Reserves a path for a whole file, and goes on there. A file for which that is not possible is given up.
    ///
    /// - Parameter reserve: Reserves a path for a file of a name.
    func reserveInline(_ id: FileID, reserve: (String) throws(Refusal) -> String) throws {
        guard var file = try db.files.find(id), file.path == nil, !file.state.isFinal else { return }
        let path: String
        do throws(Refusal) { path = try reserve(file.name) } catch {
            return try transaction.receivedFiles.fail(file, FileTransferError(.file, "\(error.error)"))
        }
        try db.files.update(id, path: path)
        file.path = path
        try keepInline(file, of: try transaction.anyUser(file.user))
    }

    /// A whole file that is still wanted, with its content.
    func wholeInlineFile(_ transfer: FileTransferID) throws -> (file: FileRecord, content: Bytes)? {
        guard let file = try db.files.find(transfer: transfer), !file.state.isFinal else { return nil }
        return (file, try db.inlineChunks.content(ofFile: file.id))
    }

    /// Records that a whole file is at its path.
    func receiveInlineFile(_ transfer: FileTransferID) throws {
        guard let file = try db.files.find(transfer: transfer), !file.state.isFinal else { return }
        try db.files.update(file.id, state: .complete, status: .receiveComplete)
        try db.inlineChunks.delete(ofFile: file.id)
        try db.files.release(file.id)
        let user = try transaction.anyUser(file.user)
        if let shown = try transaction.fileTransfers.itemInChat(of: file, user: user) { emit(.rcvFileComplete(user: user, chatItem: shown)) }
    }

    // MARK: Files of this profile

    /// Refuses to send a file inside messages to a contact that asks for it: this profile offers none in that way.
    ///
    /// - Returns: False if the message is not one of this profile with a file.
    func refuseChunks(ofFileIn message: SharedMessageID, to contact: Contact) throws -> Bool {
        refuseChunks(of: try db.items.find(contact: contact.contactID, sharedMessageID: message, at: now))
    }

    /// Refuses to send a file inside messages to a member that asks for it.
    ///
    /// - Returns: False if the message is not one of this profile with a file.
    func refuseChunks(ofFileIn message: SharedMessageID, in group: GroupInfo) throws -> Bool {
        refuseChunks(of: try db.items.find(group: group, sharedMessageID: message, author: group.membership.memberID, at: now))
    }

    private func refuseChunks(of stored: StoredItem?) -> Bool {
        guard let stored, stored.isSent, let file = stored.item.file else { return false }
        emit(.chatError(error: .chat(error: .fallbackToSMPProhibited(fileID: file.fileID))))
        return true
    }
}
