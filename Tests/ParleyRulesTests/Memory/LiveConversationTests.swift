import Parley
import ParleyRules
import ParleyTesting
import Testing

/// People who type live messages, with the engine of the network between them and the bot.
@Suite(.timeLimit(.minutes(10))) struct LiveConversationTests {
    @Test func aLinkIsDeletedWhetherItComesWhileTypingOrWithTheEnd() async throws {
        let bots = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  guard:
                    groups: { lobby: { name: Lobby } }
                    rules: [ { id: links, when: { link: true, chat: group }, then: { moderate: true } } ]
                """
        ).makeBots()
        try await withBots(bots) { room in
            let ann = try await room.person("Ann"), ben = try await room.person("Ben")
            for person in [ann, ben] { try await person.join(group: "lobby") }
            try await ann.beginTyping("n", in: "Lobby")
            try await ann.finishTyping("now https://bad.example", in: "Lobby")
            try await room.settle()
            try await ann.beginTyping("look https://worse.example", in: "Lobby")
            try await room.settle()
            try await ann.say("good", in: "Lobby")
            try await room.settle()
            let seen = try await ben.conversation(in: "Lobby").filter { $0.senderName == "Ann" }
            #expect(seen.map(\.isDeleted) == [true, true, false], "\(seen)")
        }
    }

    @Test func commandsAndAnswersCountWhenTheyAreFinished() async throws {
        let bots = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  shop:
                    rules:
                      - { when: { command: order }, then: { form: order } }
                      - { when: { message: any }, then: { send: "{{ text }}?" } }
                    forms: { order: { questions: [ { name: what, ask: What? } ], done: { send: "{{ form.what }}!" } } }
                """
        ).makeBots()
        try await withBots(bots) { room in
            let ann = try await room.person("Ann")
            try await ann.connect(with: "shop")
            try await ann.beginTyping("/ord")
            try await ann.expectNothing()
            try await ann.goOnTyping("/orde")
            try await ann.finishTyping("/order")
            try await ann.expect("What?")
            try await ann.beginTyping("s")
            try await ann.goOnTyping("sou")
            try await ann.expectNothing()
            try await ann.finishTyping("soup")
            try await ann.expect("soup!")
            // It is typed while the bots are stopped.
            try await ann.beginTyping("hel")
            try await room.settle()
            try await room.restart()
            try await ann.finishTyping("hello")
            try await ann.expect("hello?")
            try await ann.beginTyping("never")
            try await room.settle()
            try await room.advance(by: .seconds(61))
            try await ann.expect("never?")
            try await ann.finishTyping("never ended")
            try await ann.expectNothing()
        }
    }
}
