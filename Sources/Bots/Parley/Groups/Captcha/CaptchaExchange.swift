internal import ChatAPI
package import Foundation

/// The questions of a captcha to one member and the answers, wherever their progress is stored.
package struct CaptchaExchange: Sendable {
    private let client: BotClient
    private let chat: BotChat
    private let person: PersonID
    /// The name of the timer for the time of an answer.
    private let timer: String
    private let progress: @Sendable () async throws -> CaptchaProgress?
    private let store: @Sendable (CaptchaProgress?) async throws -> Void

    /// - Parameters:
    ///   - person: The member, as the questions and the timer name it.
    ///   - progress: Reads what is stored of the captcha; nil for a member who was not asked.
    ///   - store: Stores the progress; nil at the end.
    package init(
        _ client: BotClient, in chat: BotChat, with person: PersonID, timer: String, progress: @escaping @Sendable () async throws -> CaptchaProgress?,
        store: @escaping @Sendable (CaptchaProgress?) async throws -> Void
    ) {
        (self.client, self.chat, self.person, self.timer, self.progress, self.store) = (client, chat, person, timer, progress, store)
    }

    /// Asks a member, and sets the timer.
    package func ask(_ member: BotMember, attempts: Int, within limit: Duration, texts: CaptchaTexts?, at now: Date) async throws {
        let deadline = now.timeIntervalSince1970 + limit.seconds
        let round = try await progress()?.round ?? 0
        try await ask(CaptchaProgress(round: round + 1, attempts: attempts, deadline: deadline, texts: texts))
        let timeout = CaptchaTimeout(group: member.group.id.rawValue, member: member.id.rawValue, deadline: deadline)
        try await client.schedule(timer, key: person.description, after: limit, timeout, in: chat.reference)
    }

    /// Takes a message of a member: admits or refuses the member, or asks again.
    ///
    /// - Parameter noteFailure: Runs before a member is refused.
    /// - Returns: False if the member was not asked.
    package func answer(_ text: String, by member: BotMember, at now: Date, noteFailure: () async throws -> Void = {}) async throws -> Bool {
        guard let progress = try await progress() else { return false }
        switch progress.outcome(of: text, to: try await question(progress.round), at: now.timeIntervalSince1970) {
        case .again(let next): try await ask(next, isAgain: true)
        case .remind(let next): try await ask(next)
        case .ignored: break
        case .passed:
            try await member.accept()
            try await end()
        case .failed:
            try await noteFailure()
            try await member.reject()
            try await end()
        }
        return true
    }

    private func ask(_ progress: CaptchaProgress, isAgain: Bool = false) async throws {
        try await store(progress)
        let question = try await question(progress.round)
        try await chat.send(isAgain ? question.text(progress.texts, attempts: progress.attempts) : question.text(progress.texts))
    }

    private func question(_ round: Int) async throws -> CaptchaQuestion {
        CaptchaQuestion(secret: try await client.captchaSecret(), person: person.description, round: round)
    }

    private func end() async throws {
        try await store(nil)
        try await client.cancelScheduled(timer, key: person.description)
    }
}

/// A member who has to answer in time, as the timer holds it.
package struct CaptchaTimeout: Codable, Sendable, Hashable {
    static let name = "parley.captcha"

    var group: Int64
    var member: Int64
    var deadline: Double

    /// Refuses the member if it has not answered the question that the timer was set for.
    ///
    /// - Parameters:
    ///   - progress: Reads what is stored of the captcha of a member.
    ///   - clear: Deletes it.
    ///   - noteFailure: Runs before a member of the group is refused.
    package func end(
        _ timer: ScheduledContext<CaptchaTimeout>, progress: (StateScope) async throws -> CaptchaProgress?, clear: (StateScope) async throws -> Void,
        noteFailure: (GroupID) async throws -> Void = { _ in }
    ) async throws {
        let group = GroupID(group), id = GroupMemberID(member), scope = StateScope.person(.member(id, of: group))
        guard try await progress(scope)?.deadline == deadline else { return }
        try await clear(scope)
        guard let member = try await timer.groups.group(group)?.member(id), member.isPending else { return }
        try await noteFailure(group)
        try await member.reject()
    }
}
