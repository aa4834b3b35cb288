import Foundation
import Logging
import Parley
import Synchronization

/// Moderates its group, and those that it is invited to as a moderator. Run it with `swift run GuardBot`.
///
/// `GUARD_WORDS` are forbidden words, separated by commas; `GUARD_LINKS=web,simplex` allows links; `GUARD_PENALTY=remove` removes instead of
/// blocking; `GUARD_WARNINGS` and `GUARD_FLOOD` change the limits. Moderators, admins and owners are never touched: they see what was done with `/cases`, and take it back with `/undo`. The log has no text of
/// anybody.
@main struct GuardBot {
    static func main() async {
        let environment = ProcessInfo.processInfo.environment
        await bot(Guardian(policy: policy(environment)), group: environment["GUARD_GROUP"] ?? "Guarded").run()
    }

    static func bot(_ guardian: Guardian, group: String) -> Bot {
        var bot = Bot("Guard", bio: "I keep this group tidy", address: .none) {
            On(.command("rules", "The rules of this group"), in: .groups) { message in
                try await message.reply(guardian.rules)
            }
            On(.command("cases", "What I have done") && .fromModerator, in: .groups) { message in
                let cases = try await message.group?.cases() ?? []
                try await message.reply(cases.isEmpty ? "Nothing." : cases.suffix(10).map(\.line).joined(separator: "\n"))
            }
            On(.command("undo", .integer("case")), in: .groups, where: { $0.message.member?.isModerator == true }) { command in
                do {
                    let undone = try await command.group?.undoCase(command.arguments, by: command.message.senderName)
                    try await command.reply(undone?.line ?? "")
                } catch let error as ModerationError {
                    try await command.reply(error.message)
                }
            }
            On(.groupInvitation) { invitation in try await invitation.join() }
            On(.anyMessage, in: .groups) { message in
                try await guardian.look(at: message, message.member, in: message.group, message.text) { try await message.moderate() }
            }.includingBots()
            On(.edited, in: .groups) { edit in
                try await guardian.look(at: edit, edit.member, in: edit.group, edit.text) { try await edit.moderate() }
            }.includingBots()
            On(.report) { report in
                guard let member = report.reportedMember, !member.isModerator else { return }
                guardian.log("report", member, ["reason": "\(report.reason)"])
                try await report.reply("Thank you. The moderators see your report.")
            }
        }
        bot.groups = [ManagedGroup("group", GroupSettings(group, welcome: guardian.rules))]
        return bot
    }

    /// The policy that environment variables describe.
    static func policy(_ environment: [String: String]) -> GuardPolicy {
        func list(_ name: String) -> [String] {
            (environment[name] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        }
        var policy = GuardPolicy()
        policy.forbiddenWords = Set(list("GUARD_WORDS").map { $0.folding(options: [.diacriticInsensitive], locale: nil) })
        policy.allowsWebLinks = list("GUARD_LINKS").contains("web")
        policy.allowsSimpleXLinks = list("GUARD_LINKS").contains("simplex")
        if list("GUARD_PENALTY") == ["remove"] { policy.penalty = .remove }
        func limit(_ name: String) -> Int? { environment[name].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } }
        policy.warnings = limit("GUARD_WARNINGS") ?? policy.warnings
        policy.floodLimit = limit("GUARD_FLOOD").map { min($0, GuardPolicy.highestFloodLimit) } ?? policy.floodLimit
        return policy
    }
}

/// Carries out what the policy decides.
final class Guardian: Sendable {
    let policy: GuardPolicy
    private let floods = Mutex(FloodCounter())
    private let logger = Logger(label: "guard")

    init(policy: GuardPolicy) { self.policy = policy }

    var rules: String {
        var rules = ["Be kind.", "No floods: at most \(policy.floodLimit) messages in \(Int(policy.floodWindow)) seconds."]
        if !policy.allowsWebLinks { rules.append("No web links.") }
        if !policy.allowsSimpleXLinks { rules.append("No SimpleX links.") }
        return rules.joined(separator: "\n")
    }

    func look(
        at context: some ChatContext, _ member: BotMember?, in group: BotGroup?, _ text: String, delete: @Sendable () async throws -> Void
    ) async throws {
        guard let member, let group, !member.isModerator, group.canModerate else { return }
        let isFlood = floods.withLock { $0.note("\(group.id)/\(member.id)", at: context.client.now.timeIntervalSince1970, by: policy) }
        guard let offence = policy.offence(of: text) ?? (isFlood ? .flood : nil) else { return }
        try await delete()
        try await member.warn(reason: offence.rawValue, evidence: text, expiresAfter: .seconds(policy.forgivingPeriod))
        let count = try await member.warningPoints()
        guard count > policy.warnings else {
            log("warned", member, ["offence": "\(offence)", "count": "\(count)"])
            try await context.send("\(member.displayName), that is against the rules (\(count) of \(policy.warnings) warnings). See /rules.")
            return
        }
        // Only admins may remove.
        let removes = policy.penalty == .remove && group.canManageMembers
        log(removes ? "removed" : "blocked", member, ["offence": "\(offence)"])
        try await member.moderate(removes ? .remove(withMessages: true) : .block, reason: offence.rawValue)
    }

    func log(_ what: String, _ member: BotMember, _ more: Logger.Metadata) {
        logger.notice("\(what)", metadata: more.merging(["group": "\(member.group.id)", "member": "\(member.id)"]) { first, _ in first })
    }
}
