import Foundation
import Parley

/// Runs a channel whose posts can be commented, and moderates the comments.
///
/// ```sh
/// MODERATOR_WORDS='casino, lottery' MODERATOR_POSTER=ann CHANNEL_RELAYS='https://relay.example.org/r#…' swift run CommentModerator
/// ```
@main struct CommentModerator {
    static func main() async {
        let environment = ProcessInfo.processInfo.environment
        let relays = (environment["CHANNEL_RELAYS"] ?? "").split(separator: " ").map { ManagedChannel.Relay.address(String($0)) }
        guard !relays.isEmpty, let poster = environment["MODERATOR_POSTER"], !poster.isEmpty else {
            FileHandle.standardError.write(Data("CommentModerator: CHANNEL_RELAYS must name a relay, and MODERATOR_POSTER who may post\n".utf8))
            exit(2)
        }
        let policy = CommentPolicy(words: environment["MODERATOR_WORDS"] ?? "", allowsLinks: environment["MODERATOR_LINKS"] == "1")
        await bot(policy, channel: environment["CHANNEL_NAME"] ?? "News", poster: poster, relays: relays).run()
    }

    /// The bot that owns the channel.
    ///
    /// - Parameters:
    ///   - name: the name of the channel.
    ///   - poster: the trusted contact whose messages are posted.
    static func bot(_ policy: CommentPolicy, channel name: String, poster: String, relays: [ManagedChannel.Relay]) -> Bot {
        var bot = Bot("\(name) moderator", id: "moderator") {
            On(.comment) { comment in
                guard let member = comment.member, !member.isModerator else { return }
                let text = comment.text, time = comment.sentAt.timeIntervalSince1970
                switch try await comment.update(CommenterRecord.self, of: .person, { $0.decide(text, at: time, by: policy) }) {
                case .allowed: break
                case .warned(let offence):
                    try await comment.moderate()
                    try await comment.send("\(member.displayName), \(offence.rawValue).")
                case .blocked:
                    try await comment.moderate()
                    try await member.block()
                }
            }.includingBots()
            // A comment is changed into one that would not have been allowed.
            On(.edited, in: .groups) { edit in
                guard let member = edit.member, !member.isModerator, policy.offence(of: edit.text) != nil else { return }
                try await edit.moderate()
            }.includingBots()
            On(.report) { report in
                let reporter = report.person.description
                guard let item = report.reportedItem?.rawValue, report.reportedMember?.isModerator == false else { return }
                let isEnough = try await report.update(Reports.self, of: .bot) { $0.add(item, by: reporter, limit: policy.reportLimit) }
                if isEnough {
                    try await report.moderate()
                    try await report.archive()
                }
                try await report.reply(isEnough ? "Thank you. The comment is deleted." : "Thank you. The owner can see your report.")
            }
            On(.command("close", "Close the last post for comments") && .fromTrustedContact) { message in
                guard let channel = try await message.groups.managed("channel"),
                    let post = try await channel.chat.history().last(where: { !$0.isReceived })
                else {
                    try await message.reply("There is no post.")
                    return
                }
                try await channel.setComments(on: post.id, areOpen: false)
                try await message.reply("Closed: \(post.text)")
            }
            On(.command("writers", "List the subscribers and their numbers") && .fromTrustedContact) { message in
                let members = try await message.groups.managed("channel")?.members() ?? []
                let lines = members.filter { [.observer, .commenter].contains($0.role) }.map { "\($0.id) \($0.displayName)" }
                try await message.reply(lines.isEmpty ? "There are no subscribers who cannot write." : lines.joined(separator: "\n"))
            }
            On(.command("writer", "Let a subscriber write who cannot comment", .integer("number")), where: { $0.chat.trustedName != nil }) { call in
                // Names can be taken by others; the number is that of one member.
                guard let channel = try await call.groups.managed("channel"),
                    let member = try await channel.members().first(where: { $0.id.rawValue == Int64(call.arguments) })
                else {
                    try await call.reply("There is no subscriber of that number. /writers shows them.")
                    return
                }
                try await member.setRole(.member)
                try await call.reply("\(member.displayName) can write now.")
            }
            On(.text && .fromTrustedContact && !.isCommand) { message in
                guard let channel = try await message.groups.managed("channel") else {
                    try await message.reply("The channel is not made yet: no relay could be reached. Try again in a minute.")
                    return
                }
                try await channel.post(message.text)
                try await message.react("✅")
            }
            On(.anyMessage) { message in try await message.reply("Only the poster of this channel can post here.") }
        }
        var settings = GroupSettings(name)
        settings.preferences.set(.history, .on)
        settings.preferences.set(.comments, .on)
        bot.trustedContacts = [poster]
        bot.channels = [ManagedChannel("channel", settings, relays: relays)]
        return bot
    }
}
