import ChatAPI
import EncryptedSQLite
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Parley

private struct Score: StoredState { var points = 0 }

private struct Visits: StoredState {
    var names: [String] = []
}

@Suite("Stored state") struct StoredStateTests {
    private static func counting() -> Bot {
        Bot("Counter") {
            On(.text("fail")) { message in
                try await message.update(Score.self) { $0.points += 100 }
                throw Refused()
            }
            On(.text("forget")) { message in
                try await message.deleteData()
                try await message.send("forgotten")
            }
            On(.text) { message in
                let points = try await message.update(Score.self) {
                    $0.points += 1
                    return $0.points
                }
                try await message.update(Visits.self, of: .bot) { $0.names.append(message.senderName) }
                try await message.send("\(points)")
            }
        }
    }

    @Test("of a chat is kept over restarts, apart from that of other chats") func chats() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann"), ben = try core.add(contact: 5, name: "ben")
        try await runner.run(Self.counting()) { _, _ in
            for _ in 1...2 { core.receive("x", from: ann) }
            core.receive("x", from: ben)
            await core.waitForSent(2, to: 4)
            await core.waitForSent(1, to: 5)
        }
        #expect(core.sent(to: 4) == ["1", "2"])
        #expect(core.sent(to: 5) == ["1"])
        let later = try runner.restarted()
        try await later.run(Self.counting()) { profiles, _ in
            later.core.receive("x", from: ann)
            await later.core.waitForSent(3, to: 4)
            let visits = try await profiles[0].client.state(Visits.self)
            #expect(visits.names.count >= 3)
        }
        #expect(later.core.sent(to: 4).last == "3")
    }

    @Test("is changed by each of the tasks that a handler runs side by side") func tasks() async throws {
        let bot = Bot("Counter") {
            On(.text) { message in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 1...200 { group.addTask { try await message.update(Score.self) { $0.points += 1 } } }
                    try await group.waitForAll()
                }
                try await message.send("\(try await message.state(Score.self).points)")
            }
        }
        #expect(try await BotSessionRunner.answers(to: ["x", "x"], of: bot) == ["200", "400"])
    }

    @Test("is not changed by a handler that fails") func failure() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann")
        try await runner.run(Self.counting()) { _, _ in
            for text in ["x", "fail", "x"] { core.receive(text, from: ann) }
            await core.waitForSent(2, to: 4)
        }
        #expect(core.sent(to: 4) == ["1", "2"])
    }

    @Test("of a person is gone when the person asks for it") func deletion() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann")
        try await runner.run(Self.counting()) { _, _ in
            for text in ["x", "x", "forget", "x"] { core.receive(text, from: ann) }
            await core.waitForSent(4, to: 4)
        }
        #expect(core.sent(to: 4) == ["1", "2", "forgotten", "1"])
    }

    @Test("is stored with the progress of its handler: a handler that ran and was not noted finds the old value") func atomicity() async throws {
        let runner = try BotSessionRunner(), store = runner.store
        let key = StateKey(scope: "@4", name: "Score")
        let changes = HandlerChanges()
        _ = changes.note(key, nil)
        let one = try Score(points: 1).stored()
        try changes.change(key) { _ in (one, ()) }
        // The mark cannot be stored: neither is the value.
        try await store.database.write { db in try db.execute(sql: "DROP TABLE chat_progress") }
        await #expect(throws: (any Error).self) { try await store.commit(changes.current, .item(7, chat: "@4"), of: 1) }
        #expect(try await store.value(key, of: 1) == nil)
    }

    @Test("that another handler changed meanwhile is changed from there") func concurrency() async throws {
        let store = try BotSessionRunner().store
        let key = StateKey(scope: "", name: "Score")
        let add: HandlerChanges.Change = { stored in
            var score = try Score(stored: stored)
            score.points += 1
            return try score.stored()
        }
        let both = [HandlerChanges(), HandlerChanges()]
        for changes in both {
            _ = changes.note(key, nil)
            try changes.change(key) { (try add($0), ()) }
        }
        for changes in both { try await store.commit(changes.current, .none, of: 1) }
        #expect(try Score(stored: try await store.value(key, of: 1)).points == 2)
    }

    @Test("of another version of its type is migrated, or refused with a reason") func versions() throws {
        struct Old: StoredState { var count = 3 }
        struct New: StoredState {
            var total = 0
            static let stateName = "Old"
            static let stateVersion = 2
            static func migrating(_ json: Data, from version: Int) throws -> New {
                New(total: try JSONDecoder().decode([String: Int].self, from: json)["count"] ?? 0)
            }
        }
        #expect(try New(stored: try Old().stored()).total == 3)
        let error = #expect(throws: BotStateError.self) { try Old(stored: try New(total: 1).stored()) }
        #expect(error?.code == .version)
        #expect(throws: BotStateError.self) { try Old(stored: StateValue(version: 1, json: Data("[".utf8))) }
    }

    @Test("has a size limit") func size() throws {
        let error = #expect(throws: BotStateError.self) { try Visits(names: [String(repeating: "x", count: BotStateError.largestValue)]).stored() }
        #expect(error?.code == .tooLarge)
    }

    private struct Refused: Error {}
}
