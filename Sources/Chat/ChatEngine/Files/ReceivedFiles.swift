import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPClient
import SMPProtocol
import SMPWire
import XFTPAgent
import XFTPProtocol

// Received files. An invitation comes with a message and the description after it; the download begins when both the description is complete and
// the file was accepted.

/// Downloads files that contacts and members offer.
struct ReceivedFiles: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Files that are received.
    var receivedFiles: ReceivedFiles { ReceivedFiles(transaction: self) }
}

extension ReceivedFiles {
    // MARK: Offers

    /// Attaches an offered file to a received item.
    ///
    /// A file without content is none, as for official clients: the message stays as it is.
    ///
    /// - Returns: The item with the file.
    func attach(_ offer: FileInvitation, to item: ChatItem, in conversation: Conversation, of user: User) throws -> ChatItem {
        guard offer.size > 0 else {
            emit(.chatError(error: Refusal.chat(.fileSize(filePath: FileNames.safe(offer.name))).error))
            return item
        }
        var record = FileRecord(
            id: 0, user: user.userID, item: item.meta.itemID, isSent: false, name: FileNames.safe(offer.name), size: offer.size,
            fileProtocol: offer.fileDescription == nil ? .smp : .xftp, status: .receiveInvitation, createdAt: now)
        record.description = offer.fileDescription.map { .init(text: $0.text, part: $0.partNumber, isComplete: $0.isComplete) }
        transaction.inlineFiles.fill(&record, from: offer, with: item)
        _ = try db.files.insert(record)
        return try transaction.conversations.item(item.meta.itemID, in: conversation).item
    }

    /// Takes a part of the description of a contact's file.
    func receive(_ part: FileDescriptionPart, ofFileIn message: SharedMessageID, from contact: Contact, of user: User) throws {
        guard let stored = try db.items.find(contact: contact.contactID, sharedMessageID: message, at: now), !stored.isSent else {
            return emit(.chatError(error: .store(error: .fileIDNotFoundBySharedMessageID(sharedMessageID: message))))
        }
        try receive(part, ofFileIn: stored, of: user)
    }

    /// The item of a file of a member or of a channel.
    ///
    /// - Parameter member: The author of the message about the file; nil if the relay does not name it.
    private func itemWithFile(_ message: SharedMessageID, from member: GroupMember?, in group: GroupInfo) throws -> StoredItem? {
        if let member, let own = try db.items.find(group: group, sharedMessageID: message, author: member.memberID, at: now) { return own }
        guard group.usesRelays, member.map({ $0.role == .owner }) ?? true else { return nil }
        return try db.items.find(group: group, sharedMessageID: message, author: nil, at: now)
    }

    /// Takes a part of the description of a member's file.
    ///
    /// - Parameter member: The sender; nil if the relay does not name it.
    func receive(
        _ part: FileDescriptionPart, ofFileIn message: SharedMessageID, from member: GroupMember?, in group: GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        guard let stored = try itemWithFile(message, from: member, in: group) else {
            reportError("x.msg.file.descr: no message of the member with a file", of: user)
            return nil
        }
        // Every relay of a channel passes on a description: the first one counts.
        let known = group.usesRelays ? try db.files.find(ofItem: stored.id)?.description : nil
        if let known, known.isComplete || part.partNumber <= known.part { return nil }
        try receive(part, ofFileIn: stored, of: user)
        return try forwardAudience(of: stored, user: user)
    }

    private func receive(_ part: FileDescriptionPart, ofFileIn stored: StoredItem, of user: User) throws {
        // A file inside messages is on no router.
        guard var file = try db.files.find(ofItem: stored.id), !file.isSent, file.fileProtocol == .xftp, !file.state.isFinal else { return }
        let known = file.description ?? FileRecord.Description(text: "", part: 0, isComplete: false), size = try db.files.descriptionSize(of: file)
        guard (try? part.check(after: known.part, size: size, isComplete: known.isComplete)) != nil else {
            return emit(.chatError(error: .store(error: .receiveFileInvalidDescriptionPart)))
        }
        guard part.isComplete else { return try db.files.append(part, toDescriptionOf: file.id, size: size) }
        file.description = try db.files.completeDescription(of: file, with: part)
        guard let shown = try transaction.fileTransfers.itemInChat(of: file, user: user) else { return }
        emit(
            .rcvFileDescrReady(
                user: user, chatItem: shown, transfer: try receiveTransfer(file), description: file.receivedDescription))
        guard file.state == .accepted else { return }
        if case .failure(let refusal) = try beginDownload(file, of: user) { emit(.chatError(error: refusal.error)) }
    }

    /// A received file as the API shows its transfer.
    func receiveTransfer(_ file: FileRecord) throws -> ReceivedFileTransfer {
        guard let stored = try file.item.flatMap({ try db.items.find($0, user: file.user, at: now) }) else {
            return file.receiveTransfer(from: "", member: nil)
        }
        switch stored.item.direction {
        case .groupReceived(let member): return file.receiveTransfer(from: member.localDisplayName, member: member.groupMemberID)
        default:
            let contact = try stored.owner.contactID.flatMap { try db.contacts.find($0, of: try transaction.anyUser(file.user)) }
            return file.receiveTransfer(from: contact?.localDisplayName ?? "", member: nil)
        }
    }

    // MARK: Accepting

    /// The file that a command names, of any of the profiles that the command is for.
    ///
    /// - Throws: `userNotFoundByFileID`; `receiveFileNotFound` for a sent file; `localFileNoTransfer` for one of notes.
    func receivedFile(_ id: FileID) throws -> FileRecord {
        _ = try transaction.user()
        guard let file = try db.files.find(id), transaction.actor == nil || transaction.actor == file.user else {
            throw Refusal.store(.userNotFoundByFileID(fileID: id))
        }
        guard file.fileProtocol != .local else { throw Refusal.store(.localFileNoTransfer(fileID: id)) }
        guard !file.isSent else { throw Refusal.store(.receiveFileNotFound(fileID: id)) }
        return file
    }

    /// Accepts a file under a reserved path, and begins its download if its description is complete. A file that travels inside messages is asked for.
    ///
    /// - Parameters:
    ///   - key: The key with which it is encrypted on the disk; nil for none.
    ///   - inline: The option of the command that allows larger files inside messages, or none.
    ///   - announces: Whether an event reports it, because nobody waits for the response.
    ///   - reserve: Reserves a path for a file of a name.
    func accept(
        _ id: FileID, key: CryptoFileArguments?, approvesRelays: Bool, inline: Bool?, announces: Bool = false,
        reserve: (String) throws(Refusal) -> String
    ) throws -> Result<ChatResponse, Refusal> {
        var file = try receivedFile(id)
        if case .refuse(let error) = ReceiveDecision(file) { return .failure(.chat(error)) }
        let isInline = file.fileProtocol != .xftp
        if isInline, case .refuse(let error) = InlineAcceptDecision(file, isWanted: inline) { return .failure(.chat(error)) }
        let user = try transaction.anyUser(file.user)
        let path: String
        do throws(Refusal) { path = try reserve(file.name) } catch { return .failure(error) }
        try db.files.accept(id, path: path, key: key, approvesRelays: approvesRelays, inline: isInline ? .offer : nil)
        file = try receivedFile(id)
        // The response shows the state of the file before the download begins.
        guard let shown = try transaction.fileTransfers.itemInChat(of: file, user: user) else { return .failure(.store(.chatItemNotFoundByFileID(fileID: id))) }
        if announces { emit(.rcvFileAccepted(user: user, chatItem: shown)) }
        if isInline { try transaction.inlineFiles.askForChunks(of: file, user: user) }
        if file.description?.isComplete == true, case .failure(let refusal) = try beginDownload(file, of: user) { return .failure(refusal) }
        return .success(.rcvFileAccepted(user: user, chatItem: shown))
    }

    /// Begins the download of an accepted file. A file on routers that nobody approved is offered again instead.
    private func beginDownload(_ file: FileRecord, of user: User) throws -> Result<Void, Refusal> {
        let description: RouterFileDescription
        do throws(WireError) {
            description = try RouterFileDescription(parsing: file.description?.text ?? "")
            try file.check(description)
        } catch {
            try offerAgain(file, .receiveInvitation, of: user)
            return .failure(.chat(.invalidFileDescription(message: "\(error)")))
        }
        let unknown = file.approvesRelays ? [] : try unknownRouters(of: description, for: user)
        if !unknown.isEmpty {
            try offerAgain(file, .receiveInvitation, of: user)
            return .failure(.chat(.fileNotApproved(fileID: file.id, unknownServers: unknown)))
        }
        try db.files.update(file.id, state: .connected, status: .receiveTransfer(received: 0, total: 1))
        try db.files.update(file.id, transfer: transaction.fileTransfers.newID())
        try enqueue(.file(.download(file: file.id)), user: user)
        if let shown = try transaction.fileTransfers.itemInChat(of: file, user: user) { emit(.rcvFileStart(user: user, chatItem: shown)) }
        return .success(())
    }

    /// The routers of a file that are not the profile's and would see this machine's address.
    private func unknownRouters(of description: RouterFileDescription, for user: User) throws -> [String] {
        let network = folders.network
        let visible = Set(description.chunks.flatMap { $0.replicas.map(\.server) }).filter { !network.hidesAddress(from: $0) }
        guard !visible.isEmpty else { return [] }
        let known = try db.servers.fileServers(ofUser: user.userID).map(\.server)
        return visible.filter { server in !known.contains { $0.isSameRouter(as: server) } }.map(\.wireString).sorted()
    }

    /// Offers a file again that cannot be received now.
    private func offerAgain(_ file: FileRecord, _ status: ItemFileStatus, of user: User) throws {
        try discard(file)
        try db.files.update(file.id, state: .new, status: status)
        if let shown = try transaction.fileTransfers.itemInChat(of: file, user: user) { emit(.chatItemUpdated(user: user, chatItem: shown)) }
    }

    // MARK: Downloads without a message

    /// - Parameter approvesRelays: Whether routers that are not the profile's may be used.
    /// - Throws: `fileNotApproved`.
    func download(_ link: FileDescriptionLink, to target: CryptoFile, approvesRelays: Bool, user id: UserID) throws -> ChatResponse {
        let user = try transaction.user(id)
        let description = link.description
        let unknown = approvesRelays ? [] : try unknownRouters(of: description, for: user)
        guard unknown.isEmpty else { throw Refusal.chat(.fileNotApproved(fileID: 0, unknownServers: unknown)) }
        let file = FileRecord(
            id: 0, user: user.userID, isSent: false, name: target.filePath.split(separator: "/").last.map(String.init) ?? target.filePath,
            size: description.size, fileProtocol: .xftp, status: .receiveTransfer(received: 0, total: 1), path: target.filePath,
            key: target.cryptoArguments, chunkSize: Int64(description.chunkSize), state: .connected, transfer: transaction.fileTransfers.newID(),
            description: .init(text: description.text, part: 1, isComplete: true), approvesRelays: approvesRelays, createdAt: now)
        let stored = try db.files.insert(file)
        try enqueue(.file(.download(file: stored)), user: user)
        guard let record = try db.files.find(stored) else { throw Refusal.store(.fileNotFound(fileID: stored)) }
        return .rcvStandaloneFileCreated(user: user, transfer: try receiveTransfer(record))
    }

    // MARK: Progress

    func receiveProgress(_ transfer: FileTransferID, received: Int64, total: Int64) throws {
        guard let file = try db.files.find(transfer: transfer), !file.state.isFinal else { return }
        // Chunks are transferred side by side, and so are their events.
        if case .receiveTransfer(let known, total) = file.status, known > received { return }
        try db.files.update(file.id, status: .receiveTransfer(received: received, total: total))
        try db.files.markStarted(transfer)
        let user = try transaction.anyUser(file.user)
        emit(
            .rcvFileProgressXFTP(
                user: user, chatItem: try transaction.fileTransfers.itemInChat(of: file, user: user), receivedSize: received, totalSize: total,
                transfer: try receiveTransfer(try db.files.find(file.id) ?? file)))
    }

    /// - Parameter size: Bytes of all chunks.
    func receiveDownload(_ transfer: FileTransferID, size: Int64) throws {
        guard let begun = try db.files.find(transfer: transfer), !begun.state.isFinal else { return }
        if begun.status != .receiveTransfer(received: size, total: size) { try receiveProgress(transfer, received: size, total: size) }
        let file = try db.files.find(begun.id) ?? begun
        let user = try transaction.anyUser(file.user)
        let before = try receiveTransfer(file)
        try db.files.update(file.id, state: .complete, status: .receiveComplete)
        if let shown = try transaction.fileTransfers.itemInChat(of: file, user: user) {
            emit(.rcvFileComplete(user: user, chatItem: shown))
        } else {
            emit(.rcvStandaloneFileComplete(user: user, targetPath: try folders.fullPath(file.path ?? file.name), transfer: before))
        }
    }

    func receiveFailure(_ transfer: FileTransferID, _ error: FileTransferError) throws {
        guard let file = try db.files.find(transfer: transfer), !file.state.isFinal else { return }
        // A file without a message is offered by nobody.
        guard error.code != .notApproved || file.item == nil else { return try offerAgain(file, .receiveAborted, of: try transaction.anyUser(file.user)) }
        try fail(file, error)
    }

    /// Gives up a file that cannot be received.
    func fail(_ file: FileRecord, _ error: FileTransferError) throws {
        let user = try transaction.anyUser(file.user)
        try discard(file)
        try db.files.update(file.id, state: .cancelled, status: .receiveError(error: error.fileError))
        emit(
            .rcvFileError(
                user: user, chatItem: try transaction.fileTransfers.itemInChat(of: file, user: user), error: error.messagingError,
                transfer: try receiveTransfer(file)))
    }

    func receiveWarning(_ transfer: FileTransferID, _ error: FileTransferError) throws {
        guard let file = try db.files.find(transfer: transfer), !file.state.isFinal else { return }
        let user = try transaction.anyUser(file.user)
        try db.files.update(file.id, status: .receiveWarning(error: error.fileError))
        emit(
            .rcvFileWarning(
                user: user, chatItem: try transaction.fileTransfers.itemInChat(of: file, user: user), error: error.messagingError,
                transfer: try receiveTransfer(file)))
    }

    // MARK: Cancelling

    /// Stops a download at the command of its profile. The file is offered again, unless its sender sends it only once.
    func cancel(_ file: FileRecord, of user: User) throws -> ChatResponse {
        let transfer = try receiveTransfer(file)
        if file.fileProtocol == .xftp {
            try discard(file)
            try db.files.update(file.id, state: .new, status: .receiveInvitation)
        } else {
            try abandon(file)
        }
        return .rcvFileCancelled(user: user, chatItem: try transaction.fileTransfers.itemInChat(of: file, user: user), transfer: transfer)
    }

    /// Stops a download for good.
    func abandon(_ file: FileRecord) throws {
        try discard(file)
        try db.files.update(file.id, state: .cancelled, status: .receiveCancelled)
    }

    /// Has the service forget a download, and the file removed that was reserved for it.
    private func discard(_ file: FileRecord) throws {
        guard !file.isSent, file.state != .new else { return }
        if file.receivedInline != nil { try db.inlineChunks.delete(ofFile: file.id) }
        guard file.transfer != nil || file.path != nil else { return }
        try db.files.insertRemovedFile(path: file.path, transfer: file.transfer, isUnfinishedUpload: false)
        try db.files.release(file.id)
        transaction.effects.removesFiles = true
    }

    func receiveCancellation(ofFileIn message: SharedMessageID, from contact: Contact, of user: User) throws {
        guard let stored = try db.items.find(contact: contact.contactID, sharedMessageID: message, at: now), !stored.isSent else {
            return emit(.chatError(error: .store(error: .fileIDNotFoundBySharedMessageID(sharedMessageID: message))))
        }
        try receiveCancellation(of: stored, user: user)
    }

    func receiveCancellation(
        ofFileIn message: SharedMessageID, from member: GroupMember?, in group: GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        guard let stored = try itemWithFile(message, from: member, in: group) else {
            reportError("x.file.cancel: no message of the member with a file", of: user)
            return nil
        }
        try receiveCancellation(of: stored, user: user)
        return try forwardAudience(of: stored, user: user)
    }

    private func forwardAudience(of stored: StoredItem, user: User) throws -> ForwardAudience? {
        guard case .group(let chat) = try transaction.conversations.conversation(of: stored, user: user) else { return nil }
        return chat.group.usesRelays && stored.item.direction == .channelReceived ? .channel : ForwardAudience(chat)
    }

    /// Records that the sender of a file will not send it.
    func receiveCancellation(of stored: StoredItem, user: User) throws {
        guard let file = try db.files.find(ofItem: stored.id), !file.isSent, !file.state.isFinal else { return }
        let transfer = try receiveTransfer(file)
        try abandon(file)
        guard let shown = try transaction.fileTransfers.itemInChat(of: file, user: user) else { return }
        emit(.rcvFileSndCancelled(user: user, chatItem: shown, transfer: transfer))
    }
}

extension FileRecord {
    /// Checks that a description is one for this file.
    ///
    /// - Throws: ``WireError`` `invalidValue` for a sender's description, and for a file that is larger than the message has said.
    fileprivate func check(_ description: RouterFileDescription) throws(WireError) {
        guard description.party == .recipient else { throw WireError(.invalidValue, "the description is the sender's") }
        let encrypted = max(description.size, description.redirect?.size ?? 0)
        // Anyone who accepts a file, a bot above all, does so by the size in the message.
        guard encrypted - FileLimits.encryptionOverhead <= size else {
            throw WireError(.invalidValue, "the file has \(encrypted) bytes, and was offered as one of \(size)")
        }
    }
}
