import ChatAPI
import ChatProtocol
import SMPAgent
import SMPSimulation
import SMPWire
import Testing

@testable import ChatEngine

/// Events about queues that are taken up at once.
@Suite struct ServiceStatusTests {
    @Test func whatBecameOfTakingUpAllQueuesAtOnceIsAnEvent() async throws {
        let world = TestWorld()
        let (reports, agent) = AsyncStream.makeStream(of: AgentNotification.self)
        let core = try await world.open(reports: { _ in reports })
        let address = world.router.address
        let states: [ServiceSubscriptionState] = [
            .complete(queues: 3), .incomplete(counted: 4, expected: 3), .incomplete(counted: 3, expected: 3), .unavailable(AgentError(.inactive)),
            .allDelivered, .ended(queues: 2),
        ]
        for state in states { agent.yield(AgentNotification(connection: nil, event: .serviceSubscription(address, state))) }
        @Sendable func told(_ events: [ChatEvent]) -> [JSONValue] {
            events.compactMap { if case .serviceSubStatus(address.wireString, let event) = $0 { event.json } else { nil } }
        }
        let isTold = await core.wait { told($0).count == 5 }
        #expect(isTold)
        #expect(
            told(core.events) == [
                ["type": "up", "queueCount": 3], ["type": "up", "serviceError": "expected 3 connections", "queueCount": 4],
                ["type": "up", "serviceError": "different IDs hash", "queueCount": 3], ["type": "all"], ["type": "end", "queueCount": 2],
            ])
        agent.finish()
        await core.close()
    }
}
