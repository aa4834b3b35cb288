import Foundation
import Parley

/// A directory of groups: owners submit them, admins of the directory approve them, and people find them.
///
/// ```sh
/// DIRECTORY_ADMINS="ann, ben" swift run DirectoryBot
/// ```
@main struct DirectoryBot {
    static func main() async {
        let environment = ProcessInfo.processInfo.environment
        func list(_ name: String) -> [String] {
            (environment[name] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }
        guard !list("DIRECTORY_ADMINS").isEmpty else {
            FileHandle.standardError.write(Data("DirectoryBot: DIRECTORY_ADMINS names nobody who could approve a group\n".utf8))
            exit(2)
        }
        await bot(admins: list("DIRECTORY_ADMINS"), forbiddenNames: Set(list("DIRECTORY_NAMES"))).run()
    }

    private static let welcome = "Welcome! Write what a group should be about. To list a group of yours, invite me to it as an admin. /help shows more."

    /// - Parameters:
    ///   - admins: the trusted contacts who approve groups.
    ///   - forbiddenNames: parts of names of newcomers that groups with a filter refuse.
    static func bot(admins: [String], forbiddenNames: Set<String> = []) -> Bot {
        let directory = Directory(admins: admins, forbiddenNames: forbiddenNames)
        var bot = Bot("Directory", bio: "I know groups", address: .automatic(welcome: welcome)) {
            groups(directory)
            Use(.limit(20, per: .seconds(60)) { call in try await call.message?.reply("Too fast. Wait a minute, please.") })
            On.help("Write what a group should be about. To list a group of yours, invite me to it as an admin.")
            people(directory)
            submitters(directory)
            reviewers(directory)
            On(.text && !.isCommand) { try await $0.answer(Search($0.text), directory) }
            On(.anyMessage) { try await $0.send("I do not understand that. Send /help.") }
        }
        bot.trustedContacts = admins
        return bot
    }

    /// The groups themselves.
    private static func groups(_ directory: Directory) -> Handlers {
        Handlers {
            On(.groupInvitation) { invitation in
                guard invitation.role >= .admin else {
                    try await invitation.send("To list \(invitation.groupName), invite me as an admin.")
                    return
                }
                let key = "#\(invitation.invitation.groupID)", submission = Submissions.Submission(submitter: invitation.person.description)
                guard try await invitation.update(Submissions.self, of: .bot, { $0.note(submission, as: key) }) else {
                    try await invitation.send("Too many groups wait. Try again tomorrow.")
                    return
                }
                try await invitation.join()
                try await invitation.client.schedule("submitted", after: .zero, in: .group(invitation.invitation.groupID))
            }
            // A submission is stored when its handler ends. A group that was joined before has its turn here, in the order of its chat.
            On(.scheduled("submitted")) { timer in if let group = timer.chat?.group { try await directory.joined(group, timer.client) } }
            On(.groupJoined) { if let group = $0.group { try await directory.joined(group, $0.client) } }
            for trigger in [Trigger<GroupContext>.groupUpdated, .botRoleChanged, .groupEnded] {
                On(trigger) { if let group = $0.group { try await directory.review(group, $0.client) } }
            }
            On(.memberChanged, where: { $0.change.endsOwnership }) { try await directory.ownerGone($0.member, $0.client) }
            // A change that was missed, as the process ended at that moment, is found at the next start.
            On(.started) { start in
                for group in await start.groups.all {
                    try await directory.joined(group, start.client)
                    try await directory.review(group, start.client)
                }
            }
            On(.memberPending) { newcomer in
                let member = newcomer.member
                let admission = try await newcomer.state(Listing.self, of: .chat(.group(member.group.id))).admission
                guard admission != .manual else { return }
                if directory.isForbidden(member.displayName) {
                    try await member.reject()
                } else if admission == .captcha {
                    try await newcomer.ask(Captcha())
                } else {
                    try await member.accept()
                }
            }
            On.captchaAnswers
        }
    }

    /// The commands of everybody.
    private static func people(_ directory: Directory) -> Handlers {
        Handlers {
            On(.command("new", "Show the newest groups")) { try await $0.answer(Search("", isNewestFirst: true), directory) }
            On(.command("all", "Show the groups with the most members")) { try await $0.answer(Search(""), directory) }
            On(.command("next", "Show more")) { try await $0.answer(try await $0.state(Search.self), directory) }
            On(.command("submit", "Submit a group by its link", .word("link"))) { call in
                let link = call.arguments, submission = Submissions.Submission(submitter: call.person.description, link: link)
                do {
                    let full = try await call.groups.fullLink(link)
                    guard try await call.update(Submissions.self, of: .bot, { $0.note(submission, as: link, full) }) else {
                        try await call.reply("Too many groups wait. Try again tomorrow.")
                        return
                    }
                    try await call.groups.join(link: link)
                    try await call.reply("I join the group. I write to you when I am a member.")
                    for group in await call.groups.all where group.submissionKeys.contains(full) {
                        try await call.client.schedule("submitted", after: .zero, in: .group(group.id))
                    }
                } catch {
                    try await call.update(Submissions.self, of: .bot) { $0.remove(submission) }
                    try await call.reply("I cannot join by this link.")
                }
            }
        }
    }

    /// The commands of those who submitted groups.
    private static func submitters(_ directory: Directory) -> Handlers {
        Handlers {
            On(.command("list", "Show the groups that you submitted")) { message in
                let own = try await directory.items(message.client).filter { $0.listing.submitter == message.person.description }
                let lines = own.map { "\($0.number). \($0.name): \($0.listing.status.rawValue)" }
                try await message.send(lines.isEmpty ? "You have submitted no group." : lines.joined(separator: "\n"))
            }
            On(.command("confirm", "Confirm the description of your group", .integer("number"))) { call in
                guard let item = try await directory.ownItem(call.arguments, call) else { return }
                guard try await directory.update(item.group, call.client, { $0.confirm() }) else {
                    try await call.reply("\(item.name) is \(item.listing.status.rawValue): there is nothing to confirm.")
                    return
                }
                try await directory.askAdmins(item, call.client)
                try await call.reply("Thank you. The admins of the directory decide about \(item.name).")
            }
            On(.command("filter", "Filter new members of your group", .integer("number"), .choice("admission", of: Listing.Admission.self))) { call in
                let (number, admission) = call.arguments
                guard let item = try await directory.ownItem(number, call) else { return }
                guard item.listing.isByOwner else {
                    try await call.reply("I can filter only groups whose owner has invited me as an admin.")
                    return
                }
                try await directory.update(item.group, call.client) { $0.admission = admission }
                let reviews = item.group.info.groupProfile.memberAdmission?.review != nil
                try await call.reply(
                    "New members of \(item.name): \(admission.rawValue)."
                        + (reviews || admission == .manual ? "" : " Also let admins review new members, in the settings of the group."))
            }
            On(.command("delete", "Take your group out of the directory", .integer("number"))) { call in
                guard let item = try await directory.ownItem(call.arguments, call) else { return }
                try await directory.update(item.group, call.client) { $0 = Listing() }
                if item.group.isMember { try await item.group.leave() }
                try await call.reply("\(item.name) is not in the directory any more.")
            }
        }
    }

    /// The commands of the admins of the directory.
    private static func reviewers(_ directory: Directory) -> Handlers {
        Handlers {
            Use { call, next in
                guard call.chat?.trustedName != nil else {
                    try await call.message?.reply("Only admins of the directory can do that.")
                    return
                }
                try await next()
            }
            On(.command("pending")) { message in
                let waiting = try await directory.items(message.client).filter { $0.listing.status == .pending }
                for item in waiting.prefix(Search.pageSize) { try await message.send(directory.text(of: item)) }
                try await message.send("\(waiting.count) wait.")
            }
            On(.command("approve", .custom("number.revision", "two numbers like 3.1", Approval.init))) { call in
                let approval = call.arguments, now = call.client.now
                guard let item = try await directory.item(approval.number, call.client) else { return try await call.unknown(approval.number) }
                let facts = GroupFacts(item.group)
                let isApproved = try await directory.update(item.group, call.client) { listing in
                    facts.description == listing.description && listing.approve(approval.revision, at: now)
                }
                guard isApproved else {
                    try await call.reply("\(item.name) does not wait in that form. See /pending.")
                    return
                }
                try await directory.tell(item.listing.submitter, "\(item.name) is listed now.", call.client)
                try await call.reply("\(item.name) is listed.")
            }
            On(.command("reject", .integer("number"), .optional(.rest("reason")))) { call in
                let (number, reason) = call.arguments
                guard let item = try await directory.item(number, call.client) else { return try await call.unknown(number) }
                try await directory.update(item.group, call.client) { $0.status = .rejected }
                try await directory.tell(item.listing.submitter, "\(item.name) is not listed" + (reason.map { ": \($0)" } ?? "."), call.client)
                try await call.reply("\(item.name) is rejected.")
            }
            On(.command("suspend", .integer("number"))) { call in
                guard let item = try await directory.item(call.arguments, call.client) else { return try await call.unknown(call.arguments) }
                try await directory.update(item.group, call.client) { $0.status = .suspended }
                try await call.reply("\(item.name) is suspended.")
            }
            On(.command("resume", .integer("number"))) { call in
                guard let item = try await directory.item(call.arguments, call.client), item.listing.status == .suspended else {
                    return try await call.unknown(call.arguments)
                }
                // What was changed meanwhile has to be approved.
                try await directory.update(item.group, call.client) { $0.status = .listed }
                try await directory.review(item.group, call.client)
                try await call.reply("\(item.name) is resumed.")
            }
        }
    }
}

/// The argument of `/approve`.
struct Approval: Hashable, Sendable {
    let number: Int
    let revision: Int

    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int(parts[0]), let revision = Int(parts[1]) else { return nil }
        (self.number, self.revision) = (number, revision)
    }
}

extension MemberChange {
    /// True if an owner who did or suffered this is none any more.
    fileprivate var endsOwnership: Bool {
        switch self {
        case .left, .removed: true
        case .role(_, let new): new != .owner
        default: false
        }
    }
}

extension MessageContext {
    /// Answers with a page of what a search finds, and remembers how far it came.
    fileprivate func answer(_ search: Search, _ directory: Directory) async throws {
        let entries = try await directory.entries(client)
        var next = search
        let text = next.next(entries), stored = next
        try await update(Search.self) { $0 = stored }
        try await send(text)
    }
}

extension CommandContext {
    fileprivate func unknown(_ number: Int) async throws { try await reply("There is no group \(number) to do that with.") }
}

extension Directory {
    /// The group of a number that the person submitted; otherwise the person is told.
    fileprivate func ownItem<each Value: Sendable>(_ number: Int, _ call: CommandContext<repeat each Value>) async throws -> Item? {
        if let item = try await item(number, call.client), item.listing.submitter == call.person.description { return item }
        try await call.reply("You have submitted no group \(number). /list shows yours.")
        return nil
    }
}
