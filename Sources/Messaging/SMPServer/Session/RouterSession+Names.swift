import SMPProtocol
import Synchronization

extension RouterSession {
    /// Has a name resolved, of a client or of one behind a proxy. The answer comes when the resolver has given it; commands behind this one do not
    /// wait, nor is anything else of a proxy's many clients held up.
    ///
    /// - Returns: true if this was such a command, of a router that resolves names.
    func resolves(_ transmission: ReceivedTransmission<SMPCommand>, _ route: ForwardRoute?) -> Bool {
        guard let names = core.names, case .success(.rslv(let domain)) = transmission.message else { return false }
        // One of another role is refused like all of its commands.
        guard route != nil || serviceRole == nil || serviceRole == .messaging else { return false }
        core.countName(isForwarded: route != nil)
        names.resolve(domain, for: id, of: NameClient(client: limitedClient, isProxy: route != nil)) { [weak self] message in
            guard let self else { return }
            let output = RouterOutput(message, to: transmission.correlationID, entity: transmission.entity)
            outbox.withLock { $0.append(output, route: route) }
            scheduleFlush()
        }
        return true
    }

    /// Drops the names that wait for their turn.
    func dropNames() { core.names?.drop(id, of: limitedClient) }
}
