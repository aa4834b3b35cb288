import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

/// A request to an address that is sent again, by a client that did not learn whether its router had it.
@Suite struct RepeatedRequestTests {
    /// An owner with an address, and somebody who knows its link.
    private struct Scene {
        let owner: TestParty
        let stranger: TestParty
        let link: ConnectionRequestURI
        let address: ConnectionID

        init() async throws {
            let internet = SimulatedInternet()
            let router = internet.addRouter("one.example").address
            owner = try await TestParty("owner", internet, on: [router], answers: false)
            stranger = try await TestParty("stranger", internet, on: [router])
            let created = try await owner.address()
            (link, address) = (created.link, created.id)
        }

        /// A request of the stranger that was not sent yet.
        func prepare() async throws -> ConnectionID {
            try await stranger.agent.prepareToJoin(user: stranger.user.withLock { $0 }, link: link, pqSupport: true)
        }

        func ask(_ info: String, by connection: ConnectionID, subscription: SubscriptionMode = .subscribe) async throws {
            _ = try await stranger.agent.join(
                user: stranger.user.withLock { $0 }, connection: connection, link: link, info: Bytes(info.utf8), pqSupport: true,
                subscription: subscription)
        }

        /// Accepts a request, as the owner.
        func accept(_ id: InvitationID) async throws -> ConnectionID {
            let user = owner.user.withLock { $0 }
            let connection = try await owner.agent.prepareToAccept(user: user, invitation: id, pqSupport: true)
            _ = try await owner.agent.accept(user: user, connection: connection, invitation: id, info: [1], pqSupport: true)
            return connection
        }

        /// The requests that the owner was told of until those of the stranger so far have come, one for each time.
        func reported() async throws -> [(id: InvitationID, info: String)] {
            // The router keeps the order: what was sent before this one has been taken.
            let known = Set(owner.seen.requests.keys), last = Bytes("the last".utf8)
            try await ask("the last", by: prepare())
            await owner.wait("the last request") { $0.requests.contains { !known.contains($0.key) && $0.value == last } }
            return owner.seen.events.compactMap {
                guard case .request(let id, _, _, let info) = $0.event, info != last else { return nil }
                return (id, String(decoding: info, as: UTF8.self))
            }
        }

        func close() async {
            await owner.close()
            await stranger.close()
        }
    }

    @Test func `It is reported once`() async throws {
        let scene = try await Scene()
        let connection = try await scene.prepare()
        for _ in 0..<3 { try await scene.ask("let me in", by: connection) }
        #expect(try await scene.reported().map(\.info) == ["let me in"])
        await scene.close()
    }

    @Test func `Another request of the same words is another one`() async throws {
        let scene = try await Scene()
        for _ in 0..<2 { try await scene.ask("let me in", by: scene.prepare()) }
        let reported = try await scene.reported()
        #expect(reported.map(\.info) == ["let me in", "let me in"])
        #expect(Set(reported.map(\.id)).count == 2)
        await scene.close()
    }

    @Test func `Until it is accepted, it says what it said last`() async throws {
        let scene = try await Scene()
        let connection = try await scene.prepare()
        for info in ["let me in", "please let me in", "please let me in"] { try await scene.ask(info, by: connection) }
        let reported = try await scene.reported()
        #expect(reported.map(\.info) == ["let me in", "please let me in"])
        let id = try #require(reported.first?.id)
        #expect(reported.map(\.id) == [id, id], "it is the same request")
        let store = scene.owner.agent.core.store, row = try #require(try await store.connection(scene.address)).record.row
        #expect(try await store.unansweredInvitations(contact: row) == 2, "this one and the last one of the scene")
        #expect(try await store.invitation(id)?.senderInfo == Bytes("please let me in".utf8))
        _ = try await scene.accept(id)
        await scene.stranger.wait("it is connected") { $0.connected[connection] != nil }
        await scene.close()
    }

    @Test func `Once it is accepted, it is not reported, also if the connection is gone`() async throws {
        let scene = try await Scene()
        let connection = try await scene.prepare()
        // Without a subscription the stranger does not learn that it is accepted.
        try await scene.ask("let me in", by: connection, subscription: .onlyCreate)
        let id = try #require(try await scene.reported().first?.id)
        let accepted = try await scene.accept(id)
        try await scene.ask("let me in", by: connection, subscription: .onlyCreate)
        #expect(try await scene.reported().count == 1)
        try await scene.owner.agent.delete([accepted], waitDelivery: false)
        try await scene.ask("please let me in", by: connection, subscription: .onlyCreate)
        #expect(try await scene.reported().count == 1)
        await scene.close()
    }
}
