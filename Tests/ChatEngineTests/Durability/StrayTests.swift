import ChatAPI
import ChatProtocol
import GRDB
import SMPAgent
import SMPProtocol
import Testing

@testable import ChatEngine

@Suite("What the agent has made and the engine could not store")
struct StrayTests {
    /// Waits until the work for the agent that is written down was tried.
    private func finishWork(of core: TestCore) async throws {
        let engine = core.core.core
        for work in try await engine.store.write({ db in try db.waitingAgentWork() }) { await engine.clerk.attempt(at: work.id) }
    }

    @Test(
        "is deleted again: a link's connection, an address, the user of a profile",
        arguments: [("/_connect 1", "connections"), ("/_address 1", "connections"), (secondProfile, "users")])
    func refused(_ command: String, _ table: String) async throws {
        let alice = try await TestWorld().open(agent: .light)
        _ = try await alice.createUser("alice")
        let engine = alice.core.core
        try await engine.store.write { db in
            try db.execute(sql: "CREATE TRIGGER refusal BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'as the test wants it'); END")
        }
        #expect(await alice.answer(command)["type"] == "chatCmdError")
        try await finishWork(of: alice)
        #expect(try await engine.agent.connections() == [])
        #expect(try await engine.agent.users().count == 1)
        await alice.close()
    }

    private static let secondProfile = #"/_create user {"profile":{"displayName":"second","fullName":""},"pastTimestamp":false,"userChatRelay":false}"#

    @Test("without a word, because a process ended in between, is shown as a difference and deleted when it is found again")
    func found() async throws {
        let alice = try await TestWorld().open(agent: .light)
        _ = try await alice.createUser("alice")
        _ = try await alice.invite()
        let engine = alice.core.core, agent = engine.agent
        let known = (users: try await agent.users(), connections: try await agent.connections())
        let user = try await agent.createUser(servers: engine.configuration.initialRouters)
        let created = try await agent.createConnection(
            user: known.users[0], mode: .invitation, linkData: nil, clientData: nil, pq: .supported, subscription: .subscribe)

        let shown = await alice.answer("/_connections diff show_ids=on")
        #expect(shown["userIds"] == ["missingIds": [], "extraIds": [.int(user)]])
        #expect(shown["connIds"]?["extraIds"]?.arrayValue?.count == 1)

        // What is on its way to be stored looks the same once.
        let strays = await engine.discardStrays(knownBefore: AgentStrays())
        try await finishWork(of: alice)
        #expect(strays.users == [user] && strays.connections == [created.id])
        #expect(try await agent.connections().count == 2)

        _ = await engine.discardStrays(knownBefore: strays)
        try await finishWork(of: alice)
        #expect(try await agent.users() == known.users)
        #expect(try await agent.connections() == known.connections)
        #expect(await alice.answer("/_connections diff")["connIds"] == ["missingIds": [], "extraIds": []])
        #expect(await alice.wait { events in events.contains { if case .connectionsDiff = $0 { true } else { false } } })
        await alice.close()
    }

    @Test("is not confused with what is missing: a profile whose agent's part is gone is shown, and nothing is deleted")
    func missing() async throws {
        let alice = try await TestWorld().open(agent: .light)
        _ = try await alice.createUser("alice")
        _ = try await alice.invite()
        let engine = alice.core.core, agent = engine.agent
        let connection = try #require(try await agent.connections().first)
        try await agent.delete([connection], waitDelivery: false)
        let difference = try await engine.agentDifference()
        #expect(difference.connections.missing == [connection] && difference.connections.extra == [])
        let strays = await engine.discardStrays(knownBefore: AgentStrays(difference))
        #expect(strays.isEmpty)
        await alice.close()
    }
}
