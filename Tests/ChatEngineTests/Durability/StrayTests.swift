import ChatAPI
import ChatProtocol
import ChatRules
import GRDB
import SMPAgent
import SMPProtocol
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore

@Suite("What the agent has made and the engine could not store")
struct StrayTests {
    /// Waits until the work for the agent that is written down was tried.
    private func finishWork(of core: TestCore) async throws {
        let engine = core.native.engine
        for work in try await engine.store.write({ db in try db.jobs.waiting() }) { await engine.jobs.attempt(at: work.id) }
    }

    @Test(
        "is deleted again: a link's connection, an address, the user of a profile",
        arguments: [("/_connect 1", "connections"), ("/_address 1", "connections"), (secondProfile, "users")])
    func refused(_ command: String, _ table: String) async throws {
        let alice = try await TestWorld().open(agent: .light)
        _ = try await alice.createUser("alice")
        let engine = alice.native.engine
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

    @Test("without a word, because a process ended in between, is shown as a difference, as is what the agent does not have")
    func difference() async throws {
        let alice = try await TestWorld().open(agent: .light)
        _ = try await alice.createUser("alice")
        _ = try await alice.invite()
        let engine = alice.native.engine, agent = engine.agent
        let nothing: JSONValue = ["missingIds": [], "extraIds": []]
        let before = await alice.answer("/_connections diff show_ids=on")
        #expect(before["userIds"] == nothing && before["connIds"] == nothing)
        try await engine.tellDifference()

        let known = try #require(try await agent.connections().first), user = try #require(try await agent.users().first)
        let second = try await agent.createUser(servers: engine.configuration.initialRouters)
        let created = try await agent.createConnection(
            user: user, mode: .invitation, linkData: nil, clientData: nil, pq: .supported, subscription: .subscribe)
        try await agent.delete([known], waitDelivery: false)
        let after = await alice.answer("/_connections diff show_ids=on")
        #expect(after["userIds"] == ["missingIds": [], "extraIds": [.int(second)]])
        func ids(_ connection: ConnectionID) -> JSONValue { [.string(Base64URL.encode(connection.bytes))] }
        #expect(after["connIds"] == ["missingIds": ids(known), "extraIds": ids(created.id)])
        // The start tells it.
        try await engine.tellDifference()
        #expect(await alice.wait { $0.contains { if case .connectionsDiff = $0 { true } else { false } } })
        let told = alice.events.filter { if case .connectionsDiff = $0 { true } else { false } }
        #expect(told.count == 1 && told.first?.json["connIds"] == after["connIds"], "without a difference nothing is told")
        await alice.close()
    }
}
