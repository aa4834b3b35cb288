import SMPCrypto
import SMPProtocol
import SMPSimulation
import SMPWire
import TestSupport
import Testing

@testable import SMPAgent

/// Requests that strangers send to an address, and what is kept of them.
@Suite struct RequestLimitTests {
    private static let limit = 3

    @Test func `So many requests wait for an answer, and others come when there is room, in any process`() async throws {
        let internet = SimulatedInternet()
        let router = internet.addRouter("one.example").address
        let folder = try TemporaryFolder()
        var configuration = AgentConfiguration.quick
        configuration.maximumRequests = Self.limit
        configuration.requestRetry = .milliseconds(2)
        let owner = try await TestParty(
            "owner", internet, on: [router], path: folder.path + "/a.db", answers: false, configuration: configuration)
        let address = try await owner.address()
        let stranger = try await TestParty("stranger", internet, on: [router])
        for _ in 0..<8 { _ = try await stranger.join(address.link) }
        await owner.wait("as many as may wait") { $0.requests.count == Self.limit }
        let row = try #require(try await owner.agent.core.store.connection(address.id)).record.row
        /// Waits until a request has found no room, and sees that none is kept beyond the limit.
        func expectFull() async throws {
            let active = owner.agent.core.connections.checkOut(address.id)
            try await eventually("a request waits at the router") { active.isPostponed }
            owner.agent.core.connections.checkIn(active)
            #expect(try await owner.agent.core.store.unansweredInvitations(contact: row) == Self.limit)
        }
        var answered: Set<InvitationID> = []
        for number in 0..<3 {
            try await expectFull()
            #expect(owner.seen.requests.count == Self.limit + number)
            let next = try #require(owner.seen.requests.keys.first { !answered.contains($0) })
            answered.insert(next)
            try await owner.agent.reject(next)
            await owner.wait("the next one") { $0.requests.count == Self.limit + number + 1 }
        }
        await owner.kill()
        try await owner.restart()
        try await expectFull()
        await owner.close()
        await stranger.close()
    }
}
