import SMPClient
import SMPProtocol
import SMPWire
import Synchronization

@testable import SMPServer

/// One connection between a client and a router: in order in both directions, with delays, and lost for one side before the other knows.
final class RouterLink: Sendable {
    private struct Inner {
        var session: SessionID?
        /// Nothing passes any more, whoever knows it.
        var isBroken = false
        var lastToRouter: Int64 = 0
        var lastToClient: Int64 = 0
        /// Told of responses and messages, and of the end.
        var client: SimulatedClient?
    }

    let key: TransportSessionKey
    /// What waits at the router until it may be sent.
    let outbox = Mutex<[RouterOutput]>([])
    private let simulation: Simulation
    private let router: RouterHost
    private let inner = Mutex(Inner())

    /// nil if the router does not listen.
    init?(_ client: SimulatedClient, _ key: TransportSessionKey, to router: RouterHost, _ simulation: Simulation) {
        self.key = key
        self.router = router
        self.simulation = simulation
        inner.withLock { $0.client = client }
        guard let session = router.accept(self) else { return nil }
        inner.withLock { $0.session = session }
    }

    private func latency() -> Int64 { simulation.microseconds(simulation.once(in: 100) ? 10_000...300_000 : 200...5_000) }

    func sendToRouter(_ request: SMPRequest, _ id: CorrelationID) {
        let arrival = simulation.time + latency()
        let (session, time) = inner.withLock { inner in
            inner.lastToRouter = max(arrival, inner.lastToRouter + 1)
            return (inner.session, inner.lastToRouter)
        }
        guard let session else { return }
        simulation.after(time - simulation.time) { [self] in
            guard !inner.withLock({ $0.isBroken }) else { return }
            simulation.countTransmission()
            router.receive(request, id, from: session)
        }
    }

    func sendToClient(_ id: CorrelationID, _ entity: EntityID, _ message: SMPBrokerMessage) {
        let arrival = simulation.time + latency()
        let time = inner.withLock { inner in
            inner.lastToClient = max(arrival, inner.lastToClient + 1)
            return inner.lastToClient
        }
        simulation.after(time - simulation.time) { [self] in
            let client = inner.withLock { $0.isBroken ? nil : $0.client }
            guard let client else { return }
            simulation.countTransmission()
            client.receive(id, entity, message, on: self)
        }
    }

    /// The connection breaks. Each side notices in its own time.
    func cut() {
        let (session, client) = inner.withLock { inner in
            defer { inner.isBroken = true }
            return inner.isBroken ? (nil, nil) : (inner.session, inner.client)
        }
        // Half-open for one of the sides at times: only its own patience tells it.
        let isSilent = simulation.once(in: 4)
        if let client {
            simulation.after(simulation.microseconds(isSilent ? 1_000_000...20_000_000 : 0...50_000)) { [self] in client.lost(self) }
        }
        if let session {
            simulation.after(simulation.microseconds(isSilent ? 1_000_000...60_000_000 : 0...50_000)) { [self] in router.close(session) }
        }
    }

    /// The client is gone.
    func abandon() {
        inner.withLock { $0.client = nil }
        cut()
    }
}
