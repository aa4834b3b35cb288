internal import ChatAPI
internal import Parley

/// The keys of the broadcasts that rules and schedules have begun, the newest last.
struct RuleBroadcasts: StoredState {
    static let stateName = "parley.rules.broadcasts"
    /// Keys that are kept at the most. Those that are older are finished, or were begun too fast to be taken back.
    static let maximumCount = 50
    private(set) var keys: [String] = []

    mutating func add(_ key: String) {
        guard !keys.contains(key) else { return }
        keys.append(key)
        if keys.count > Self.maximumCount { keys.removeFirst() }
    }
}

extension BotClient {
    /// Begins a broadcast, and notes its key for ``cancelBroadcasts()``.
    func broadcast(_ message: RuleMessage, _ values: TemplateValues, to chats: [ChatReference], onceAs key: String) async throws {
        try await update(RuleBroadcasts.self) { $0.add(key) }
        switch message {
        case .text(let template): try await broadcast(template.filled(with: values), to: chats, onceAs: key)
        case .file(let file): try await broadcast(file.outgoing(values), to: chats, onceAs: key)
        }
    }

    /// Begins the broadcast of a rule or a form.
    ///
    /// - Returns: a sentence for the person who asked, if nothing is sent; nil otherwise.
    /// - Throws: `ChatCoreError` with the code `send.empty` for a text of which nothing would be shown.
    func broadcast(_ spec: BroadcastSpec, _ values: TemplateValues) async throws -> String? {
        // Before the first chat is looked for: an empty message goes to nobody.
        if case .text(let template) = spec.message { try ChatCoreError.refuseEmpty(template.filled(with: values)) }
        var chats: [ChatReference] = []
        switch spec.target {
        case .contacts: chats = await contacts
        case .chats(let names):
            for name in names {
                guard let chat = try await destination(name)?.reference else { throw RuleFailure.noChat(name) }
                chats.append(chat)
            }
        }
        guard !chats.isEmpty else { return texts[.broadcastNobody] }
        guard let key = nextEffectKey() else { return nil }
        try await broadcast(spec.message, values, to: chats, onceAs: "rule/\(key)")
        return nil
    }

    /// Cancels the broadcasts that rules and schedules have begun and that are under way.
    ///
    /// - Returns: a sentence for the person who asked.
    func cancelBroadcasts() async throws -> String {
        var lines: [String] = []
        for key in try await state(RuleBroadcasts.self).keys {
            guard let progress = try await broadcastProgress(key), !progress.isFinished, !progress.isCancelled,
                let cancelled = try await cancelBroadcast(key), cancelled.isCancelled
            else { continue }
            lines.append(texts.filled(.broadcastCancelled, ["sent": "\(cancelled.sent)", "total": "\(cancelled.total)"]))
        }
        return lines.isEmpty ? texts[.broadcastNone] : lines.joined(separator: "\n")
    }
}
