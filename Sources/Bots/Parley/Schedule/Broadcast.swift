public import ChatAPI
internal import ChatProtocol
internal import Foundation

/// The progress of a broadcast.
public struct BroadcastProgress: Sendable, Hashable {
    /// Chats that it goes to.
    public let total: Int
    /// Chats into which it was sent.
    public let sent: Int
    /// Chats into which it could not be sent: they are gone, or nothing may be sent there.
    public let failed: Int

    /// True if every chat has been tried.
    public var isFinished: Bool { sent + failed >= total }
}

/// A broadcast, as it is stored.
struct BroadcastRecord: StoredState {
    static let stateName = "parley.broadcast"
    /// The name of the timer that goes on with it after a restart.
    static let timerName = "parley.broadcast"

    var text = ""
    var chats: [String] = []
    var sent = 0
    var failed = 0

    var next: Int { sent + failed }
    var progress: BroadcastProgress { BroadcastProgress(total: chats.count, sent: sent, failed: failed) }

    static func scope(_ key: String) -> String { "broadcast/\(key)" }
}

extension BotClient {
    /// Sends a text into many chats, one after the other, in the background. It goes on where it was after a restart.
    ///
    /// - Parameters:
    ///   - chats: at most 100,000.
    ///   - key: names the broadcast: one with the same key is not begun again. Within 30 days no chat gets it twice.
    /// - Returns: how far it is; ``broadcastProgress(_:)`` tells it later.
    @discardableResult
    public func broadcast(_ text: String, to chats: [ChatReference], onceAs key: String) async throws -> BroadcastProgress {
        let scope = BroadcastRecord.scope(key), names = chats.map { "\($0)" }
        let progress = try await effects.update(BroadcastRecord.self, of: scope) { record in
            if record.chats.isEmpty { record = BroadcastRecord(text: text, chats: names) }
            return record.progress
        }
        if !progress.isFinished { try await effects.schedule(BroadcastRecord.timerName, key: key, at: effects.now, json: nil, in: nil, expiringAfter: nil) }
        return progress
    }

    /// The progress of a broadcast; nil if there is none of the key.
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
            guard record.next < record.chats.count else { return }
            let isSent = try await send(record.text, toChat: record.chats[record.next], onceAs: "\(scope)/\(record.next)")
            try await effects.update(BroadcastRecord.self, of: scope) { record in
                if isSent { record.sent += 1 } else { record.failed += 1 }
            }
        }
    }

    /// - Returns: false if the chat is gone, or does not take the message.
    /// - Throws: the error of a core that is closed, or a cancellation: the chat is tried again at the next start.
    private func send(_ text: String, toChat name: String, onceAs key: String) async throws -> Bool {
        guard let chat = ChatReference(name) else { return false }
        do {
            try await send(text, to: chat, onceAs: key)
            return true
        } catch let error as ChatCoreError where error.code != .closed && error.code != .cancelled {
            return false
        }
    }
}
