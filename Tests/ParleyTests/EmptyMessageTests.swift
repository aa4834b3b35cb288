import ChatAPI
import ChatProtocol
import Logging
import ParleyRules
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Messages of which nothing would be shown: they are not sent, and it is said.
@Suite(.timeLimit(.minutes(5))) struct EmptyMessageTests {
    private static let invisible = [
        "", " \n\t", "\u{00A0}\u{3000}", "\u{200B}", "\u{FEFF} \u{2060}", "\u{00AD}", "\u{FE0F}", "\u{E0100}", "\u{3164}", "\u{2800}", "\u{1D173}",
        "\u{202E}\u{2069}",
        "\u{0301}", "\u{180E}", "\u{115F}\u{1160}", "\r\n",
    ]

    @Test(arguments: invisible) func nothingIsSeenOfATextOfIgnorableCharacters(_ text: String) { #expect(text.showsNothing) }

    @Test(arguments: [
        "a", "*", "* *", "_", "**", "/", "#", "👍", "❤", "0", ".", "`x`", "*a*", "#x#", "é", "e\u{0301}", "שלום", "\u{200B}a", "[a](https://b.example)", "@",
    ])
    func somethingIsSeenOfEveryOther(_ text: String) { #expect(!text.showsNothing) }

    @Test func aTextThatIsFormattedAwayShowsNothing() {
        for text in ["*\u{200B}*", "_\u{2060}_", "`\u{200B}`", "#\u{200B}#"] where Markdown.parse(text) != nil {
            #expect(text.showsNothing, "\(text.debugDescription)")
        }
    }

    @Test func noWayOfSendingInSwiftSendsIt() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        for id in 1...3 { try core.add(contact: ContactID(Int64(id)), name: "person \(id)") }
        try await runner.run(Bot("News") {}) { profiles, _ in
            let client = profiles[0].client, chat = try #require(await client.chat(.direct(1)))
            var failed = 0
            func expectEmpty(_ body: () async throws -> Void) async {
                do {
                    try await body()
                } catch let error as ChatCoreError {
                    if error.code == .emptyMessage { failed += 1 }
                } catch {}
            }
            await expectEmpty { try await chat.send("") }
            await expectEmpty { try await chat.send(" \u{200B}\n") }
            await expectEmpty { try await client.send("", to: .direct(1)) }
            await expectEmpty { try await chat.announce("", onceAs: "key") }
            await expectEmpty { _ = try await chat.sendLive("") }
            await expectEmpty { try await client.broadcast("\u{2060}", to: [.direct(1), .direct(2)], onceAs: "monday") }
            await expectEmpty { _ = try await chat.sendAndWait("", within: .seconds(1)) }
            #expect(failed == 7)
            let progress = try await client.broadcastProgress("monday")
            #expect(progress == nil, "the key is free")
            let sent = try await chat.send("seen")
            await expectEmpty { try await sent.edit(" ") }
            #expect(failed == 8)
        }
        #expect(core.sent(to: 1) == ["seen"] && core.sent(to: 2).isEmpty)
    }

    private static func bot(_ rules: String) throws -> Bot {
        try #require(try BotsFile(parsing: "parley: 1\nprofiles:\n  news:\n    trusted-contacts: [ann, ben]\n" + rules).makeBots().first)
    }

    /// The recipe of the documentation, without a text.
    @Test func aBroadcastWithoutATextGoesToNobodyAndItsWriterLearnsIt() async throws {
        let bot = try Self.bot(
            """
                rules:
                  - { when: { command: news }, then: [ { send: "{{ arguments }}" }, { send: It is on its way. } ] }
            """)
        let runner = try BotSessionRunner(), core = runner.core, ann = try core.add(contact: 4, name: "ann")
        try await runner.run(bot) { _, session in
            core.receive("/news", from: ann)
            await core.waitForSent(1, to: 4)
            core.receive("/news hello", from: ann)
            await core.waitForSent(3, to: 4)
            await session.settle()
            #expect(runner.monitor.failures.map(\.code) == ["send.empty"])
        }
        #expect(core.sent(to: 4) == ["Nothing was sent: there is no text.", "hello", "It is on its way."])
    }

    @Test func aRuleTellsNobodyAnEmptyTextAndTheFailureIsCounted() async throws {
        let bot = try Self.bot(
            """
                rules:
                  - { when: { message: any }, then: [ { tell: { chat: ben, text: "{{ text }}" } }, { send: passed on } ] }
            """)
        let runner = try BotSessionRunner(), core = runner.core, ann = try core.add(contact: 4, name: "ann")
        try core.add(contact: 5, name: "ben", link: "ben")
        try await runner.run(bot) { _, session in
            core.receive("\u{200B}", from: ann)
            try await eventually("it is counted") { runner.monitor.failures.map(\.code) == ["send.empty"] }
            await session.settle()
        }
        #expect(core.sent(to: 4).isEmpty && core.sent(to: 5).isEmpty)
    }

    @Test func aTestOfRulesSeesWhatTheBotWouldSay() throws {
        let file = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  news:
                    trusted-contacts: ann
                    rules:
                      - { when: { command: news, from: ann }, then: [ { broadcast: "{{ arguments }}" }, { reply: It is on its way. } ] }
                    tests:
                      - { say: /news, from: ann, replies: "Nothing was sent: there is no text." }
                      - { say: /news now, from: ann, replies: [now, It is on its way.] }
                """)
        let profile = file.profiles[0], rules = try RuleSet(profile.rules)
        for test in profile.tests { #expect(test.run(rules, bot: "news").isEmpty) }
    }

    @Test(arguments: ["\"\\u200B\"", "\"\\u2060 \\uFE0F\""]) func aTextOfAFileOfWhichNothingIsSeenIsRefused(_ text: String) {
        #expect(throws: BotsFileError.self) {
            try BotsFile(parsing: "parley: 1\nprofiles: { a: { rules: [ { when: { text: x }, then: { send: \(text) } } ] } }")
        }
    }
}
