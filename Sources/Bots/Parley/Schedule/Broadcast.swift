public import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Logging

/// The progress of a broadcast.
public struct BroadcastProgress: Sendable, Hashable {
    /// Chats that it goes to.
    public let total: Int
    /// Chats into which it was sent.
    public let sent: Int
    /// Chats into which it could not be sent: they are gone, or nothing may be sent there.
    public let failed: Int
    /// True if it was cancelled before every chat was tried.
    public let isCancelled: Bool

    init(total: Int, sent: Int, failed: Int, isCancelled: Bool = false) {
        (self.total, self.sent, self.failed, self.isCancelled) = (total, sent, failed, isCancelled)
    }

    /// True if every chat has been tried.
    public var isFinished: Bool { sent + failed >= total }
}

/// A broadcast, as it is stored.
struct BroadcastRecord: StoredState {
    static let stateName = "parley.broadcast"
    /// The name of the timer that continues with it after a restart.
    static let timerName = "parley.broadcast"

    var text = ""
    var chats: [String] = []
    var sent = 0
    var failed = 0
    /// Nil for a text alone; the text is the caption then.
    var file: BroadcastFile?
    /// Nil counts as false: earlier versions have stored nothing.
    var cancelled: Bool?

    var isCancelled: Bool { cancelled ?? false }
    var next: Int { sent + failed }
    var progress: BroadcastProgress { BroadcastProgress(total: chats.count, sent: sent, failed: failed, isCancelled: isCancelled) }

    static func scope(_ key: String) -> String { "broadcast/\(key)" }
}

extension [ChatReference] {
    /// The chats by their names, each where it is named first.
    fileprivate var namesOnce: [String] {
        var known: Set<String> = []
        return map { "\($0)" }.filter { known.insert($0).inserted }
    }
}

/// The file of a broadcast, as it is stored.
struct BroadcastFile: Codable, Sendable, Hashable {
    private enum Kind: String, Codable { case file, image, voice, video }

    private let path: String
    private let kind: Kind
    private var seconds: Int?
    private var thumbnail: String?
    private var key: String?
    private var nonce: String?
    /// True for a picture that is sent as it is; nil for one that may be made smaller.
    private var original: Bool?

    init(_ file: OutgoingFile) {
        path = file.source.filePath
        (key, nonce) = (file.source.cryptoArguments?.fileKey, file.source.cryptoArguments?.fileNonce)
        if !file.scalesPicture { original = true }
        switch file.appearance {
        case .file: kind = .file
        case .image: kind = .image
        case .voice(let seconds): (kind, self.seconds) = (.voice, seconds)
        case .video(let seconds, let thumbnail): (kind, self.seconds, self.thumbnail) = (.video, seconds, thumbnail)
        }
    }

    func outgoing(caption: String) -> OutgoingFile {
        let appearance: OutgoingFile.Appearance =
            switch kind {
            case .file: .file
            case .image: .image
            case .voice: .voice(seconds: seconds ?? 0)
            case .video: .video(seconds: seconds ?? 0, thumbnail: thumbnail)
            }
        var arguments: CryptoFileArguments?
        if let key, let nonce { arguments = CryptoFileArguments(fileKey: key, fileNonce: nonce) }
        var file = OutgoingFile(source: CryptoFile(filePath: path, cryptoArguments: arguments), as: appearance, caption: caption)
        file.scalesPicture = original != true
        return file
    }
}

extension BotClient {
    /// Sends a text into many chats, one after the other, in the background. It continues where it was after a restart.
    ///
    /// - Parameters:
    ///   - chats: at most 100,000.
    ///   - key: names the broadcast: one with the same key is not begun again. Within 30 days no chat gets it twice.
    /// - Returns: how far it is; ``broadcastProgress(_:)`` tells it later.
    /// - Throws: `ChatCoreError` with the code `send.empty` for a text of which nothing would be shown: no chat gets it.
    @discardableResult
    public func broadcast(_ text: String, to chats: [ChatReference], onceAs key: String) async throws -> BroadcastProgress {
        try ChatCoreError.refuseEmpty(text)
        return try await broadcast(BroadcastRecord(text: text, chats: chats.namesOnce), onceAs: key)
    }

    /// Sends a file with its caption into many chats, as ``broadcast(_:to:onceAs:)-(String,_,_)`` does. It is uploaded for each chat, so it must stay as it
    /// is until the broadcast is finished; a chat whose turn comes when the file is gone counts as failed.
    ///
    /// - Throws: ``BotFileError`` for a file that is not there or a picture that cannot be read.
    @discardableResult
    public func broadcast(_ file: OutgoingFile, to chats: [ChatReference], onceAs key: String) async throws -> BroadcastProgress {
        _ = try file.composed()
        var record = BroadcastRecord(text: file.caption, chats: chats.namesOnce)
        record.file = BroadcastFile(file)
        return try await broadcast(record, onceAs: key)
    }

    private func broadcast(_ new: BroadcastRecord, onceAs key: String) async throws -> BroadcastProgress {
        let progress = try await effects.update(BroadcastRecord.self, of: BroadcastRecord.scope(key)) { record in
            if record.chats.isEmpty { record = new }
            return record.progress
        }
        guard !progress.isFinished, !progress.isCancelled else { return progress }
        try await effects.schedule(BroadcastRecord.timerName, key: key, at: effects.now, json: nil, in: nil, expiringAfter: nil)
        return progress
    }

    /// Cancels a broadcast: the chats that it has not reached get nothing. A message that is being sent meanwhile is still sent. In a handler, it is cancelled
    /// when the handler has ended.
    ///
    /// - Returns: the progress so far; nil if no broadcast has this key. A finished broadcast stays as it is.
    @discardableResult
    public func cancelBroadcast(_ key: String) async throws -> BroadcastProgress? {
        guard try await broadcastProgress(key) != nil else { return nil }
        return try await effects.update(BroadcastRecord.self, of: BroadcastRecord.scope(key)) { record in
            if !record.progress.isFinished { record.cancelled = true }
            return record.progress
        }
    }

    /// The progress of a broadcast; nil if no broadcast has this key.
    public func broadcastProgress(_ key: String) async throws -> BroadcastProgress? {
        let record = try await effects.state(BroadcastRecord.self, of: BroadcastRecord.scope(key))
        return record.chats.isEmpty ? nil : record.progress
    }

    /// The chats with contacts that messages can be sent to.
    public var contacts: [ChatReference] {
        get async {
            await chats.all.compactMap { chat in chat.info.contact.flatMap { $0.isReady ? .direct($0.contactID) : nil } }
        }
    }

    /// Goes on with a broadcast until it is finished or the task is cancelled. Called for a bot's own timer, outside of handlers.
    func continueBroadcast(_ key: String) async throws {
        let scope = BroadcastRecord.scope(key)
        while true {
            try Task.checkCancellation()
            let record = try await effects.state(BroadcastRecord.self, of: scope)
            guard record.next < record.chats.count, !record.isCancelled else { return }
            let isSent = try await send(record, toChat: record.chats[record.next], onceAs: "\(scope)/\(record.next)")
            try await effects.update(BroadcastRecord.self, of: scope) { record in
                if isSent { record.sent += 1 } else { record.failed += 1 }
            }
        }
    }

    /// - Returns: false if the chat is gone, or does not take the message.
    /// - Throws: the error of a core that is closed, one that passes, or a cancellation: the chat is tried again later, or at the next start.
    private func send(_ record: BroadcastRecord, toChat name: String, onceAs key: String) async throws -> Bool {
        guard let reference = ChatReference(name), let chat = await chat(reference) else {
            failed("broadcast.noChat", chat: name)
            return false
        }
        do {
            if let file = record.file {
                try await chat.announce(file.outgoing(caption: record.text), onceAs: key)
            } else {
                try await chat.announce(record.text, onceAs: key)
            }
            return true
        } catch let error as BotFileError {
            failed(error.code.rawValue, chat: name)
            return false
        } catch let error as ChatCoreError where error.code != .closed && error.code != .cancelled {
            // A disk that is full, or a stop between two attempts, says nothing of the chat.
            guard !Task.isCancelled, !error.isTemporary else { throw error }
            failed(error.code.rawValue, chat: name)
            return false
        }
    }

    private func failed(_ code: String, chat: String) {
        noteFailure(code, at: "broadcast")
        logger.warning("a chat does not get a broadcast", metadata: ["code": "\(code)", "chat": "\(chat)"])
    }
}
