import ChatAPI
import ChatProtocol
import ChatRules
import SMPCrypto
import SMPWire
import XFTPAgent
import XFTPProtocol

/// A file that is sent, received or kept, as the store has it.
struct FileRecord: Sendable {
    /// The progress of a transfer. Files that are sent begin as `new` and skip those in between.
    enum State: String, Sendable {
        /// Offered, or being uploaded.
        case new
        /// To be downloaded once its description is complete.
        case accepted
        /// Being downloaded.
        case connected
        case complete
        case cancelled

        /// True if nothing changes the file any more.
        var isFinal: Bool { self == .complete || self == .cancelled }
    }

    /// The description of a received file, as far as its parts have come; of a sent one, that of a recipient who joins later.
    struct Description: Sendable, Hashable {
        var text: String
        /// The last part that came; 0 for the empty one in the invitation.
        var part: Int
        var isComplete: Bool
    }

    var id: FileID
    var user: UserID
    /// nil for a file that is sent or received without a message.
    var item: ChatItemID?
    var isSent: Bool
    var name: String
    /// Bytes.
    var size: Int64
    var fileProtocol: FileProtocol
    var status: ItemFileStatus
    /// The path, relative to the folder for files unless it begins with a slash.
    var path: String?
    var key: CryptoFileArguments?
    var chunkSize = FileLimits.reportedChunk
    var state = State.new
    var isCancelled = false
    var transfer: FileTransferID?
    /// True if the file service has the transfer, or had it.
    var isStarted = false
    /// True if the file service has forgotten the transfer.
    var isTransferDeleted = false
    var description: Description?
    /// The description with which the sender can delete the file; nil before the upload is complete.
    var senderDescription: String?
    /// The file to whose description this one, a description itself, leads.
    var redirectFor: FileID?
    /// True if routers may be used that are not the profile's.
    var approvesRelays = false
    /// The offer of a file that travels inside messages.
    var offer: FileInvitation?
    /// The mode in which the file is received inside messages, or will be once it is accepted; nil if it is not received so.
    var receivedInline: InlineFileMode?
    var createdAt: UTCTimestamp

    /// The file as its item shows it.
    var source: CryptoFile? { path.map { CryptoFile(filePath: $0, cryptoArguments: key) } }
}

/// A recipient of a sent file.
struct FileRecipient: Sendable {
    var connection: ConnectionRecord
    var member: GroupMemberID?
    var name: String
    var state: FileRecord.State
}

// MARK: As the API shows them

extension FileRecord {
    private var transferText: JSONValue? { transfer.map { .string(Base64URL.encode($0.bytes)) } }

    /// A transfer of a sent file.
    var sendTransfer: JSONValue {
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
    func sendTransfer(to recipient: FileRecipient) -> JSONValue {
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
    var receivedDescription: JSONValue {
        .object(
            JSONObject([
                ("fileDescrId", id.json), ("fileDescrText", .string(description?.text ?? "")), ("fileDescrPartNo", .int(Int64(description?.part ?? 0))),
                ("fileDescrComplete", .bool(description?.isComplete ?? false)),
            ]))
    }

    /// The transfer of a received file.
    ///
    /// - Parameter sender: The name of the contact or member it came from; empty for a file that was downloaded by its link.
    func receiveTransfer(from sender: String, member: GroupMemberID?) -> JSONValue {
        var file = JSONObject([("fileId", id.json)])
        if description != nil, item != nil {
            var download = JSONObject([("rcvFileDescription", receivedDescription)])
            if isStarted, let transferText { download["agentRcvFileId"] = transferText }
            download["agentRcvFileDeleted"] = .bool(isTransferDeleted)
            download["userApprovedRelays"] = .bool(approvesRelays)
            file["xftpRcvFile"] = .object(download)
        }
        var invitation = JSONObject([("fileName", .string(name)), ("fileSize", .int(size))])
        if let mode = offer?.inlineMode { invitation["fileInline"] = .string(mode.rawValue) }
        file["fileInvitation"] = .object(invitation)
        var status = JSONObject([("type", .string(state.rawValue))])
        switch state {
        case .new: break
        // What is received without being accepted has a path only at its end.
        case .accepted, .connected, .complete: status["filePath"] = .string(path ?? name)
        case .cancelled: if let path { status["filePath_"] = .string(path) }
        }
        file["fileStatus"] = .object(status)
        if let receivedInline { file["rcvFileInline"] = .string(receivedInline.rawValue) }
        file["senderDisplayName"] = .string(sender)
        file["chunkSize"] = .int(chunkSize)
        file["cancelled"] = .bool(isCancelled)
        if let member { file["grpMemberId"] = member.json }
        if let key { file["cryptoArgs"] = key.json }
        return .object(file)
    }
}

// MARK: Keys

extension CryptoFileArguments {
    /// A new key.
    init(_ key: LocalFile.Key) {
        self.init(
            fileKey: key.key.secret.withBytes { Base64URL.encode(Array($0)) }, fileNonce: Base64URL.encode(key.nonce.bytes))
    }

    /// The key, for reading and writing the file.
    ///
    /// - Throws: `commandError` if it is not one.
    var localKey: LocalFile.Key {
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
