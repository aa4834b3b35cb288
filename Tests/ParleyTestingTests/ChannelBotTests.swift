import ChatProtocol
import Parley
import ParleyTesting
import Synchronization
import TestSupport
import Testing

private let relay: Bot = {
    var bot = Bot("Relay", id: "relay") {}
    bot.isRelay = true
    return bot
}()

/// The texts and kinds that handlers got.
private final class Seen: Sendable {
    private let entries = Mutex<[String]>([])
    func add(_ entry: String) { entries.withLock { $0.append(entry) } }
    var all: [String] { entries.withLock(\.self) }
}

private func owner(_ seen: Seen, @HandlerBuilder handlers: () -> Handlers) -> Bot {
    var bot = Bot("Owner", id: "owner", handlers: handlers)
    let preferences = GroupPreferences(history: .init(enable: .on), comments: .init(enable: .on))
    bot.channels = [ManagedChannel("news", GroupSettings("News", preferences: preferences), relays: [.bot("relay")])]
    return bot
}

@Suite("The bot of a channel under test") struct ChannelBotTests {
    @Test(
        "answers a comment among the comments, and moderates another, at the owner's and the reader's side",
        arguments: TestDepth.allCases)
    func comments(_ depth: TestDepth) async throws {
        let seen = Seen()
        let owner = owner(seen) {
            On(.comment && .contains("spam")) { try await $0.moderate() }
            On(.comment) { comment in
                seen.add("comment \(comment.text)")
                try await comment.reply("Thank you, \(comment.senderName)")
            }
            On(.relayChanged) { seen.add("relay \($0.isActive)") }
            On(.postReaction) { seen.add("reaction \($0.emoji)") }
            On(.anyMessage, in: .groups) { seen.add("message \($0.text)") }
        }
        try await withBots(relay, owner, depth: depth) { room in
            let ann = try await room.stranger("Ann"), bob = try await room.stranger("Bob")
            for person in [ann, bob] { try await person.subscribe(to: "news") }
            let channel = try #require(await room.bot("owner").groups.channels.first)
            let post = try await channel.post("Hello")
            try await ann.expect("Hello", in: "News")
            try await ann.comment("Nice", on: "Hello", in: "News")
            for person in [ann, bob] {
                let answer = try await person.expectComment("Thank you, Ann", on: "Hello", in: "News")
                #expect(answer.quote == "Nice")
            }
            try await bob.comment("spam here", on: "Hello", in: "News")
            for person in [ann, bob] { try await person.expectDeletedComment(on: "Hello", in: "News") }
            #expect(try await #require(post.comments).history().count == 2)
            try await ann.react("👍", in: "News")
            try await eventually("the reaction comes") { seen.all.contains("reaction 👍") }
            #expect(seen.all.filter { $0.hasPrefix("message") } == [])
            #expect(seen.all.filter { $0.hasPrefix("comment") } == ["comment Nice"])
            #expect(try await ann.conversation(in: "News").map(\.text) == ["Hello"])
        }
    }

    @Test("gets each comment once, also after a restart, and closes a post and opens it again") func readers() async throws {
        let seen = Seen()
        let owner = owner(seen) { On(.comment) { seen.add($0.text) } }
        try await withBots(relay, owner) { room in
            let ann = try await room.stranger("Ann")
            try await ann.subscribe(to: "news")
            let channel = try #require(await room.bot("owner").groups.channels.first)
            let post = try await channel.post("Hello")
            try await ann.expect("Hello", in: "News")
            try await ann.comment("one", on: "Hello", in: "News")
            try await eventually("the comment comes") { seen.all == ["one"] }
            try await channel.setComments(on: post.id, areOpen: false)
            try await eventually("the post is closed at the reader") {
                do {
                    try await ann.comment("refused", on: "Hello", in: "News")
                    return false
                } catch {
                    return true
                }
            }
            try await room.restart()
            #expect(seen.all == ["one"], "a comment that was handled comes again after a restart")
            let again = try #require(await room.bot("owner").groups.channels.first)
            try await again.setComments(on: post.id, areOpen: true)
            try await eventually("the post is open again") { (try? await ann.comment("two", on: "Hello", in: "News")) != nil }
            try await eventually("the second comment comes") { seen.all == ["one", "two"] }
        }
    }

    @Test("gets the posts of a channel that it subscribes to") func subscriber() async throws {
        let seen = Seen()
        let reader = Bot("Reader", id: "reader") { On(.post) { seen.add($0.text) } }
        try await withBots(relay, owner(Seen()) {}, reader) { room in
            let channel = try #require(await room.bot("owner").groups.channels.first)
            let subscriber = try room.bot("reader")
            try await subscriber.groups.join(link: try #require(channel.channelLink))
            try await eventually("subscribed") { await subscriber.groups.channels.first?.isMember == true }
            try await channel.post("Hello")
            try await eventually("the post comes") { seen.all == ["Hello"] }
        }
    }

    @Test("shows invitations to relay to a program, again if it postpones its answer, and serves what it accepts") func invitations() async throws {
        let shown = Seen(), seen = Seen()
        var judge = relay
        judge.answersChannelInvitation = { invitation in
            shown.add("\(invitation.channelName) of \(invitation.ownerName), \(invitation.ownerKeys.count) key, \(invitation.servedChannels) served")
            return shown.all.count == 1 ? .postpone : .accept
        }
        try await withBots(judge, owner(seen) { On(.relayChanged) { seen.add("relay \($0.isActive)") } }) { room in
            let ann = try await room.stranger("Ann")
            try await ann.subscribe(to: "news")
            let channel = try #require(await room.bot("owner").groups.channels.first)
            try await channel.post("Hello")
            try await ann.expect("Hello", in: "News")
            #expect(shown.all == Array(repeating: "News of Owner, 1 key, 0 served", count: 2))
        }
    }

    @Test("does not serve what its program refuses") func refusedInvitations() async throws {
        let shown = Seen()
        var judge = relay
        judge.answersChannelInvitation = { invitation in
            shown.add(invitation.channelName)
            return .refuse
        }
        try await withBots(judge, owner(Seen()) {}) { room in
            try await eventually("the invitation is shown") { shown.all == ["News"] }
            try await room.settle()
            let served = try await room.bot("relay").groups.all.filter(\.isMember)
            #expect(served.isEmpty)
            #expect(shown.all == ["News"])
        }
    }
}
