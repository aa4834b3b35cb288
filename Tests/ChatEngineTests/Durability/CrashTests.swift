import ChatAPI
import ChatProtocol
import ChatRules
import SMPSimulation
import Testing

@testable import ChatEngine

/// Runs a conversation again and again and ends one of the cores at the steps of it: before and after every transaction and every
/// command to a router.
@Suite("A core that is killed")
struct CrashTests {
    enum Victim: String, CaseIterable, Sendable { case inviting, joining }

    /// Every so manieth step is tried, to save time; with 1 all are.
    private static let stride = 7
    private static let texts = ["one", "two", "three"]

    /// A pair of people, and the one who is killed.
    private struct Pair {
        let alice, bob: TestPerson
        let victim: TestPerson

        init(_ whose: Victim) async throws {
            let world = TestWorld()
            alice = try await TestPerson("alice", world)
            bob = try await TestPerson("bob", world)
            victim = whose == .inviting ? alice : bob
        }

        /// Waits until the victim is there again.
        ///
        /// - Returns: whether it was killed at all.
        func settle(_ restarting: Task<Void, any Error>) async throws -> Bool {
            try await victim.crash.settle(restarting)
        }

        func close() async {
            await alice.core.close()
            await bob.core.close()
        }
    }

    /// Joins as a person would: again if the process ended meanwhile.
    private func join(_ link: String, _ person: TestPerson, as user: UserID, _ restarting: Task<Void, any Error>) async throws {
        do {
            try await person.core.join(link, as: user)
        } catch {
            guard person.crash.wasTriggered else { throw error }
            try await restarting.value
            // It may have gone so far that there is nothing left to ask for.
            _ = try? await person.core.join(link, as: user)
        }
    }

    /// Writes all texts, each under a key of its own.
    private func write(_ person: TestPerson, to contact: ContactID, _ pair: Pair, _ restarting: Task<Void, any Error>) async throws {
        for text in Self.texts {
            func send(_ core: TestCore) async throws { _ = try await core.send(text, to: contact, key: "\(contact) \(text)") }
            if person === pair.victim { try await person.persistently(restarting, send) } else { try await send(person.core) }
        }
    }

    @Test("at any step of connecting by a one-time link and talking, it goes on after a restart", arguments: Victim.allCases)
    func invitation(_ whose: Victim) async throws {
        let pair = try await Pair(whose)
        let (alice, bob) = (pair.alice, pair.bob)
        var step = whose == .inviting ? 0 : 1
        var wasKilled = true
        while wasKilled {
            let what: Comment = "step \(step)"
            let count = (await alice.core.connected().count + 1, await bob.core.connected().count + 1)
            let restarting = pair.victim.killAndRestart(afterSteps: step)
            let link =
                whose == .inviting ? try await alice.persistently(restarting) { try await $0.invite() } : try await alice.core.invite()
            try await join(link, bob, as: 1, restarting)
            @Sendable func newest(_ core: TestCore, _ count: Int) async -> ContactID? {
                let contacts = await core.connected()
                return contacts.count == count ? contacts.last : nil
            }
            let atAlice = try await alice.eventual("connected, \(what)") { await newest($0, count.0) }
            let atBob = try await bob.eventual("connected, \(what)") { await newest($0, count.1) }
            async let first: Void = write(alice, to: atAlice, pair, restarting)
            async let second: Void = write(bob, to: atBob, pair, restarting)
            _ = try await (first, second)
            await alice.eventually("all messages, \(what)") { await $0.received(from: atAlice).count >= Self.texts.count }
            await bob.eventually("all messages, \(what)") { await $0.received(from: atBob).count >= Self.texts.count }
            wasKilled = try await pair.settle(restarting)
            #expect(await alice.core.received(from: atAlice) == Self.texts, what)
            #expect(await bob.core.received(from: atBob) == Self.texts, what)
            #expect(await alice.core.messages(with: atAlice).count == 2 * Self.texts.count, what)
            #expect(await bob.core.messages(with: atBob).count == 2 * Self.texts.count, what)
            step += Self.stride
        }
        #expect(step > 20)
        await pair.close()
    }

    @Test("at any step of connecting by an address that accepts everybody, it goes on after a restart", arguments: Victim.allCases)
    func address(_ whose: Victim) async throws {
        let pair = try await Pair(whose)
        let (alice, bob) = (pair.alice, pair.bob)
        let address = await alice.core.answer("/_address 1")
        let link = try #require(address["connLinkContact"]?["connFullLink"]?.stringValue)
        _ = try await alice.core.run(
            #"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false},"autoReply":{"type":"text","text":"welcome"}}"#)
        var step = whose == .inviting ? 0 : 1
        var wasKilled = true
        var number = 0
        while wasKilled {
            let what: Comment = "step \(step)"
            // Who has asked once is known: somebody else asks each time.
            let user = try await bob.core.createUser("bob \(step)").userID
            number += 1
            let count = number
            let restarting = pair.victim.killAndRestart(afterSteps: step)
            try await join(link, bob, as: user, restarting)
            let atAlice = try await alice.eventual("connected, \(what)") { core in
                let contacts = await core.connected()
                return contacts.count == count ? contacts.last : nil
            }
            let atBob = try await bob.eventual("connected, \(what)") { await $0.connected(as: user).first }
            await bob.eventually("welcomed, \(what)") { await !$0.received(from: atBob, as: user).isEmpty }
            wasKilled = try await pair.settle(restarting)
            #expect(await bob.core.received(from: atBob, as: user) == ["welcome"], what)
            #expect(await alice.core.messages(with: atAlice).count == 1, what)
            step += Self.stride
        }
        #expect(step > 10)
        await pair.close()
    }
}
