import ChatProtocol
import OfficialPeers
import ProcessSupport
import SMPAgent
import SMPProtocol
import SMPWire
import Testing

extension Interop {
    /// Subscribing to all queues on a router at once, by a service certificate. No official program of this version receives as a service.
    @Suite struct Services {
        @Test(arguments: Implementation.allCases) func `An agent that is a service takes its queues up again, and what the official client sent meanwhile`(
            _ router: Implementation
        ) async throws {
            // The official router of this version knows whose a service's queues are, and refuses to subscribe to all of them.
            let outcome = router == .official ? "works, one by one (2)" : "works, at once"
            try await seen("service certificate: queues taken up again", "official → Parley", through: router, as: outcome) {
                let carrier = try await router.router()
                let folder = try ScratchFolder("service")
                var service = try await AgentParty(carrier, path: folder("agent.db"), isService: true)
                var links: [CreatedConnection] = []
                for _ in 1...5 { links.append(try await service.agent.createConnection(user: service.user, mode: .contact)) }
                await service.close()

                let asked = links[3]
                let olga = try await Implementation.official.party("olga", servers: [carrier.address])
                try await olga.send("/c \(asked.link.wireString)")
                service = try await AgentParty(carrier, path: folder("agent.db"), isService: true)
                let results = await service.agent.subscribeAll()
                try #require(results.count == links.count)
                for (_, result) in results { _ = try result.get() }
                let state = try await service.notifications.first("what became of the service", within: .seconds(60)) {
                    notification -> ServiceSubscriptionState? in
                    guard case .serviceSubscription(_, let state) = notification.event else { return nil }
                    return state
                }
                switch (router, state) {
                case (.parley, .complete(queues: links.count)): break
                case (.official, .unavailable(let error)):
                    guard case .smp(_, .command(.prohibited)) = error.reason else { throw error }
                default: throw PeerError(.refused, "\(state)")
                }
                _ = try await service.notifications.first("the request", within: .seconds(60)) { notification -> Bool? in
                    guard case .request = notification.event, notification.connection == asked.id else { return nil }
                    return true
                }
                await service.close()
                try await olga.leave()
                let counted = try await carrier.finish()
                try #require(counted.ofServices == links.count, "\(counted)")
            }
        }
    }
}
