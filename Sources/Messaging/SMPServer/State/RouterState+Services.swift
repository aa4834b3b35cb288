import SMPCrypto
import SMPProtocol
import SMPWire

// Clients that serve many users: all their queues are subscribed to by one command.
extension RouterState {
    /// Queues of a service that are looked at by one step.
    static let serviceStep = 256

    /// Takes note of who a session is.
    mutating func identify(_ session: SessionID, as service: SessionService) { sessions[session]?.service = service }

    /// Gives a service's queues to the session that has just shown that it has one of them, or all.
    mutating func claim(_ service: SessionService, _ execution: inout Execution) {
        let count = store.services[service.id]?.slots.count ?? 0
        guard let former = store.services.claim(service.id, for: execution.session) else { return }
        sessions[former]?.backlog = []
        execution.send(.ends(ServiceQueues(count: Int64(count))), to: former, about: service.id.entity)
    }

    /// `SUBS`, `NSUBS`: from now on, this session gets everything for the service, and waiting messages step by step.
    mutating func subscribeService(_ execution: inout Execution, sink: inout some RecordSink) {
        // The role was checked with the authorisation.
        guard let service = sessions[execution.session]?.service, service.id.entity == execution.command.entity else {
            return execution.fail(.service)
        }
        claim(service, &execution)
        let slots = store.services[service.id]?.slots ?? []
        sessions[execution.session]?.backlog = Array(slots)[...]
        counters.serviceSubscriptions += 1
        execution.respond(.soks(ServiceQueues(count: Int64(slots.count))), entity: service.id.entity)
        execution.events += continueService(execution.session, sink: &sink)
    }

    /// Checks whether more waits for a session than it has been given.
    func hasBacklog(_ session: SessionID) -> Bool { sessions[session]?.backlog.isEmpty == false }

    /// Gives a session what waits in some more queues of its service.
    mutating func continueService(_ session: SessionID, sink: inout some RecordSink) -> [RoutedOutput] {
        guard let service = sessions[session]?.service, let backlog = sessions[session]?.backlog, !backlog.isEmpty else { return [] }
        sessions[session]?.backlog = backlog.dropFirst(Self.serviceStep)
        var outputs: [RoutedOutput] = []
        for slot in backlog.prefix(Self.serviceStep).map(Int.init) {
            switch service.role {
            case .messaging:
                // Meanwhile the queue may have gone, or a message may have come and been delivered.
                guard store.update(slot, { $0.record.service }) == service.id, store.subscriber(slot) == session, blocking(slot) == nil,
                    (store.update(slot) { $0.delivered(to: session) == nil && !$0.messages.isEmpty }) == true,
                    let delivery = first(slot, sink: &sink)
                else { continue }
                let subscription = QueueStore.Subscription(session: session, delivered: delivery.message.id)
                _ = store.update(slot) { $0.subscription = subscription }
                counters.messagesDelivered += 1
                outputs.append(
                    RoutedOutput(session: session, output: RouterOutput(delivery, to: .none, entity: delivery.queue.entity)))
            case .notifier:
                guard (store.update(slot) { $0.record.notifier?.service }) == service.id, store.notifierSubscriber(slot) == session
                else { continue }
                outputs += pendingNotifications(slot, for: session)
            case .proxy: break
            }
        }
        return outputs
    }
}
