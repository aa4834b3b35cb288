import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPAgent
import SMPSimulation
import TestSupport
import Testing

@testable import ChatEngine

@Suite("The life of a core")
struct LifecycleTests {
    @Test("a folder is one core's, and another's once it is closed")
    func lock() async throws {
        let folder = try TemporaryFolder()
        let world = TestWorld()
        let configuration = world.configuration(prefix: folder.path + "/core")
        let first = try NativeCore.open(configuration, network: world.internet.makeClient())
        #expect { try NativeCore.open(configuration, network: world.internet.makeClient()) } throws: {
            ($0 as? StorageError)?.code == .locked
        }
        // Another prefix in the same folder is another core.
        let other = try NativeCore.open(world.configuration(prefix: folder.path + "/other"), network: world.internet.makeClient())
        await other.close()
        await first.close()
        let second = try NativeCore.open(configuration, network: world.internet.makeClient())
        await second.close()
    }

    @Test("databases of a newer version are refused, and the folder is let go of", arguments: ["_chat.db", "_agent.db"])
    func newer(_ ending: String) async throws {
        let folder = try TemporaryFolder()
        let world = TestWorld()
        let configuration = world.configuration(prefix: folder.path + "/core")
        let core = try NativeCore.open(configuration, network: world.internet.makeClient())
        await core.close()
        // As a later version would leave it.
        let path = folder.path + "/core" + ending
        let file = try DatabaseQueue(path: path)
        try await file.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 from the future')") }
        try file.close()
        for _ in 1...2 {
            #expect { try NativeCore.open(configuration, network: world.internet.makeClient()) } throws: {
                ($0 as? StorageError)?.code == .newerDatabase
            }
        }
        let again = try DatabaseQueue(path: path)
        try await again.write { try $0.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '99 from the future'") }
        try again.close()
        let opened = try NativeCore.open(configuration, network: world.internet.makeClient())
        await opened.close()
    }

    @Test("a core that is closed says so, to commands and to those who start it, and its events end")
    func closed() async throws {
        let world = TestWorld()
        let alice = try await world.core("alice")
        await alice.close()
        await alice.native.close()
        for command in ["/users", "/_create *1 json [{\"msgContent\":{\"type\":\"text\",\"text\":\"x\"},\"mentions\":{}}]", "/_start", "/_address 1"] {
            let error = await #expect(throws: ChatCoreError.self) { try await alice.run(command) }
            #expect(error?.code == .closed, "\(command): \(String(describing: error))")
        }
        let error = await #expect(throws: ChatCoreError.self) { try await alice.native.start() }
        #expect(error?.code == .closed)
        #expect(!alice.native.isRunning)
        for try await _ in alice.native.events() { Issue.record("an event of a closed core") }
    }

    @Test("commands that are under way when the core is closed are carried out or refused, and what was answered is there")
    func closing() async throws {
        let world = TestWorld()
        let alice = try await TestPerson("alice", world)
        let core = alice.core
        let answered = Recorder<Int>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let note = ChatCommand.messages(.createNotes(1, [ComposedMessage(content: .text("\(number)"))]))
                    do {
                        _ = try await core.send(note, as: 1)
                        answered.append(number)
                    } catch {
                        #expect((error as? ChatCoreError)?.code == .closed, "\(error)")
                    }
                }
            }
            group.addTask { await core.close() }
        }
        try await alice.restart()
        guard case .apiChat(_, let chat, _) = try await alice.core.run("/_get chat *1 count=1000") else { throw UnexpectedAnswer() }
        let stored = Set(chat.chatItems.map(\.meta.text))
        #expect(answered.elements.allSatisfy { stored.contains("\($0)") })
        await alice.core.close()
    }

    @Test("all profiles of a core are live at once, whichever is active, also after a restart")
    func profiles() async throws {
        let world = TestWorld()
        let alice = try await TestPerson("alice", world)
        let bob = try await world.open(agent: .light)
        _ = try await bob.createUser("bob")
        var profiles: [(user: UserID, contact: ContactID)] = []
        for name in ["second", "third"] {
            let user = try await alice.core.createUser(name).userID
            try await bob.join(try await alice.core.invite(as: user))
            let contact = try await alice.eventual("connected") { await $0.connected(as: user).first }
            profiles.append((user, contact))
        }
        try #require(await bob.eventually { await bob.connected().count == 2 })
        let contacts = await bob.connected()
        for round in ["before", "after"] {
            for (contact, profile) in zip(contacts, profiles) {
                _ = try await bob.send("\(round) \(profile.user)", to: contact)
                await alice.eventually("a message to each") {
                    await $0.received(from: profile.contact, count: 1, as: profile.user) == ["\(round) \(profile.user)"]
                }
                _ = try await alice.core.send("answer \(round)", to: profile.contact, as: profile.user)
                try #require(await bob.eventually { await bob.received(from: contact, count: 1) == ["answer \(round)"] })
            }
            // What belongs to one profile is not there for another.
            await #expect(throws: ChatCoreError.self) {
                try await alice.core.send("not mine", to: profiles[0].contact, as: profiles[1].user)
            }
            if round == "before" {
                await alice.core.close()
                try await alice.restart()
            }
        }
        await alice.core.close()
        await bob.close()
    }

    @Test("a core that is stopped or suspended takes messages, and sends them in order when it goes on")
    func stopping() async throws {
        let world = TestWorld()
        let alice = try await TestPerson("alice", world)
        let bob = try await TestPerson("bob", world)
        let (atAlice, atBob) = try await TestPerson.connect(alice, bob)
        var expected: [String] = []
        for round in 0..<6 {
            // Stopped in the middle of sending, and sending while it is stopped.
            for number in 0..<5 {
                expected.append("\(round).\(number)")
                _ = try await alice.core.send(expected[expected.count - 1], to: atAlice)
                if number == 2 { if round.isMultiple(of: 2) { await alice.core.native.stop() } else { _ = try await alice.core.run("/_app suspend 0") } }
            }
            if round.isMultiple(of: 2) { try await alice.core.native.start() } else { _ = try await alice.core.run("/_app activate") }
        }
        let all = expected
        await bob.eventually("all messages") { await $0.received(from: atBob).count >= all.count }
        #expect(await bob.core.received(from: atBob) == all)
        // And it receives again.
        _ = try await bob.core.send("still there?", to: atBob)
        await alice.eventually("the question") { await $0.received(from: atAlice) == ["still there?"] }
        await alice.core.close()
        await bob.core.close()
    }

    @Test("a core that several tasks start and stop at once runs as the last of them says")
    func overlapping() async throws {
        let world = TestWorld()
        let alice = try await TestPerson("alice", world)
        let bob = try await TestPerson("bob", world)
        let (atAlice, atBob) = try await TestPerson.connect(alice, bob)
        for round in 0..<10 {
            let core = alice.core.native
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        if number.isMultiple(of: 2) { await core.stop() } else { _ = try? await core.start() }
                    }
                }
            }
            try await core.start()
            _ = try await alice.core.send("\(round)", to: atAlice)
            await bob.eventually("message \(round)") { await $0.received(from: atBob).count == round + 1 }
            _ = try await bob.core.send("\(round)", to: atBob)
            await alice.eventually("answer \(round)") { await $0.received(from: atAlice).count == round + 1 }
        }
        await alice.core.close()
        await bob.core.close()
    }

    @Test("a core without a profile says so, and works with the first one")
    func empty() async throws {
        let core = try await TestWorld().open(agent: .light)
        let error = await #expect(throws: ChatCoreError.self) { try await core.run("/_get chats 1") }
        #expect(error?.isNoActiveUser == true)
        _ = try await core.createUser("alice")
        guard case .apiChats(_, let chats) = try await core.run("/_get chats 1") else { throw UnexpectedAnswer() }
        #expect(chats.allSatisfy { if case .local = $0.chatInfo { true } else { false } })
        await core.close()
    }
}
