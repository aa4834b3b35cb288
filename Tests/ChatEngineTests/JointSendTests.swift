import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import Testing

@testable import ChatEngine
@testable import ChatStore

@Suite("Messages to one contact or group that are given at once")
struct JointSendTests {
    private func text(_ text: String, to contact: ContactID, quoting item: ChatItemID? = nil, live: Bool = false) -> ChatCommand {
        .messages(.send(to: .direct(contact), [ComposedMessage(content: .text(text), quotedItemID: item)], live: live))
    }

    /// The texts of what a command made, or the code of its error.
    private func outcome(_ result: Result<ChatResponse, ChatCoreError>) -> [String] {
        switch result {
        case .success(.newChatItems(_, let items)): items.map(\.chatItem.meta.text)
        case .success(let other): ["\(other)"]
        case .failure(let error): ["\(error.code)"]
        }
    }

    @Test("travel in one body, each command is answered with its own items, and they arrive in their order")
    func together() async throws {
        let world = TestWorld()
        let alice = try await TestPerson("alice", world), bob = try await TestPerson("bob", world)
        let (atAlice, atBob) = try await TestPerson.connect(alice, bob)
        let core = alice.core
        func deliveries() async throws -> Int64? { try await core.native.engine.store.read { db in try db.number("SELECT MAX(delivery_id) FROM deliveries") } }
        let before = try await deliveries() ?? 0
        let texts = (1...40).map { "message \($0)" }
        let results = await core.native.send(texts.map { text($0, to: atAlice) }, as: 1)
        #expect(results.map(outcome) == texts.map { [$0] })
        #expect(try await deliveries() == before + 1)
        await bob.eventually("all have come") { await $0.received(from: atBob, count: 60).suffix(40) == texts[...] }
        await alice.eventually("all are shown as sent") { core in
            await core.messages(with: atAlice, count: 60).allSatisfy {
                // A receipt may be quicker than the look.
                switch $0.meta.status {
                case .sent(progress: .complete), .sendReceived: true
                default: $0.direction.isReceived
                }
            }
        }
        await core.close()
        await bob.core.close()
    }

    @Test("one that is refused leaves nothing behind and takes none of the others along")
    func refused() async throws {
        let world = TestWorld()
        let alice = try await TestPerson("alice", world), bob = try await TestPerson("bob", world)
        let (atAlice, atBob) = try await TestPerson.connect(alice, bob)
        let results = await alice.core.native.send(
            [
                text("one", to: atAlice), text("two", to: atAlice, quoting: 99_999), text("three", to: atAlice),
                .messages(.send(to: .direct(99), [ComposedMessage(content: .text("nobody"))])), text("four", to: atAlice),
            ], as: 1)
        #expect(results.map { (try? $0.get()) != nil } == [true, false, true, false, true])
        #expect(results.enumerated().filter { [0, 2, 4].contains($0.offset) }.flatMap { outcome($0.element) } == ["one", "three", "four"])
        await bob.eventually("all but the refused have come") { await $0.received(from: atBob) == ["one", "three", "four"] }
        #expect(await alice.core.messages(with: atAlice).map(\.meta.text) == ["one", "three", "four"])
        await alice.core.close()
        await bob.core.close()
    }

    @Test("those that follow each other are put together; live ones, other contacts and other commands stand alone, in their place")
    func groups() throws {
        let edit = ChatCommand.messages(.update(.direct(1), 7, UpdatedMessage(content: .text("edited"))))
        let groups = CommandGroup.groups(of: [
            text("a", to: 1), text("b", to: 1), text("c", to: 2), text("d", to: 1), edit, text("e", to: 1), text("f", to: 1), text("g", to: 1),
            text("h", to: 1, live: true), text("i", to: 1),
        ])
        let sizes = groups.map { group in
            switch group {
            case .single: 1
            case .joint(let sends, let target): sends.allSatisfy { $0.target == target } ? sends.count : 0
            }
        }
        #expect(sizes == [2, 1, 1, 1, 3, 1, 1])
        #expect(CommandGroup.groups(of: []).isEmpty)
        let many = CommandGroup.groups(of: (0..<600).map { text("\($0)", to: 1) })
        let joint = many.compactMap { if case .joint(let sends, _) = $0 { sends.flatMap(\.messages).map { $0.content.text } } else { nil } }
        #expect(joint.map(\.count) == [256, 256, 88] && joint.joined().elementsEqual((0..<600).map(String.init)))
        // What is sent in the name of a group, or to a part of it, goes with its like only.
        let targets: [SendTarget] = [.group(1), .group(1), .group(1, asGroup: true), .group(1, asGroup: true), .group(1, scope: .memberSupport(2)), .direct(1)]
        let parts = CommandGroup.groups(of: targets.map { .messages(.send(to: $0, [ComposedMessage(content: .text("a"))])) })
        let joined = parts.map { if case .joint(let sends, let target) = $0 { "\(target) \(sends.count)" } else { "one" } }
        #expect(joined == ["#1 2", "#1(as_group=on) 2", "one", "one"])
    }

    private func post(_ text: String, quoting item: ChatItemID? = nil) -> ChatCommand {
        .messages(.send(to: .group(GroupScene.group), [ComposedMessage(content: .text(text), quotedItemID: item)]))
    }

    @Test("to a group travel in one body for all members, and arrive in their order")
    func group() async throws {
        let scene = try await GroupScene(["alice", "bob", "cath"])
        let store = scene["bob"].native.engine.store
        func deliveries() async throws -> Int64? { try await store.read { db in try db.number("SELECT MAX(delivery_id) FROM deliveries") } }
        func bodies() async throws -> Int64? { try await store.read { db in try db.number("SELECT seq FROM sqlite_sequence WHERE name = 'delivery_bodies'") } }
        let before = (try await deliveries() ?? 0, try await bodies() ?? 0)
        let texts = (1...40).map { "post \($0)" }
        let results = await scene["bob"].native.send(texts.map { post($0) }, as: 1)
        #expect(results.map(outcome) == texts.map { [$0] })
        #expect(try await deliveries() == before.0 + 2)
        #expect(try await bodies() == before.1 + 1)
        for name in ["alice", "cath"] {
            await scene.eventually("all have come, in order", at: name) { await scene.texts(at: name).suffix(40) == texts[...] }
        }
        await scene.eventually("each item is with all members", at: "bob") {
            await scene.items(at: "bob").filter { texts.contains($0.meta.text) }.count { item in
                switch item.meta.status {
                case .sent(progress: .complete), .sendReceived(_, progress: .complete): true
                default: false
                }
            } == texts.count
        }
        await scene.close()
    }

    @Test("to a group: one that is refused leaves nothing behind and takes none of the others along")
    func refusedInGroup() async throws {
        let scene = try await GroupScene(["alice", "bob", "cath"])
        let results = await scene["bob"].native.send([post("one"), post("two", quoting: 99_999), post("three")], as: 1)
        #expect(results.map { (try? $0.get()) != nil } == [true, false, true])
        for name in ["alice", "cath"] {
            await scene.eventually("all but the refused have come", at: name) { await scene.texts(at: name).suffix(2) == ["one", "three"] }
        }
        #expect(await scene.texts(at: "bob") == ["one", "three"])
        await scene.close()
    }
}
