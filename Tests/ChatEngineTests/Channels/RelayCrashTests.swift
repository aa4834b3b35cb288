import ChatAPI
import ChatRules
import SMPSimulation
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Runs a channel again and again and ends its relay at the steps of it: before and after every transaction and every command to a router.
@Suite("A relay that is killed")
struct RelayCrashTests {
    /// Every so manieth step is tried, to save time; with 1 all are.
    private static let stride = 5

    @Test("at any step of passing on posts, each subscriber gets each post once, in order")
    func delivery() async throws {
        let world = TestWorld()
        let person = try await TestPerson("relay", world, isChatRelay: true)
        let scene = try await ChannelScene(["ann", "bob", "carl"], relayPerson: person, world: world)
        var step = 0, expected: [String] = []
        var wasKilled = true
        while wasKilled {
            let texts = (1...3).map { "post \(step).\($0)" }
            let restarting = person.killAndRestart(afterSteps: step)
            for text in texts { try await scene.post(text) }
            expected += texts
            for name in ["ann", "bob", "carl"] { await scene.expect(texts[2], at: name) }
            wasKilled = try await person.crash.settle(restarting)
            for name in ["ann", "bob", "carl"] {
                let received = await scene.texts(at: name).suffix(texts.count)
                #expect(Array(received) == texts, "step \(step), \(name)")
            }
            step += Self.stride
        }
        #expect(step > 10)
        for name in ["ann", "bob", "carl"] { #expect(await scene.texts(at: name) == expected.suffix(200)) }
        try await TestSupport.eventually("nothing is left to do") {
            let counts = try await person.core.native.engine.store.read { try $0.relayWork.backlog() }
            return counts.tasks == 0 && counts.jobs == 0
        }
        await scene.close()
        await person.core.close()
    }

    @Test("at any step of being invited, a relay serves the channel after a restart")
    func invitation() async throws {
        let world = TestWorld()
        let person = try await TestPerson("relay", world, isChatRelay: true)
        let owner = try await world.open(agent: .light)
        _ = try await owner.createUser("owner")
        let ids = try await ChannelScene.add(["name=relay " + (try await ChannelScene.address(of: person.core))], to: owner)
        var step = 0, made = 0
        var wasKilled = true
        while wasKilled {
            let restarting = person.killAndRestart(afterSteps: step)
            guard
                case .publicGroupCreated(_, let group, _, _) = try await owner.run(
                    "/_public group 1 \(ids) {\"displayName\":\"news \(step)\",\"fullName\":\"\"}")
            else { throw UnexpectedAnswer() }
            made += 1
            let isServed = await owner.eventually {
                guard case .groupRelays(_, _, let relays)? = try? await owner.run("/_get relays #\(group.groupID)") else { return false }
                return relays.first?.status == .active
            }
            #expect(isServed, "step \(step)")
            wasKilled = try await person.crash.settle(restarting)
            step += Self.stride
        }
        #expect(step > 10)
        // The owner may know sooner that the relay is at work than the restarted relay has noted it.
        let count = made
        try await TestSupport.eventually("each channel is served once") {
            let groups = try await person.core.native.engine.store.read { try $0.groups.groups(user: 1) }
            return groups.count == count && groups.allSatisfy { $0.relayOwnStatus == .acknowledgedRoster }
        }
        await owner.close()
        await person.core.close()
    }
}
