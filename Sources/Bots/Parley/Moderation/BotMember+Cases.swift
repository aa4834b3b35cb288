public import ChatAPI
public import ChatProtocol
internal import Foundation
internal import Logging

/// An action against a member that is kept as a case.
public enum ModerationAction: Sendable, Hashable {
    /// The member is given points, which add up until they expire.
    case warn(points: Int = 1)
    /// Later messages of the member are hidden from everybody.
    case block
    /// The member has another role.
    case role(GroupMemberRole)
    /// The member is removed. That cannot be undone.
    case remove(withMessages: Bool = false)

    var word: String {
        switch self {
        case .warn: "warn"
        case .block: "block"
        case .role: "role"
        case .remove: "remove"
        }
    }
}

/// A moderation that is not possible.
public struct ModerationError: CodedError, Sendable, Hashable {
    /// A stable code.
    public enum Code: String, Sendable, Hashable {
        /// The member is a moderator, admin or owner.
        case exempt = "moderation.exempt"
        /// There is no such case: the newest 200 of a group are kept.
        case noCase = "moderation.noCase"
        /// The case was undone before, or has ended.
        case undone = "moderation.undone"
        /// The action cannot be taken back.
        case final = "moderation.final"
        /// The number of points is not from 1 to 1,000.
        case points = "moderation.points"
    }

    /// The code.
    public let code: Code
    /// A message that a person can act on.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension BotMember {
    private var scope: StateScope { .person(.member(id, of: group.id)) }

    /// Warns the member, and opens a case. The member is not notified: the caller can do that.
    ///
    /// - Parameters:
    ///   - points: 1 to 1,000; they add up with those of earlier warnings, as ``warningPoints()`` tells.
    ///   - reason: the reason for moderators.
    ///   - evidence: the text that the warning is about; its beginning is kept.
    ///   - limit: the time after which the points do not count any more; nil for never.
    @discardableResult
    public func warn(points: Int = 1, reason: String? = nil, evidence: String = "", expiresAfter limit: Duration? = nil) async throws -> ModerationCase {
        try await moderate(.warn(points: points), reason: reason, evidence: evidence, expiresAfter: limit)
    }

    /// Acts against the member, and opens a case in the record of the group.
    ///
    /// - Parameters:
    ///   - rule: the name of the rule that applies.
    ///   - reason: the reason for moderators.
    ///   - evidence: the text that the action is about; its beginning is kept.
    ///   - actor: the person who asked for the action; nil for the bot itself.
    ///   - limit: the time after which the action is taken back, also over restarts; nil for never. Not for a removal.
    ///   - includesModerators: whether moderators, admins and owners are acted against, too.
    /// - Returns: the case.
    /// - Throws: ``ModerationError``; `ChatCoreError` if the bot may not do it.
    @discardableResult
    public func moderate(
        _ action: ModerationAction, rule: String = "", reason: String? = nil, evidence: String = "", by actor: String? = nil,
        expiresAfter limit: Duration? = nil, includingModerators includesModerators: Bool = false
    ) async throws -> ModerationCase {
        guard includesModerators || !isModerator else {
            throw ModerationError(.exempt, "\(name) is a moderator: say includingModerators: true to act against moderators")
        }
        if case .warn(let points) = action, !(1...1_000 ~= points) { throw ModerationError(.points, "a warning has 1 to 1,000 points") }
        let client = BotClient(bot: group.bot, effects: group.effects), chat = StateScope.chat(.group(group.id)), now = client.now.timeIntervalSince1970
        // Before the action: without a readable record, there is no case.
        let number = try await client.takeCaseNumbers(in: group.id) { next in
            defer { next += 1 }
            return next
        }
        let expiry = limit.map { now + $0.seconds }
        let new = ModerationCase(
            number: number, rule: rule, action: action.word, reason: reason, member: id.rawValue, name: displayName,
            roleBefore: action.word == "role" ? role.code : nil, evidence: evidence, time: now, expires: expiry, actor: actor)
        if case .warn(let points) = action {
            let opened = try await client.update(ModerationRecord.self, of: chat) { $0.add(new) }
            client.log(opened, in: group.id)
            let warning = ModerationWarning(points: points, expires: expiry, number: opened.number, time: now)
            try await client.update(WarningRecord.self, of: scope) { $0.warnings.warn(warning, at: now) }
            return opened
        }
        return try await client.open(new, in: group.id, endingAfter: limit) {
            switch action {
            case .warn: break
            case .block: try await block()
            case .role(let role): try await setRole(role)
            case .remove(let withMessages): try await remove(withMessages: withMessages)
            }
        }
    }

    /// The points of the warnings that count now.
    public func warningPoints() async throws -> Int {
        let client = BotClient(bot: group.bot, effects: group.effects)
        return try await client.state(WarningRecord.self, of: scope).warnings.points(at: client.now.timeIntervalSince1970)
    }

    /// Forgets all warnings of the member. Their cases stay in the record.
    public func forgive() async throws {
        let client = BotClient(bot: group.bot, effects: group.effects), known = try await client.state(WarningRecord.self, of: scope).warnings
        try await client.update(WarningRecord.self, of: scope) { $0.warnings.forgive(known) }
    }
}

extension BotGroup {
    /// The cases of the group, the oldest first; the newest 200 are kept. Those of rules in bots.yaml are among them.
    public func cases() async throws -> [ModerationCase] {
        try await BotClient(bot: bot, effects: effects).state(ModerationRecord.self, of: .chat(.group(id))).cases
    }

    /// Undoes the action of a case: a warning, a block or a change of a role. A member who is blocked by another case, too, stays blocked, and one
    /// whose role was changed again later keeps it until that change is taken back.
    ///
    /// - Parameters:
    ///   - number: the number of the case; nil for the newest that can be taken back.
    ///   - name: the person who undoes the case, for the record.
    /// - Returns: the case as it is then.
    /// - Throws: ``ModerationError``; `ChatCoreError` if the bot may not do it.
    @discardableResult
    public func undoCase(_ number: Int? = nil, by name: String) async throws -> ModerationCase {
        let client = BotClient(bot: bot, effects: effects), scope = StateScope.chat(.group(id))
        let record = try await client.state(ModerationRecord.self, of: scope)
        guard var found = record.open(number) else {
            throw ModerationError(.noCase, number.map { "there is no case \($0)" } ?? "there is no case to undo")
        }
        if let before = found.undoneBy { throw ModerationError(.undone, "case \(found.number) was undone before, by \(before)") }
        guard found.isReversible, let member = found.member.map({ GroupMemberID($0) }) else {
            throw ModerationError(.final, "case \(found.number) cannot be undone: \(found.action) is final")
        }
        switch found.action {
        case "block", "role": try await takeBack(found, against: member, record, client)
        default:
            let number = found.number, warnings = try await client.state(WarningRecord.self, of: .person(.member(member, of: id))).warnings
            guard found.rule.isEmpty || warnings.contains(where: { $0.number == number }) else {
                throw ModerationError(.final, "case \(number) is a warning of a rule, or has expired: a rule with undo takes back what rules have given")
            }
            try await client.update(WarningRecord.self, of: .person(.member(member, of: id))) { $0.warnings.revoke(number) }
        }
        found.undoneBy = name
        try await client.update(ModerationRecord.self, of: scope, lasting: found.action != "warn") { [number = found.number] in $0.markUndone(number, by: name)
        }
        if found.expires != nil { try await client.cancelEnd(of: found, in: id) }
        client.log(found, in: id)
        return found
    }

    /// Takes back a block or a role, unless another case holds.
    private func takeBack(_ found: ModerationCase, against member: GroupMemberID, _ record: ModerationRecord, _ client: BotClient) async throws {
        let isHeld = record.outlasts(found, at: client.now.timeIntervalSince1970)
        guard found.action == "role" else { return isHeld ? () : try await self.member(member).unblock() }
        guard let code = found.roleBefore else {
            throw ModerationError(.final, "case \(found.number) cannot be undone: the role before is not known")
        }
        if !isHeld { try await self.member(member).setRole(GroupMemberRole(code: code)) }
    }

    /// Undoes the action of a case that is no longer in the record.
    func end(_ forgotten: ModerationCase) async throws {
        guard let member = forgotten.member else { return }
        let client = BotClient(bot: bot, effects: effects), scope = StateScope.chat(.group(id))
        try await takeBack(forgotten, against: GroupMemberID(member), try await client.state(ModerationRecord.self, of: scope), client)
        try await client.update(ModerationRecord.self, of: scope, lasting: true) { $0.passOn(forgotten) }
    }

    /// Deletes the name and the texts of a member from its cases, and the stored values of the member, at the request of that person. The cases stay
    /// with their numbers, actions and reasons.
    public func deleteData(of member: GroupMemberID) async throws {
        let client = BotClient(bot: bot, effects: effects)
        try await client.update(ModerationRecord.self, of: .chat(.group(id))) { $0.erase(member.rawValue) }
        try await client.deleteData(of: .member(member, of: id))
    }
}

extension BotClient {
    /// Takes numbers for cases of a group that no other handler gets.
    ///
    /// - Parameter take: gets the next number, and sets it to the one after those that it takes.
    package func takeCaseNumbers<Result: Sendable>(in group: GroupID, _ take: (inout Int) -> Result) async throws -> Result {
        let stored = try await state(ModerationRecord.self, of: .chat(.group(group))).next
        return try effects.runningServices().caseNumbers.take(in: group, from: stored, take)
    }

    /// Opens a case for an action that stays done if the handler fails, and has the action done.
    ///
    /// A handler that runs again after a crash opens the case then, and its action happens once. For events that do not come again the case is stored first,
    /// and confirmed when the handler has ended: a process that dies in between leaves no action without its case.
    ///
    /// - Parameters:
    ///   - limit: the time after which the action is taken back; nil for never.
    ///   - act: the action. If it throws there is no case.
    package func open(
        _ new: ModerationCase, in group: GroupID, endingAfter limit: Duration?, by act: () async throws -> Void
    ) async throws -> ModerationCase {
        var new = new
        if limit != nil || effects.event == nil { new.makeKey() }
        guard effects.event == nil else {
            try await act()
            let opened = try await update(ModerationRecord.self, of: .chat(.group(group)), lasting: true) { [new] in $0.add(new) }
            if let limit { try await scheduleEnd(of: opened, in: group, after: limit) }
            log(opened, in: group)
            return opened
        }
        let opened = try await atOnce { [new] client in
            let opened = try await client.update(ModerationRecord.self, of: .chat(.group(group))) { $0.add(new.unconfirmed) }
            if let limit { try await client.scheduleEnd(of: opened, in: group, after: limit) }
            return opened
        }
        do {
            try await act()
        } catch {
            // Whether an action was done that the end of the bots has interrupted is not known.
            guard !Task.isCancelled else { throw error }
            try await atOnce { client in
                try await client.update(ModerationRecord.self, of: .chat(.group(group))) { $0.withdraw(opened) }
                if limit != nil { try await client.cancelEnd(of: opened, in: group) }
            }
            throw error
        }
        log(opened, in: group)
        return try await update(ModerationRecord.self, of: .chat(.group(group)), lasting: true) { $0.confirm(opened) }
    }

    /// Logs a case that was opened, or taken back. The record holds no words and no names of people.
    package func log(_ entry: ModerationCase, in group: GroupID) {
        var metadata: Logger.Metadata = ["case": "\(entry.number)", "group": "\(group)", "action": "\(entry.action)"]
        if let member = entry.member { metadata["member"] = "\(member)" }
        if !entry.rule.isEmpty { metadata["rule"] = "\(entry.rule)" }
        if let end = entry.expires, entry.undoneBy == nil { metadata["end"] = "\(ModerationCase.text(of: end)) UTC" }
        logger.info(entry.undoneBy == nil ? "a case was opened" : "a case was taken back", metadata: metadata)
    }

    /// Stores changes in one transaction, without waiting for the end of the handler.
    private func atOnce<Result: Sendable>(_ body: (BotClient) async throws -> Result) async throws -> Result {
        let changes = HandlerChanges(), result = try await body(BotClient(bot: bot, effects: effects.named(nil, changes: changes)))
        try await effects.runningServices().commit(changes.current, .none, of: effects.userID)
        return result
    }

    /// Schedules the end of a case, also if the handler fails. The timer holds all data for that: newer cases can have pushed the case out of the record.
    private func scheduleEnd(of opened: ModerationCase, in group: GroupID, after limit: Duration) async throws {
        guard opened.isReversible else { return }
        let name = CaseExpiry.timerName, date = effects.now.addingTimeInterval(limit.seconds)
        try await effects.schedule(
            name, key: CaseExpiry.key(of: opened, in: group), at: date, json: try StateCoding.json(opened.ending, name: name), in: .group(group),
            expiringAfter: nil, lasting: true)
    }

    /// Cancels the end of a case that is taken back before, also if the handler fails.
    package func cancelEnd(of found: ModerationCase, in group: GroupID) async throws {
        try await effects.change(.cancel(kind: .once, name: CaseExpiry.timerName, key: CaseExpiry.key(of: found, in: group)), lasting: true)
    }
}

/// The end of a case by time.
enum CaseExpiry {
    /// The name of the timer.
    static let timerName = "parley.case"

    /// The key of the timer of a case. Earlier versions have used its number, which another handler can have taken before the case was stored.
    static func key(of opened: ModerationCase, in group: GroupID) -> String { "\(group)/\(opened.endKey ?? "\(opened.number)")" }

    /// Undoes the action of a timer's case. A case that was undone before is ignored.
    static func end(_ timer: TimerRecord, client: BotClient) async throws {
        guard let chat = timer.chat.flatMap({ ChatReference($0) }), let group = await client.groups.group(GroupID(chat.id)),
            let json = timer.value
        else { return }
        // Earlier versions have scheduled the number alone.
        let ending = try? JSONDecoder().decode(ModerationCase.self, from: json)
        var number = try ending?.number ?? JSONDecoder().decode(Int.self, from: json)
        if let ending, ending.endKey != nil {
            let record = try await client.state(ModerationRecord.self, of: .chat(.group(group.id)))
            guard let found = record.cases.first(where: { $0.endKey == ending.endKey }) else { return try await group.end(ending) }
            number = found.number
        }
        do {
            try await group.undoCase(number, by: "expiry")
        } catch let error as ModerationError {
            // A moderator has undone it, or newer cases have pushed it out of the record.
            if error.code == .noCase, let ending { try await group.end(ending) }
        }
    }
}
