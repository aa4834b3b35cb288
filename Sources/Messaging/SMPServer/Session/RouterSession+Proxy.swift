import SMPProtocol
import Synchronization

extension RouterSession {
    /// Executes a command for a proxy. The answer follows when the other router has answered; later commands do not wait.
    ///
    /// - Returns: true if this was such a command, and the router is a proxy.
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
            relays.session(with: server, for: limitedClient) { result in
                switch result {
                case .success(let session): answer(.pkey(session))
                case .failure(let error): answer(.err(error))
                }
            }
        case .pfwd(let forwarded):
            let answer = answer(to: transmission)
            guard let relay = relays.relay(transmission.entity.bytes, for: limitedClient) else {
                answer(.err(.proxy(.noSession)))
                return true
            }
            relays.countRelayed()
            relay.forward(forwarded, transmission.correlationID, answer: answer)
        default: return false
        }
        return true
    }

    /// By what limits for one client count it.
    var limitedClient: RouterClient { prefix.map { .address($0) } ?? .session(id) }

    /// Returns a function that sends the answer, from any thread; it sends nothing if the session has ended by then.
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
