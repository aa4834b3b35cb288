import ChatAPI
import ChatProtocol
import ChatRules
import SMPAgent
import SMPClient
import SMPProtocol
import SMPSimulation
import Synchronization
import Testing

@testable import ChatEngine

@Suite("What is told of a connection that does not work")
struct ConnectionEventTests {
    @Test func aContactWhoseQueueRefusesMessagesIsDisabledAfterTenOfThem() async throws {
        let world = TestWorld()
        let alice = try await world.core("alice"), bob = try await world.core("bob")
        let contact = try await connect(alice, bob)
        alice.network.setFault { request, _ in if case .send = request.command { .refused(.auth) } else { nil } }
        for number in 1...10 {
            let item = try await alice.send("\(number)", to: contact)
            let isTold = await alice.wait { events in
                events.contains { event in
                    guard case .chatItemsStatusesUpdated(_, let items) = event else { return false }
                    return items.contains { $0.chatItem.id == item.id && $0.chatItem.meta.status == .sendError(error: .auth) }
                }
            }
            try #require(isTold, "message \(number) is shown as refused")
        }
        #expect(await alice.wait { $0.contains { if case .contactDisabled(_, let it) = $0 { it.contactID == contact } else { false } } })
        #expect(alice.events.count { $0.json["type"] == "contactDisabled" } == 1)
        await #expect { try await alice.send("one more", to: contact) } throws: {
            ($0 as? ChatCoreError)?.chatError?.json["errorType"]?["type"] == "contactDisabled"
        }
        await alice.close()
        await bob.close()
    }

    @Test func aConnectionWhoseOtherSideTakesNothingIsToldOfOnceAndAgainWhenItDoes() async throws {
        let (alice, bob, injector) = try await connectedWithInjector()
        let connection = try #require(injector.connected)
        let quota = AgentError(.smp(server: "smp://router.example", .quota))
        for _ in 0..<7 { injector.inject(.messageDelayed(999, quota), connection) }
        injector.inject(.sendingContinued, connection)
        injector.inject(.sendingContinued, connection)
        @Sendable func inactivity(_ events: [ChatEvent]) -> [Bool] {
            events.compactMap { if case .connectionInactive(_, let inactive) = $0 { inactive } else { nil } }
        }
        #expect(await alice.wait { inactivity($0) == [true, false] }, "\(inactivity(alice.events))")
        await alice.close()
        await bob.close()
    }

    @Test func aMessageThatWasDroppedIsShownAtItsTime() async throws {
        let (alice, bob, injector) = try await connectedWithInjector()
        let dropped = AgentError.DroppedMessage(brokerTime: 1_700_000_000, attempts: 4)
        injector.inject(.failed(AgentError(.agent(.duplicate(dropped: dropped)))), injector.connected)
        let isShown = await alice.wait { events in
            events.contains { event in
                guard case .newChatItems(_, let items) = event, let item = items.first?.chatItem else { return false }
                return item.content.json["rcvMsgError"]?["attempts"] == 4 && item.meta.json["itemTs"] == UTCTimestamp(seconds: 1_700_000_000).json
            }
        }
        #expect(isShown)
        await alice.close()
        await bob.close()
    }

    @Test(arguments: [true, false]) func sessionsWithRoutersAreToldOfWhereThatIsAskedFor(_ isAsked: Bool) async throws {
        let world = TestWorld()
        let injector = ReportInjector()
        let alice = try await world.open(reports: injector.attach, configure: { $0.reportsHosts = isAsked })
        _ = try await alice.createUser("alice")
        injector.inject(.serverConnected(world.router.address), nil)
        injector.inject(.suspended, nil)
        #expect(await alice.wait { $0.contains(.chatSuspended) })
        #expect(alice.events.contains(.hostConnected(protocolName: "smp", transportHost: "router.example")) == isAsked)
        await alice.close()
    }

    @Test func theEndOfASubscriptionIsToldOfContactsByTheirNameAndOfAllOtherConnectionsAsWhatTheyAre() async throws {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(with: ["bob": .member])
        let contact = try await scene.addContact("ann")
        #expect(try await scene.report(.subscriptionEnded, from: .contact(contact)).events.types == ["contactAnotherClient"])
        let told = try await scene.report(.subscriptionEnded, from: .member(try #require(members["bob"]))).events
        guard case .subscriptionEnd(_, .member(_, let group, let member))? = told.first, told.count == 1 else { throw UnexpectedAnswer() }
        #expect(group.groupID == RuleScene.group && member.localDisplayName == "bob")
        try await scene.close()
    }

    /// Two who are connected, and what adds to the reports of the first one's agent.
    private func connectedWithInjector() async throws -> (alice: TestCore, bob: TestCore, injector: ReportInjector) {
        let world = TestWorld(), injector = ReportInjector()
        let alice = try await world.open(agent: .light, reports: injector.attach)
        _ = try await alice.createUser("alice")
        let bob = try await world.core("bob")
        _ = try await connect(alice, bob)
        return (alice, bob, injector)
    }

    private func connect(_ one: TestCore, _ other: TestCore) async throws -> ContactID {
        try await TestWorld.connect(one, other).0
    }
}

/// Adds events to those of an agent.
final class ReportInjector: Sendable {
    private let state = Mutex<(sink: AsyncStream<AgentNotification>.Continuation?, connected: ConnectionID?)>((nil, nil))

    /// The connection that was complete last.
    var connected: ConnectionID? { state.withLock { $0.connected } }

    func attach(_ reports: AsyncStream<AgentNotification>) -> AsyncStream<AgentNotification> {
        let (stream, continuation) = AsyncStream.makeStream(of: AgentNotification.self)
        state.withLock { $0.sink = continuation }
        Task { [self] in
            for await report in reports {
                if case .connected = report.event { state.withLock { $0.connected = report.connection } }
                continuation.yield(report)
            }
            continuation.finish()
        }
        return stream
    }

    func inject(_ event: AgentEvent, _ connection: ConnectionID?) {
        _ = state.withLock { $0.sink }?.yield(AgentNotification(connection: connection, event: event))
    }
}
