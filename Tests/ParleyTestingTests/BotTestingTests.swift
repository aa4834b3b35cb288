import ChatProtocol
import Parley
import ParleyTesting
import Synchronization
import Testing

private enum Survey: DialogueState {
    case name
    case age(name: String)
    static let timeout: Duration? = .seconds(3600)
}

private func bot() -> Bot {
    Bot("Helper", address: .automatic(welcome: "Hello!")) {
        On(.command("survey", "Two questions")) { try await $0.begin(Survey.name, "Name?") }
        On(.dialogue(Survey.self)) { step in
            switch step.state {
            case .name: try await step.next(.age(name: step.text), "Age?")
            case .age(let name): try await step.end("\(name), \(step.text)")
            }
        }
        On(.dialogueTimeout(Survey.self)) { try await $0.send("Too late.") }
        On(.command("later", .duration("when"))) { try await $0.schedule("later", after: $0.arguments) }
        On(.scheduled("later")) { try await $0.send("It is later.") }
        On(.text("quiet")) { _ in }
        On(.text("like")) { try await $0.react("👍") }
        On(.edited) { try await $0.reply("So: \($0.text)") }
        On(.text) { try await $0.reply($0.text) }
    }
}

private final class RequestLog: Sendable {
    let names = Mutex<[String]>([])
}

@Suite("A bot under test") struct BotTestingTests {
    @Test("talks to people at each depth", arguments: TestDepth.allCases)
    func conversation(_ depth: TestDepth) async throws {
        try await withBots(bot(), depth: depth) { room in
            let ann = try await room.person("Ann"), ben = try await room.person("Ben")
            try await ann.expect("Hello!")
            try await ben.expect("Hello!")
            try await ann.say("/survey")
            try await ann.expect("Name?")
            try await ben.say("one")
            #expect(try await ben.expect("one").quote == "one")
            try await room.restart()
            try await ann.say("Ann")
            try await ann.expect("Age?")
            try await ann.say("30")
            try await ann.expect("Ann, 30")
            try await ann.say("like")
            try await ann.expectReaction("👍")
            try await ann.edit("love")
            try await ann.expect("So: love")
            try await ann.say("quiet")
            try await ann.expectNothing()
        }
    }

    @Test("has its time moved by the test", arguments: [TestDepth.chat, .engine]) func time(_ depth: TestDepth) async throws {
        try await withBots(bot(), depth: depth) { room in
            let ann = try await room.person("Ann")
            try await ann.expect("Hello!")
            try await ann.say("/later 2h")
            try await room.advance(by: .seconds(7199))
            try await ann.expectNothing()
            try await room.advance(by: .seconds(1))
            try await ann.expect("It is later.")
            try await ann.say("/survey")
            try await ann.expect("Name?")
            try await room.restart(after: .seconds(3600))
            try await ann.expect("Too late.")
        }
    }

    @Test("has handled a request to connect when it comes to rest") func requests() async throws {
        let log = RequestLog()
        let doorman = Bot("Doorman", address: .manual(welcome: nil)) {
            On(.contactRequest) { request in log.names.withLock { $0.append(request.name) } }
        }
        try await withBots(doorman, depth: .chat) { room in
            for name in ["Ann", "Ben", "Cath"] {
                let person = try await room.stranger(name)
                try await person.request("Doorman")
                try await room.settle()
                #expect(log.names.withLock(\.self).last == name)
            }
        }
    }

    @Test("that says something else fails the test with the conversation") func failure() async throws {
        let error = await #expect(throws: ConversationError.self) {
            try await withBots(bot()) { room in
                let ann = try await room.person("Ann")
                try await ann.expect("Hello!")
                try await ann.say("one")
                try await ann.expect("two")
            }
        }
        let text = try #require(error?.description)
        #expect(text.contains("Ann expected \"two\", and got \"one\"") && text.contains("Ann: one"))
    }

    @Test("keeps a group in which people are moderated", arguments: TestDepth.allCases) func groups(_ depth: TestDepth) async throws {
        var guardian = Bot("Guard") {
            On(.text && !.fromModerator, in: .groups, where: { $0.text.contains("spam") }) { message in
                try await message.moderate()
                try await message.member?.remove()
            }
            On(.text("hi"), in: .groups) { try await $0.reply("hello") }
        }
        guardian.groups = [ManagedGroup("lobby", GroupSettings("Lobby"), linkRole: .member)]
        try await withBots(guardian, depth: depth) { room in
            let ann = try await room.person("Ann"), ben = try await room.person("Ben")
            for person in [ann, ben] { try await person.join(group: "lobby") }
            try await ann.say("hi", in: "Lobby")
            try await ann.expect("hello", in: "Lobby")
            try await ben.say("buy spam", in: "Lobby")
            try await ben.expectRemoval(from: "Lobby")
        }
    }
}
