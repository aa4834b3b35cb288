import SMPProtocol
import Synchronization

extension RouterSession {
    /// Does what a client asks of a proxy. The answer comes when the other router has given it; commands behind this one do not wait.
    ///
    /// - Returns: true if this was such a command, of a router that is a proxy.
    func proxies(_ transmission: ReceivedTransmission<SMPCommand>) -> Bool {
        guard let relays = core.relays, case .success(let command) = transmission.message else { return false }
        switch command {
        case .prxy(let server, let auth):
            let answer = answer(to: transmission)
            guard relays.allows(auth) else {
                chargeWrongPassword()
                answer(.err(.proxy(.basicAuth)))
                return true
            }
            relays.session(with: server, for: relayClient) { result in
                switch result {
                case .success(let session): answer(.pkey(session))
                case .failure(let error): answer(.err(error))
                }
            }
        case .pfwd(let forwarded):
            let answer = answer(to: transmission)
            guard let relay = relays.relay(transmission.entity.bytes, for: relayClient) else {
                answer(.err(.proxy(.noSession)))
                return true
            }
            relays.countRelayed()
            relay.forward(forwarded, transmission.correlationID, answer: answer)
        default: return false
        }
        return true
    }

    private var relayClient: RelayClient { prefix.map { .address($0) } ?? .session(id) }

    /// Sends an answer, from any thread; not if the session has ended by then.
    private func answer(to transmission: ReceivedTransmission<SMPCommand>) -> RelayConnection.Answer {
        relaying.add(1, ordering: .relaxed)
        return { [weak self, id = transmission.correlationID, entity = transmission.entity] message in
            guard let self else { return }
            relaying.subtract(1, ordering: .relaxed)
            let output = RouterOutput(message, to: id, entity: entity)
            outbox.withLock { $0.append(output) }
            scheduleFlush()
        }
    }
}
