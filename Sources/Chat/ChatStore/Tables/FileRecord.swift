package import ChatAPI
package import ChatProtocol
import ChatRules
import SMPCrypto
import SMPWire
package import XFTPProtocol

/// A file that is sent, received or kept, as the store has it.
package struct FileRecord: Sendable {
    /// The progress of a transfer. Files that are sent begin as `new` and skip those in between.
    package enum State: String, Sendable {
        /// Offered, or being uploaded.
        case new
        /// To be downloaded once its description is complete.
        case accepted
        /// Being downloaded.
        case connected
        case complete
        case cancelled

        /// True if nothing changes the file any more.
        package var isFinal: Bool { self == .complete || self == .cancelled }
    }

    /// The description of a received file, as far as its parts have come; of a sent one, that of a recipient who joins later.
    package struct Description: Sendable, Hashable {
        package var text: String
        /// The last part that came; 0 for the empty one in the invitation.
        package var part: Int
        package var isComplete: Bool

        package init(text: String, part: Int, isComplete: Bool) {
            self.text = text
            self.part = part
            self.isComplete = isComplete
        }
    }

    package var id: FileID
    package var user: UserID
    /// nil for a file that is sent or received without a message.
    package var item: ChatItemID?
    package var isSent: Bool
    package var name: String
    /// Bytes.
    package var size: Int64
    package var fileProtocol: FileProtocol
    package var status: ItemFileStatus
    /// The path, relative to the folder for files unless it begins with a slash.
    package var path: String?
    package var key: CryptoFileArguments?
    package var chunkSize = FileLimits.reportedChunk
    package var state = State.new
    package var isCancelled = false
    package var transfer: FileTransferID?
    /// True if the file service has the transfer, or had it.
    package var isStarted = false
    /// True if the file service has forgotten the transfer.
    package var isTransferDeleted = false
    package var description: Description?
    /// The description with which the sender can delete the file; nil before the upload is complete.
    package var senderDescription: String?
    /// The file to whose description this one, a description itself, leads.
    package var redirectFor: FileID?
    /// True if routers may be used that are not the profile's.
    package var approvesRelays = false
    /// The offer of a file that travels inside messages.
    package var offer: FileInvitation?
    /// The mode in which the file is received inside messages, or will be once it is accepted; nil if it is not received so.
    package var receivedInline: InlineFileMode?
    package var createdAt: UTCTimestamp

    package init(
        id: FileID, user: UserID, item: ChatItemID? = nil, isSent: Bool, name: String, size: Int64, fileProtocol: FileProtocol, status: ItemFileStatus,
        path: String? = nil, key: CryptoFileArguments? = nil, chunkSize: Int64 = FileLimits.reportedChunk, state: State = State.new, isCancelled: Bool = false,
        transfer: FileTransferID? = nil, isStarted: Bool = false, isTransferDeleted: Bool = false, description: Description? = nil,
        senderDescription: String? = nil, redirectFor: FileID? = nil, approvesRelays: Bool = false, offer: FileInvitation? = nil,
        receivedInline: InlineFileMode? = nil, createdAt: UTCTimestamp
    ) {
        self.id = id
        self.user = user
        self.item = item
        self.isSent = isSent
        self.name = name
        self.size = size
        self.fileProtocol = fileProtocol
        self.status = status
        self.path = path
        self.key = key
        self.chunkSize = chunkSize
        self.state = state
        self.isCancelled = isCancelled
        self.transfer = transfer
        self.isStarted = isStarted
        self.isTransferDeleted = isTransferDeleted
        self.description = description
        self.senderDescription = senderDescription
        self.redirectFor = redirectFor
        self.approvesRelays = approvesRelays
        self.offer = offer
        self.receivedInline = receivedInline
        self.createdAt = createdAt
    }

    /// The file as its item shows it.
    package var source: CryptoFile? { path.map { CryptoFile(filePath: $0, cryptoArguments: key) } }
}

/// A recipient of a sent file.
package struct FileRecipient: Sendable {
    package var connection: ConnectionRecord
    package var member: GroupMemberID?
    package var name: String
    package var state: FileRecord.State

    package init(connection: ConnectionRecord, member: GroupMemberID? = nil, name: String, state: FileRecord.State) {
        self.connection = connection
        self.member = member
        self.name = name
        self.state = state
    }
}

// MARK: As the API shows them

extension FileRecord {
    private var transferText: JSONValue? { transfer.map { .string(Base64URL.encode($0.bytes)) } }

    /// A transfer of a sent file.
    package var sendTransfer: JSONValue {
        var file = JSONObject([("fileId", id.json)])
        if let transferText {
            var upload = JSONObject([("agentSndFileId", transferText)])
            if let senderDescription { upload["privateSndFileDescr"] = .string(senderDescription) }
            upload["agentSndFileDeleted"] = .bool(isTransferDeleted)
            if let key { upload["cryptoArgs"] = key.json }
            file["xftpSndFile"] = .object(upload)
        }
        if let redirectFor { file["xftpRedirectFor"] = redirectFor.json }
        file["fileName"] = .string(name)
        file["filePath"] = .string(path ?? name)
        file["fileSize"] = .int(size)
        file["chunkSize"] = .int(chunkSize)
        file["cancelled"] = .bool(isCancelled)
        return .object(file)
    }

    /// The transfer of a sent file to one recipient.
    package func sendTransfer(to recipient: FileRecipient) -> JSONValue {
        var transfer = JSONObject([
            ("fileId", id.json), ("fileName", .string(name)), ("filePath", .string(path ?? name)), ("fileSize", .int(size)), ("chunkSize", .int(chunkSize)),
            ("recipientDisplayName", .string(recipient.name)), ("connId", recipient.connection.id.json),
            ("agentConnId", .string(Base64URL.encode(recipient.connection.agentConnectionID))),
        ])
        if let member = recipient.member { transfer["groupMemberId"] = member.json }
        transfer["fileStatus"] = .string(recipient.state.rawValue)
        transfer["fileDescrId"] = id.json
        return .object(transfer)
    }

    /// The parts of a received file's description that have come.
    package var receivedDescription: JSONValue {
        .object(
            JSONObject([
                ("fileDescrId", id.json), ("fileDescrText", .string(description?.text ?? "")), ("fileDescrPartNo", .int(Int64(description?.part ?? 0))),
                ("fileDescrComplete", .bool(description?.isComplete ?? false)),
            ]))
    }

    /// The transfer of a received file.
    ///
    /// - Parameter sender: The name of the contact or member it came from; empty for a file that was downloaded by its link.
    package func receiveTransfer(from sender: String, member: GroupMemberID?) -> ReceivedFileTransfer {
        var file = JSONObject([("fileId", id.json)])
        if description != nil, item != nil {
            var download = JSONObject([("rcvFileDescription", receivedDescription)])
            if isStarted, let transferText { download["agentRcvFileId"] = transferText }
            download["agentRcvFileDeleted"] = .bool(isTransferDeleted)
            download["userApprovedRelays"] = .bool(approvesRelays)
            file["xftpRcvFile"] = .object(download)
        }
        var invitation = JSONObject([("fileName", .string(name)), ("fileSize", .int(size))])
        if let mode = offer?.inlineMode { invitation["fileInline"] = .string(mode.code) }
        file["fileInvitation"] = .object(invitation)
        var status = JSONObject([("type", .string(state.rawValue))])
        switch state {
        case .new: break
        // What is received without being accepted has a path only at its end.
        case .accepted, .connected, .complete: status["filePath"] = .string(path ?? name)
        case .cancelled: if let path { status["filePath_"] = .string(path) }
        }
        file["fileStatus"] = .object(status)
        if let receivedInline { file["rcvFileInline"] = .string(receivedInline.code) }
        file["senderDisplayName"] = .string(sender)
        file["chunkSize"] = .int(chunkSize)
        file["cancelled"] = .bool(isCancelled)
        if let member { file["grpMemberId"] = member.json }
        if let key { file["cryptoArgs"] = key.json }
        return ReceivedFileTransfer(file, type: .normal)
    }
}

// MARK: Keys

extension CryptoFileArguments {
    /// A new key.
    package init(_ key: LocalFile.Key) {
        self.init(
            fileKey: key.key.secret.withBytes { Base64URL.encode(Array($0)) }, fileNonce: Base64URL.encode(key.nonce.bytes))
    }

    /// The key, for reading and writing the file.
    ///
    /// - Throws: `commandError` if it is not one.
    package var localKey: LocalFile.Key {
        get throws(Refusal) {
            guard let key = Base64URL.decode(fileKey), let nonce = Base64URL.decode(fileNonce) else {
                throw Refusal.command("the key of the file is not Base64URL")
            }
            do {
                return LocalFile.Key(key: try BoxSecret(SecretBytes(wiping: key)), nonce: try BoxNonce(nonce))
            } catch {
                throw Refusal.command("the key of the file must have 32 bytes and its nonce 24")
            }
        }
    }
}
