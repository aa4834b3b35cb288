import ChatProtocol
import OfficialPeers
import ProcessSupport
import SMPAgent
import SMPProtocol
import SMPWire
import Testing

extension Interop {
    /// Subscribing to all queues on a router at once, by a service certificate.
    @Suite struct Services {
        @Test(arguments: Implementation.allCases) func `An agent that is a service takes its queues up again, and what the official client sent meanwhile`(
            _ router: Implementation
        ) async throws {
            // Routers of 6.5 do not subscribe to all queues of a recipient at once, and are shown no service.
            let version = try await PeerProgram.smpServer.version()
            let isOld = router == .official && version.contains("v6.")
            let outcome = isOld ? "works, one by one (2)" : "works, at once"
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
                try #require(try await service.routerVersion() == (isOld ? 18 : 20))
                if !isOld {
                    for expected in [ServiceSubscriptionState.complete(queues: links.count), .allDelivered] {
                        let state = try await service.notifications.first("what became of the service", within: .seconds(60)) {
                            notification -> ServiceSubscriptionState? in
                            guard case .serviceSubscription(_, let state) = notification.event else { return nil }
                            return state
                        }
                        try #require(state == expected)
                    }
                }
                _ = try await service.notifications.first("the request", within: .seconds(60)) { notification -> Bool? in
                    guard case .request = notification.event, notification.connection == asked.id else { return nil }
                    return true
                }
                await service.close()
                try await olga.leave()
                let counted = try await carrier.finish()
                try #require(counted.ofServices == (isOld ? 0 : links.count), "\(counted)")
            }
        }
    }
}
