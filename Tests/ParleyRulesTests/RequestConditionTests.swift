import Parley
import ParleyTesting
import Testing

@testable import ParleyRules

/// Conditions on those who ask to connect.
@Suite struct RequestConditionTests {
    private static let file = """
        parley: 1
        profiles:
          door:
            address: { accept: manual }
            retention: 30d
            trusted-contacts: [staff]
            rules:
              - { id: spam, when: { request: true, name: "(?i)casino" }, then: { reject: true } }
              - { id: words, when: { request: true, words: [lottery], link: false }, then: { reject: true } }
              - { id: code, when: { request: true, pattern: 'code (\\d+)' }, then: [ { accept: true }, { tell: { chat: staff, text: "{{ contact.name }}: {{ match.1 }}, {{ text }}" } } ] }
              - { id: rest, when: { request: true, not: { blank: true } }, then: { accept: true } }
            tests:
              - { request: true, name: Casino 24, expect: spam }
              - { request: You won the lottery!, expect: words }
              - { request: code 17 please, expect: code }
              - { request: hello, expect: rest }
              - { request: true, expect-none: true }
        """

    @Test func requestsAreJudgedByNameAndText() throws {
        let file = try BotsFile(parsing: Self.file)
        let failures = try file.testFailures()
        #expect(failures.isEmpty, "\(failures)")
    }

    @Test func aRunningBotLooksAtTheNameOfWhoAsks() async throws {
        let text = Self.file.replacing("not: { blank: true }", with: "name: \"^Ann$\"").replacing(
            "address: { accept: manual }", with: "address: { accept: manual, welcome: Come in. }")
        try await withBots(try BotsFile(parsing: text).makeBots()) { room in
            let ben = try await room.stranger("Casino 24"), ann = try await room.stranger("Ann")
            try await ben.request("door")
            try await ann.request("door")
            try await ann.expect("Come in.")
            try await room.settle()
            #expect(try await room.bot("door").contacts.count == 1)
        }
    }

    @Test(arguments: [
        ("request: true, from: Ann", "looks at who wrote"), ("request: true, role: member", "does not go with"),
        ("request: true, file: any", "looks at a message"),
    ])
    func whatARequestDoesNotTellIsRefused(_ when: String, _ message: String) {
        #expect {
            try BotsFile(parsing: "parley: 1\nprofiles: { a: { rules: [ { id: r, when: { \(when) }, then: { accept: true } } ] } }")
        } throws: {
            "\($0)".contains(message)
        }
    }

    @Test(arguments: [("retention: 30d", MessageRetention.deleting(after: .seconds(30 * 86_400))), ("retention: none", .unlimited)])
    func messagesAreKeptForTheTimeOfTheFile(_ key: String, _ retention: MessageRetention) throws {
        let bot = try #require(try BotsFile(parsing: "parley: 1\nprofiles: { a: { \(key) } }").makeBots().first)
        #expect(bot.retention == retention)
        #expect(try BotsFile(parsing: "parley: 1\nprofiles: { a: {} }").makeBots().first?.retention == nil)
        #expect(throws: BotsFileError.self) { try BotsFile(parsing: "parley: 1\nprofiles: { a: { retention: 0d } }") }
    }
}
