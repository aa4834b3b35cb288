internal import AsyncPrimitives
public import ChatAPI
internal import ChatProtocol
internal import DequeModule
internal import SystemSupport

/// A message whose text grows while it is written, as the answer of a program that takes its time.
///
/// Apps show it as a live message. Changes are put together: the message is edited once in an interval at the most, with the newest text.
public actor LiveMessage {
    /// The shortest interval between two edits.
    public static let shortestInterval = Duration.milliseconds(200)

    /// The message as it was sent first.
    public nonisolated let sent: SentMessage
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    private var lastEdit: Duration
    private var shown: String
    /// True once the end is asked for: newer texts are passed over.
    private var isEnding = false
    private var isFinished = false
    /// The messages that follow and were sent by an end that failed later.
    private var followingCount = 0
    /// Held while the message is ended: a concurrent call learns whether it has ended.
    private let ending = AsyncLock()
    /// The number of the newest edit.
    private var newest = 0
    private var isEditing = false
    /// The edits that wait for the one before them, in the order of the calls.
    private var waiting: Deque<CheckedContinuation<Void, Never>> = []

    init(_ sent: SentMessage, text: String, every interval: Duration, clock: any Clock<Duration> = ContinuousClock()) {
        self.sent = sent
        self.interval = max(interval, Self.shortestInterval)
        self.clock = clock
        elapsed = clock.stopwatch()
        lastEdit = .zero
        shown = text
    }

    /// Shows a newer text, if the interval since the last edit is over. Otherwise the text is skipped: the next one, or ``finish(_:)``, shows the text that
    /// came meanwhile.
    ///
    /// - Parameter text: the whole text so far. What does not fit into one message is shown at the end.
    public func update(_ text: String) async throws {
        let now = elapsed()
        guard !isEnding, now - lastEdit >= interval, !text.showsNothing else { return }
        lastEdit = now
        try await edit(first(of: text)[0], live: true)
    }

    /// Shows the whole text, and ends the message. What does not fit into one message follows in others.
    ///
    /// A call that fails can be made again, and continues where it has failed. Texts of ``update(_:)`` are passed over from the first call on.
    ///
    /// - Throws: `ChatCoreError` with the code `send.empty` for a text of which nothing would be shown: the message stays live.
    public func finish(_ text: String) async throws {
        try ChatCoreError.refuseEmpty(text)
        isEnding = true
        try await ending.withLock {
            guard !isFinished else { return }
            let parts = first(of: text)
            try await edit(parts[0], live: false)
            for part in parts.dropFirst(1 + followingCount) {
                try await sent.chat.send(part)
                followingCount += 1
            }
            isFinished = true
        }
    }

    /// The number of edits that wait, for tests.
    var waitingCount: Int { waiting.count }

    private func first(of text: String) -> [String] {
        let limit = LongText.limit(in: sent.chat.info)
        return LongText.parts(of: text, first: limit, other: limit)
    }

    /// Edits the message once the edits before have ended. An edit with a newer one after it is skipped.
    private func edit(_ text: String, live: Bool) async throws {
        newest += 1
        let number = newest
        // Nothing may be awaited before the place in the line is taken.
        if isEditing { await withCheckedContinuation { waiting.append($0) } } else { isEditing = true }
        defer { if let next = waiting.popFirst() { next.resume() } else { isEditing = false } }
        // The last edit ends the live message, also if the text is shown already.
        guard !live || number == newest && text != shown else { return }
        shown = text
        let chat = try sent.chat.requiredReference()
        _ = try await sent.chat.effects.perform(.messages(.update(chat, sent.id, UpdatedMessage(content: .text(text)), live: live)))
    }
}

extension BotChat {
    /// Sends a live message: its text can be changed until it is finished.
    ///
    /// - Parameters:
    ///   - text: the text until the first change; not empty.
    ///   - item: the item that the message quotes; nil for none.
    ///   - interval: the time between two edits, at least ``LiveMessage/shortestInterval``.
    public func sendLive(_ text: String, quoting item: ChatItemID? = nil, every interval: Duration = .seconds(1)) async throws -> LiveMessage {
        let composed = ComposedMessage(content: .text(text), quotedItemID: item)
        let items = try await effects.send(composed, to: requiredReference(), commenting: post, live: true)
        return LiveMessage(SentMessage(chat: self, items: items), text: text, every: interval)
    }
}
