import ChatAPI
import Foundation
import Parley
import ParleyTesting
import Testing

@testable import ParleyRules

/// The names of trusted contacts are for the owner of the bot: others read the names that people have published.
@Suite(.timeLimit(.minutes(5))) struct AliasTests {
    private static let alias = "secret-alias"
    private static let head = """
        parley: 1
        profiles:
          guard:
            name: Guard
            trusted-contacts: [\(alias)]
            groups: { lobby: { name: Lobby, moderators: [\(alias)] } }
            forms: { f: { questions: [ { name: q, ask: "FORM" } ], done: { send: "FORM" } } }
            rules:

        """

    private static func isValid(_ source: String) -> Bool { (try? BotsFile(parsing: source)) != nil }

    /// A text with every value that the place has, but for aliases.
    private static func values(_ place: (String) -> String) -> String {
        Template.names.map(\.key).filter { !$0.hasSuffix(".alias") && isValid(place("{{ \($0) }}")) }.map { "\($0) is {{ \($0) }};" }.joined(separator: " ")
    }

    /// Rules for many events, each with all values.
    private static let file: String = {
        let conditions = [
            "{ connected: true }", "{ command: show }", "{ command: group, chat: group }", "{ member: joined }", "{ edited: true, chat: any }",
            "{ reaction: any, chat: any }", "{ deleted: true, chat: any }", "{ invitation: true }", "{ warned: \">= 1\" }",
            "{ report: true }", "{ pattern: \"(a)bra\", chat: any }", "{ file-received: true }",
        ]
        var text = head.replacing("FORM", with: values { head.replacing("FORM", with: $0) + "      - { when: { command: form }, then: { form: f } }\n" })
        for condition in conditions {
            let send = values { head + "      - { when: \(condition), then: { send: \"\($0)\" } }\n" }
            text += "      - { when: \(condition), then: { send: \"\(send)\" }, continue: true }\n"
        }
        return text + """
                  - { when: { command: form }, then: { form: f } }
                  - { when: { link: true, chat: group }, then: [ { warn: { points: 1 } }, { reply: "{{ member.mention }} {{ member.name }}" } ] }
                  - { when: { command: cases, role: [moderator, admin, owner] }, then: { cases: true } }
                  - { when: { command: undo, role: [moderator, admin, owner] }, then: { undo: true } }
                  - { when: { command: me }, then: { reply: "you are {{ contact.alias }}" } }
                  - { when: { command: us, chat: group }, then: { reply: "alias {{ member.alias }}." } }
            """
    }()

    @Test func noTextHasTheNameOfATrustedContactUnlessItAsksForIt() async throws {
        #expect(Template.names.map(\.key).filter { Self.file.contains("\($0) is {{") }.count >= 14)
        try await withBots(try BotsFile(parsing: Self.file).makeBots()) { room in
            let ann = try await room.person("Anna", trustedAs: Self.alias)
            try await ann.acceptInvitation(to: "Lobby")
            try await ann.expectMembership(of: "Lobby")
            let bob = try await room.person("Bob")
            try await bob.join(group: "lobby")
            for text in ["/show", "/form", "answer", "abra"] { try await ann.say(text) }
            try await room.settle()
            try await ann.edit("abra abra")
            try await room.settle()
            try await ann.react("👍", in: nil)
            for text in ["/group", "abra", "https://x.example"] { try await ann.say(text, in: "Lobby") }
            try await bob.say("https://x.example", in: "Lobby")
            try await room.settle()
            try await ann.say("/undo", in: "Lobby")
            try await room.settle()
            try await ann.say("/cases", in: "Lobby")
            try await ann.makeGroup(GroupSettings("Party"))
            try await ann.invite("Guard", to: "Party")
            try await room.settle()
            let direct = try await ann.conversation(in: "Guard").map(\.text)
            let texts = try await direct + ann.conversation(in: "Lobby").map(\.text) + bob.conversation(in: "Lobby").map(\.text)
            #expect(texts.filter { $0.localizedCaseInsensitiveContains("secret") } == [])
            for part in ["contact.name is Anna;", "member.name is Anna;", "member.mention is @Anna;", "inviter.name is Anna;", "undone by Anna", "@Bob Bob"] {
                #expect(texts.contains { $0.contains(part) }, "\(part)")
            }
            try await ann.say("/me")
            try await ann.say("/us", in: "Lobby")
            try await bob.say("/us", in: "Lobby")
            try await room.settle()
            #expect(try await ann.conversation(in: "Guard").contains { $0.text == "you are \(Self.alias)" })
            let shown = try await bob.conversation(in: "Lobby").map(\.text)
            #expect(shown.contains("alias \(Self.alias).") && shown.contains("alias ."))
        }
    }
}
