import Foundation
import ProcessSupport
import Testing

/// A channel that one `parley run` owns, relays and moderates, and its readers at terminals.
@Suite struct ChannelChatTests {
    private static let bots = """
        parley: 1
        profiles:
          relay: { name: My Relay, relay: true }
          news:
            name: News Desk
            channels:
              daily: { name: Daily News, welcome: One post a day., relays: relay, preferences: { history: on, comments: on } }
            rules:
              - { when: { command: post, name: "^ann$" }, then: { post: { channel: Daily News, text: "{{ arguments }}" } } }
              - { when: { comment: true, words: [casino] }, then: [ { moderate: true }, { reply: "No advertisements, {{ member.name }}." } ] }
              - { when: { comment: true, contains: thank you }, then: { reply: "You are welcome, {{ member.name }}." } }
        """

    @Test func aReaderCommentsIsAnsweredAndModerated() async throws {
        let folder = try ScratchFolder("channel")
        defer { folder.remove() }
        let router = try ParleyProgram.start(["server", "smp", "start", "--port", "0", "--json", "--data", folder("router")], log: folder("log"))
        let server = try #require(try await router.ready().address)
        try folder.write(Self.bots, to: "bots.yaml")
        let host = try ParleyProgram.start(
            ["run", folder("bots.yaml"), "--data", folder("bots"), "--server", server, "--json"], log: folder("log"))
        let news = try #require(try await host.ready().profiles?.first { $0.name == "News Desk" })
        let channel = try #require(news.channels?.first?.link)
        func reader(_ name: String, _ link: String) throws -> ChildProcess {
            try ParleyProgram.start(
                ["chat", "--data", folder(name), "--name", name, "--server", server, "--connect", link, "--json"], input: nil, log: folder("log"))
        }
        let bob = try reader("bob", channel), cath = try reader("cath", channel)
        for person in [bob, cath] { try await person.said(#""event":"joined""#, #""chat":"Daily News""#, #""welcome":"One post a day.""#) }
        let ann = try reader("ann", try #require(news.shortAddress ?? news.address))
        try await ann.said(#""event":"connected""#)
        try ann.type("/post Hello all")
        let post = try await bob.item(#""event":"message""#, #""text":"Hello all""#)
        try await cath.said(#""event":"message""#, #""text":"Hello all""#)

        try await reporting([("bob", bob), ("cath", cath), ("ann", ann), ("the bots", host)]) {
            // Everybody reads a comment under its post.
            try bob.type(":comment Thank you!")
            try await cath.said(#""from":"bob""#, #""text":"Thank you!""#, #""post":"#)
            try await bob.said(#""text":"You are welcome, bob.""#, #""post":\#(post)"#)
            try ann.type("/post Second")
            try await bob.said(#""event":"message""#, #""text":"Second""#)
            try bob.type(":comment #\(post) Again to the first")
            try await cath.said(#""from":"bob""#, #""text":"Again to the first""#)
            try bob.type(":comments #\(post)")
            try await bob.said(#""text":"Hello all""#)
            try await bob.said(#""text":"Thank you!""#, #""post":\#(post)"#)
            try await bob.said(#""text":"Again to the first""#, #""post":\#(post)"#)

            // What breaks the rule goes everywhere.
            try cath.type(":comment win at the casino")
            try await bob.said(#""event":"deleted""#, #""chat":"Daily News""#)
            try await cath.said(#""event":"deleted""#, #""chat":"Daily News""#)
            try await cath.said(#""text":"No advertisements, cath.""#)

            // Only posts of channels are commented.
            try ann.type(":comment what?")
            try await ann.said(#""event":"error""#, #""code":"chat.noChannel""#)
        }
        for person in [ann, bob, cath] {
            person.endInput()
            #expect(try await person.exit() == 0, "\(person.logTail())")
        }
        for process in [host, router] {
            process.send(.terminate)
            #expect(try await process.exit() == 0)
        }
    }
}
