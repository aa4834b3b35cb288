import SMPCrypto
import SMPProtocol
import SMPWire

// Clients that serve many users: all their queues are subscribed to by one command.
extension RouterState {
    /// The number of queues of a service that one step checks.
    static let serviceStep = 256

    /// Records the service of a session.
    mutating func identify(_ session: SessionID, as service: SessionService) { sessions[session]?.service = service }

    /// Gives a service's queues to the session that has just subscribed to one or all of them.
    mutating func claim(_ service: SessionService, _ execution: inout Execution) {
        let queues = store.services[service.id]?.queues ?? .none
        guard let former = store.services.claim(service.id, for: execution.session) else { return }
        sessions[former]?.backlog = []
        sessions[former]?.isServing = false
        sessions[former]?.awaitsEndOfBacklog = false
        execution.send(.ends(queues), to: former, about: service.id.entity)
    }

    /// `SUBS`, `NSUBS`: from now on, this session gets everything for the service, and waiting messages step by step.
    ///
    /// - Parameter expected: the queues that the client counts.
    mutating func subscribeService(_ expected: ServiceQueues, _ execution: inout Execution, sink: inout some RecordSink) {
        let session = execution.session
        // The role was checked with the authorisation.
        guard let service = sessions[session]?.service, service.id.entity == execution.command.entity else {
            return execution.fail(.service)
        }
        claim(service, &execution)
        let queues = store.services[service.id]?.queues ?? .none
        counters.serviceSubscriptions += 1
        counters.countDrift(from: expected, to: queues)
        execution.respond(.soks(queues), entity: service.id.entity)
        // Said again: what waited has been given or is being given, and what came since has been given as it came.
        guard sessions[session]?.isServing != true else { return }
        sessions[session]?.isServing = true
        sessions[session]?.backlog = Array(store.services[service.id]?.slots ?? [])[...]
        sessions[session]?.awaitsEndOfBacklog = service.role == .messaging && execution.command.version >= SMPVersion.serviceSubscriptions
        execution.events += continueService(session, sink: &sink)
    }

    /// Checks whether queues of its service still wait for a session.
    func hasBacklog(_ session: SessionID) -> Bool { sessions[session]?.backlog.isEmpty == false }

    /// Gives a session what waits in some more queues of its service; after the last, a session that knows `ALLS` gets that.
    mutating func continueService(_ session: SessionID, sink: inout some RecordSink) -> [RoutedOutput] {
        var outputs = giveBacklog(session, sink: &sink)
        if sessions[session]?.awaitsEndOfBacklog == true, !hasBacklog(session) {
            sessions[session]?.awaitsEndOfBacklog = false
            outputs.append(RoutedOutput(session: session, output: RouterOutput(.alls, to: .none, entity: .none)))
        }
        return outputs
    }

    private mutating func giveBacklog(_ session: SessionID, sink: inout some RecordSink) -> [RoutedOutput] {
        guard let service = sessions[session]?.service, let backlog = sessions[session]?.backlog, !backlog.isEmpty else { return [] }
        sessions[session]?.backlog = backlog.dropFirst(Self.serviceStep)
        var outputs: [RoutedOutput] = []
        for slot in backlog.prefix(Self.serviceStep).map(Int.init) {
            switch service.role {
            case .messaging:
                // Meanwhile the queue may have been deleted, or a new message may have been delivered.
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

extension RouterStatistics.Counters {
    /// Counts a subscription by how what the client expects differs from what the router has.
    fileprivate mutating func countDrift(from expected: ServiceQueues, to queues: ServiceQueues) {
        // Clients below version 19 do not count.
        guard expected.count >= 0 else { return }
        let (difference, _) = queues.count.subtractingReportingOverflow(expected.count)
        if difference > 0 {
            serviceSubscriptionsWithMore += 1
            serviceQueuesUnexpected &+= difference.magnitude
        } else if difference < 0 {
            serviceSubscriptionsWithFewer += 1
            // A client may claim to have any number of them.
            serviceQueuesMissing &+= min(difference.magnitude, Self.largestDrift)
        } else if queues.hash != expected.hash {
            serviceSubscriptionsWithOthers += 1
        } else {
            serviceSubscriptionsAsExpected += 1
        }
    }

    /// The most missing queues that one subscription is counted with.
    private static let largestDrift: UInt64 = 1_000_000
}
