import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Messages about files, and those that nothing acts on.
@Suite struct FileDescriptionTests {
    @Test func theDescriptionOfAFileIsKeptInOnePieceAndReportedAsNoError() async throws {
        let world = TestWorld()
        let alice = try await world.core("alice"), bob = try await world.core("bob")
        let (atAlice, atBob) = try await TestWorld.connect(alice, bob)
        try await bob.native.engine.transactions.transaction { transaction in
            let user = try transaction.user()
            let contact = try transaction.conversations.contact(atBob, of: user)
            let id = transaction.newSharedMessageID()
            let part = FileDescription(text: "one ", partNumber: 0, isComplete: false)
            let file = FileInvitation(name: "photo.jpg", size: 1_000, fileDescription: part)
            let message = ChatMessageEvent.newMessage(MessageContainer(content: .file("photo"), file: file))
            try transaction.outbox.send([.init(message, id: id)], to: contact)
            for (number, text) in ["two ", "three"].enumerated() {
                let part = FileDescription(text: text, partNumber: number + 1, isComplete: number == 1)
                try transaction.outbox.send(.fileDescription(messageID: id, part), to: contact)
            }
        }
        _ = try await bob.send("done", to: atBob)
        #expect(await alice.eventually { await alice.received(from: atAlice).last == "done" })
        let kept = try await alice.native.engine.transactions.query { try $0.db.all("SELECT description FROM files") { $0.text() } }
        #expect(kept == ["one two three"])
        #expect(!alice.events.contains { if case .messageError = $0 { true } else { false } })
        await alice.close()
        await bob.close()
    }

    @Test func aMessageThatNothingActsOnIsReportedOnceAndNotKept() async throws {
        let world = TestWorld()
        let alice = try await world.core("alice"), bob = try await world.core("bob")
        let (_, atBob) = try await TestWorld.connect(alice, bob)
        try await bob.native.engine.transactions.transaction { transaction in
            let contact = try transaction.conversations.contact(atBob, of: try transaction.user())
            try transaction.outbox.send(.deleteGroup, to: contact)
        }
        #expect(await alice.wait { $0.contains { if case .messageError = $0 { true } else { false } } })
        let tables = try await alice.native.engine.transactions.query {
            try $0.db.all("SELECT name FROM sqlite_schema WHERE name LIKE 'unhandled%'") { $0.text() }
        }
        #expect(tables.isEmpty)
        await alice.close()
        await bob.close()
    }
}
