import ChatAPI
import ChatRules
import SMPClient
import SMPProtocol
import SMPSimulation
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore
@testable import SMPAgent

/// Requests that lead nowhere. An address keeps only so many requests that wait for an answer: those that nobody can answer must not be among them.
@Suite("Useless requests")
struct UselessRequestTests {
    /// Sends a request past the rules of the engine.
    private func send(_ event: ChatMessageEvent, from stranger: TestCore, to link: String) async throws {
        let engine = stranger.native.engine
        let resolved = try await engine.agent.resolveShortLink(user: 1, link: try ConnectionShortLink(wireString: link).complete)
        let request = resolved.fixed.connectionRequest
        let connection = try await engine.agent.prepareToJoin(user: 1, link: request, pqSupport: false)
        let info = try await engine.transactions.query { try $0.outbox.connectionInfo(event, pqSupport: false, peerVersion: ChatVersions.initial.max) }
        _ = try await engine.agent.join(
            user: 1, connection: connection, link: request, info: info, pqSupport: false, subscription: .subscribe)
    }

    /// The number of requests that wait for an answer at the address of a profile.
    private func waiting(at core: TestCore) async throws -> Int {
        let agent = try #require(core.native.engine.agent as? SMPAgent)
        let found = try await core.native.engine.transactions.query { transaction in
            try transaction.db.addresses.find(ofUser: 1).flatMap { try transaction.db.connections.find(ofAddress: $0.userContactLinkID) }?.agentConnectionID
        }
        let connection = try #require(found)
        let stored = try await agent.core.store.connection(ConnectionID(connection))
        let row = try #require(stored).record.row
        return try await agent.core.store.unansweredInvitations(contact: row)
    }

    /// Waits until no request waits for an answer, and nothing is left to do.
    private func expectNoneWaits(at core: TestCore) async throws {
        try await eventually("no request waits") {
            let isIdle = try await core.native.engine.store.read { try $0.jobs.waiting().isEmpty }
            let count = try await waiting(at: core)
            return isIdle && count == 0
        }
    }

    @Test("requests that are none, or for a relay, leave an address of a person as it was")
    func person() async throws {
        let world = TestWorld()
        let ann = try await world.core("ann"), stranger = try await world.core("stranger")
        let link = try #require(await ann.answer("/_address 1")["connLinkContact"]?["connShortLink"]?.stringValue)
        try await send(.deleteGroup, from: stranger, to: link)
        try await send(.testGroupRelay(challenge: Base64URLBytes([1, 2, 3]), signature: nil), from: stranger, to: link)
        let told = await ann.wait { $0.contains { if case .messageError(_, _, "x.grp.relay.test: not a relay") = $0 { true } else { false } } }
        #expect(told)
        try await expectNoneWaits(at: ann)
        await ann.close()
        await stranger.close()
    }

    @Test("an invitation to relay for what is no channel is not kept")
    func relay() async throws {
        let world = TestWorld()
        let relay = try await world.open(agent: .light), stranger = try await world.core("stranger")
        _ = try await relay.createUser("relay", isChatRelay: true)
        let link = try await ChannelScene.address(of: relay)
        func id(_ byte: UInt8) -> MemberID { MemberID(Bytes(repeating: byte, count: 12)) }
        let invitation = GroupRelayInvitation(
            fromMember: MemberIDRole(memberID: id(1), role: .owner), fromMemberProfile: Profile(displayName: "mallory", fullName: ""),
            relayMemberID: id(2), groupLink: link)
        try await send(.groupRelayInvitation(invitation), from: stranger, to: link)
        let isReported = await relay.wait { $0.contains { if case .chatError = $0 { true } else { false } } }
        #expect(isReported)
        try await expectNoneWaits(at: relay)
        await relay.close()
        await stranger.close()
    }

    @Test("a relay gives up a test whose answer has nowhere to go")
    func test() async throws {
        let world = TestWorld()
        let time = TestClock(1_800_000_000), delays = ManualClock()
        let relay = try await world.open(agent: .light, clock: delays, now: { UTCTimestamp(seconds: time.now) })
        _ = try await relay.createUser("relay", isChatRelay: true)
        let link = try await ChannelScene.address(of: relay)
        let stranger = try await world.core("stranger")
        // As if the stranger's router were away.
        relay.network.setFault { request, _ in if case .skey = request.command { .lostRequest } else { nil } }
        try await send(.testGroupRelay(challenge: Base64URLBytes([1, 2, 3]), signature: nil), from: stranger, to: link)
        // The first attempt fails, and the job waits for the next one.
        await delays.waitForSleeper(JobQueue.firstDelay...JobQueue.firstDelay)
        let waiting = try await relay.native.engine.store.read { try $0.jobs.waiting() }
        #expect(waiting.contains { if case .channel(.answerTest) = $0.task { true } else { false } })
        time.advance(ChannelConnector.relayTestAnswerPeriod)
        try await eventually("the relay has given up") {
            delays.advance(by: JobQueue.longestDelay)
            return try await relay.native.engine.store.read { try $0.jobs.waiting().isEmpty }
        }
        await relay.close()
        await stranger.close()
    }

    @Test("of a request that is repeated, the last one waits")
    func repeated() async throws {
        let world = TestWorld()
        let ann = try await world.core("ann"), stranger = try await world.core("stranger")
        let link = try #require(await ann.answer("/_address 1")["connLinkContact"]?["connShortLink"]?.stringValue)
        let tag = Bytes(repeating: 5, count: 16)
        for name in ["mallory", "mallory again"] {
            var request = ContactRequest(profile: Profile(displayName: name, fullName: ""))
            request.requestID = ContactRequestID(tag)
            try await send(.contact(request), from: stranger, to: link)
        }
        let bothCame = await ann.wait { $0.count { if case .receivedContactRequest = $0 { true } else { false } } == 2 }
        #expect(bothCame)
        try await eventually("one request waits") { try await waiting(at: ann) == 1 }
        await ann.close()
        await stranger.close()
    }
}
