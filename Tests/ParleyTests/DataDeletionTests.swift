import ChatAPI
import Foundation
import Testing

@testable import Parley

private struct Visits: StoredState { var count = 0 }

private enum Question: DialogueState { case name }

/// What is left of a person who wants to be forgotten.
@Suite(.timeLimit(.minutes(5))) struct DataDeletionTests {
    private static func visit(_ context: some ChatContext, _ scope: StateScope = .person) async throws -> Int {
        try await context.update(Visits.self, of: scope) { visits in
            visits.count += 1
            return visits.count
        }
    }

    @Test func whatTheHandlerHasStoredBeforeItDeletesIsDeletedToo() async throws {
        let bot = Bot("Forgetful") {
            Use { call, next in
                if let message = call.message { _ = try await Self.visit(message) }
                try await next()
            }
            On(.text("forget")) { message in
                try await message.schedule("later", after: .seconds(60))
                try await message.begin(Question.name)
                try await message.deleteData()
            }
            On(.dialogue(Question.self)) { try await $0.send("still asking") }
            On(.text("how many")) { try await $0.send("\(try await $0.state(Visits.self, of: .person).count)") }
        }
        let runner = try BotSessionRunner(), core = runner.core, ann = try core.add(contact: 4, name: "ann")
        try await runner.run(bot) { _, _ in for text in ["how many", "forget", "how many"] { core.receive(text, from: ann) } }
        #expect(core.sent(to: 4) == ["1", "1"])
        #expect(try await runner.store.timers(.once, of: 1).isEmpty)
        #expect(try await runner.store.timers(.dialogue, of: 1).isEmpty)
        #expect(try await runner.store.dialogues(of: 1).isEmpty)
    }

    @Test func aHandlerFindsNothingBehindItsDeletionAndStoresAnew() async throws {
        let bot = Bot("Forgetful") {
            On(.text("visit")) { try await $0.send("\(try await Self.visit($0))") }
            On(.text("forget")) { message in
                let before = try await message.state(Visits.self, of: .person).count
                try await message.deleteData()
                let after = try await message.state(Visits.self, of: .person).count, anew = try await Self.visit(message)
                try await message.send("\(before) \(after) \(anew)")
            }
        }
        #expect(try await BotSessionRunner.answers(to: ["visit", "visit", "forget", "visit"], of: bot) == ["1", "2", "2 0 1", "2"])
    }

    @Test func aHandlerThatFailsBehindItsDeletionHasDeletedNothing() async throws {
        struct Problem: Error {}
        let bot = Bot("Forgetful") {
            On(.text("visit")) { try await $0.send("\(try await Self.visit($0))") }
            On(.text("forget")) { message in
                try await message.deleteData()
                throw Problem()
            }
        }
        #expect(try await BotSessionRunner.answers(to: ["visit", "forget", "visit"], of: bot) == ["1", "2"])
    }

    @Test func whatIsOfOthersOfTheBotAndOfTheWholeChatStays() async throws {
        let bot = Bot("Forgetful") {
            On(.text("visit"), in: [.contacts, .groups]) { message in
                for scope in [StateScope.person, .chat, .bot, .person(.contact(9))] { _ = try await Self.visit(message, scope) }
                try await message.schedule("mine", key: message.person.description, after: .seconds(600))
                try await message.schedule("ours", key: "all", after: .seconds(600))
            }
            On(.text("forget"), in: [.contacts, .groups]) { try await $0.deleteData() }
        }
        let runner = try BotSessionRunner(), core = runner.core, (group, bob) = try core.addGroup()
        try await runner.run(bot) { _, _ in for text in ["visit", "forget"] { core.receive(text, from: bob, in: group) } }
        func count(_ scope: String) async throws -> Int {
            try Visits(stored: try await runner.store.value(StateKey(scope: scope, name: "Visits"), of: 1)).count
        }
        let person = PersonID.member(bob.groupMemberID, of: group.groupID).description
        #expect(try await count(person) == 0)
        for scope in ["#7", "", "@9"] { #expect(try await count(scope) == 1, "\(scope)") }
        // A timer is of the person whom its key names.
        #expect(try await runner.store.timers(.once, of: 1).map(\.key) == ["all"])
    }

    @Test func everythingInTheChatOfAContactGoes() async throws {
        let bot = Bot("Forgetful") {
            On(.text("visit")) { message in
                for scope in [StateScope.person, .chat, .bot] { _ = try await Self.visit(message, scope) }
                // Timers of one name and key would replace each other.
                for key in ["a", "b"] { try await message.schedule("later", key: "\(message.person)/\(key)", after: .seconds(600)) }
                try await message.begin(Question.name, "Who are you?")
            }
        }
        let runner = try BotSessionRunner(), core = runner.core, ann = try core.add(contact: 4, name: "ann"), ben = try core.add(contact: 5, name: "ben")
        try await runner.run(bot) { profiles, session in
            core.receive("visit", from: ann)
            core.receive("visit", from: ben)
            for contact in [ContactID(4), 5] { await core.waitForSent(1, to: contact) }
            await session.settle()
            // Also outside of handlers, and twice.
            for _ in 1...2 { try await profiles[0].client.deleteData(of: .contact(4)) }
        }
        let store = runner.store
        #expect(try await store.value(StateKey(scope: "@4", name: "Visits"), of: 1) == nil)
        #expect(try Visits(stored: try await store.value(StateKey(scope: "@5", name: "Visits"), of: 1)).count == 2)
        #expect(try Visits(stored: try await store.value(StateKey(scope: "", name: "Visits"), of: 1)).count == 2)
        #expect(try await Set(store.timers(.once, of: 1).map(\.chat)) == ["@5"])
        #expect(try await Set(store.dialogues(of: 1).keys) == ["@5"])
    }
}
