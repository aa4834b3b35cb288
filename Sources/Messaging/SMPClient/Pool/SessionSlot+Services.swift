import SMPCrypto
import SMPProtocol
import Synchronization

extension SessionSlot {
    /// Subscribes by one command to the queues that the router takes for the service's.
    ///
    /// - Returns: the queues that this was for and what became of them; nil if each must be subscribed to by itself.
    func subscribeService(
        _ queues: [QueueSubscription], isPatient: Bool
    ) async -> (queues: [QueueSubscription], result: SMPResult, outcomes: [SubscriptionTable.Outcome])? {
        let mayServe = state.withLock { state in
            // The information of callers is older than that of this connection.
            if state.served == nil || state.served?.connection != state.current {
                for queue in queues where queue.service != nil { state.associations[queue.queue] = queue.service }
            }
            return !state.associations.isEmpty
        }
        guard mayServe, let session = try? await session(isPatient: isPatient), let service = session.service else { return nil }
        let number = number(of: session)
        let (ours, associated, served) = state.withLock { state in
            (
                queues.filter { state.associations[$0.queue] == service.id },
                state.associations.filter { $0.value == service.id }.keys, state.served?.connection == number ? state.served : nil
            )
        }
        guard !ours.isEmpty else { return nil }
        if let served {
            guard served.isComplete else { return nil }
            return (ours, .success(.ok), finish(ours, ours.map { _ in .success(.ok) }, in: number))
        }
        let expected = ServiceQueues(associated)
        let result = await session.send([SMPRequest(entity: service.id, command: .subs(expected), authKey: .ed25519(service.key))])[0]
        switch result {
        case .success(.soks(let counted)):
            let isComplete = state.withLock { state in
                let isComplete = state.surplus.isComplete(counted, for: associated, in: state.current == number ? number : nil)
                if state.current == number { state.served = (number, isComplete) }
                return isComplete
            }
            guard isComplete else {
                announce(.incomplete(counted: counted.count, expected: associated.count), in: number)
                return nil
            }
            announce(.complete(queues: associated.count), in: number)
            return (ours, .success(.sok(service.id)), finish(ours, ours.map { _ in .success(.ok) }, in: number))
        case .failure(let error) where error.isTemporary:
            return (ours, .failure(error), finish(ours, ours.map { _ in .failure(error) }, in: number))
        case .failure(let error):
            state.withLock { state in
                if state.current == number { state.served = (number, false) }
            }
            environment.emit(.service(key, .unavailable(error)))
            return nil
        case .success: return nil
        }
    }

    /// Stores the information about the service in the answers to `SUB`.
    ///
    /// - Parameter number: the connection in which they came.
    func note(_ queues: [QueueSubscription], _ results: [SMPResult], in number: Int) {
        var byService: [ServiceID?: [RecipientID]] = [:]
        for (queue, result) in zip(queues, results) {
            guard case .success(.sok(let service)) = result else { continue }
            byService[service, default: []].append(queue.queue)
        }
        for (service, queues) in byService { associate(queues, with: service) }
        state.withLock { state in
            guard case .connected(let session, number, _) = state.link, let service = session.service?.id else { return }
            state.surplus.confirm(byService[service] ?? [], in: number)
        }
    }

    /// The router takes queues for this service's, or for none's.
    func associate(_ queues: [RecipientID], with service: ServiceID?) {
        let changed = state.withLock { state in
            queues.filter { queue in
                guard state.associations[queue] != service else { return false }
                state.associations[queue] = service
                return true
            }
        }
        if !changed.isEmpty { environment.emit(.associated(key, queues: changed, service)) }
    }

    /// Reports what became of a subscription, before the word that all messages that waited have been delivered.
    private func announce(_ outcome: ServiceSubscription, in number: Int) {
        environment.emit(.service(key, outcome))
        let isDelivered = state.withLock { state in
            state.announced = number
            return state.deliveredEarly == number
        }
        if isDelivered { environment.emit(.service(key, .allDelivered)) }
    }

    /// All messages that waited have been delivered. That may be known before the task that subscribed has gone on.
    func serviceDelivered(_ number: Int) {
        let isAnnounced = state.withLock { state in
            if state.announced != number { state.deliveredEarly = number }
            return state.announced == number
        }
        if isAnnounced { environment.emit(.service(key, .allDelivered)) }
    }

    /// Another connection of the service has taken its queues.
    func serviceEnded(_ number: Int) {
        let ended = state.withLock { state -> [RecipientID]? in
            guard case .connected(let session, number, _) = state.link, let service = session.service else { return nil }
            state.served = nil
            return state.subscriptions.active(in: number).filter { state.associations[$0] == service.id }
        }
        guard let ended else { return }
        unsubscribe(ended)
        environment.emit(.service(key, .ended(queues: ended)))
    }
}
