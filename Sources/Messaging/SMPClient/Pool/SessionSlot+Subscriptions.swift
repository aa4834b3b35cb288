import SMPProtocol
import Synchronization

extension SessionSlot {
    /// Subscribes to queues and remembers them.
    func subscribe(_ queues: [QueueSubscription]) async -> [SMPResult] {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.subscriptions.begin(queues) }
            return state.isClosed
        }
        if isClosed { return queues.map { _ in .failure(Self.closedError) } }
        let results = await subscribeAll(queues, isPatient: false).results
        resubscribeIfNeeded()
        return results
    }

    /// Subscribes to queues that are in progress: those of the client's service at once, the others in goes.
    private func subscribeAll(
        _ queues: [QueueSubscription], isPatient: Bool
    ) async -> (results: [SMPResult], outcomes: [SubscriptionTable.Outcome]) {
        var served: Set<RecipientID> = []
        var answers: [RecipientID: (result: SMPResult, outcome: SubscriptionTable.Outcome)] = [:]
        if let service = await subscribeService(queues, isPatient: isPatient) {
            for (index, queue) in service.queues.enumerated() {
                served.insert(queue.queue)
                answers[queue.queue] = (service.result, service.outcomes[index])
            }
        }
        let others = served.isEmpty ? queues : queues.filter { !served.contains($0.queue) }
        let size = environment.configuration.subscriptionBatch
        var results: [SMPResult] = []
        var outcomes: [SubscriptionTable.Outcome] = []
        results.reserveCapacity(queues.count)
        for start in stride(from: 0, to: others.count, by: size) {
            let batch = await subscribe(Array(others[start..<min(others.count, start + size)]), isPatient: isPatient)
            results += batch.results
            outcomes += batch.outcomes
        }
        guard !served.isEmpty else { return (results, outcomes) }
        for (index, queue) in others.enumerated() { answers[queue.queue] = (results[index], outcomes[index]) }
        let all = queues.compactMap { answers[$0.queue] }
        return (all.map(\.result), all.map(\.outcome))
    }

    /// The number of a connection; -1 if it is not the present one.
    func number(of session: SMPSession) -> Int {
        state.withLock { state in
            if case .connected(let present, let number, _) = state.link, present === session { number } else { -1 }
        }
    }

    /// Subscribes to queues that are in progress, in one go.
    private func subscribe(
        _ queues: [QueueSubscription], isPatient: Bool
    ) async -> (results: [SMPResult], outcomes: [SubscriptionTable.Outcome]) {
        let results: [SMPResult]
        var number = -1
        do throws(SMPClientError) {
            let session = try await session(isPatient: isPatient)
            number = self.number(of: session)
            results = await session.send(
                queues.map { SMPRequest(entity: $0.queue, command: .sub, authKey: $0.authKey) })
        } catch {
            results = queues.map { _ in .failure(error) }
        }
        note(queues, results, in: number)
        return (results, finish(queues, results, in: number))
    }

    /// Notes what became of subscribing in a connection.
    func finish(_ queues: [QueueSubscription], _ results: [SMPResult], in number: Int) -> [SubscriptionTable.Outcome] {
        state.withLock { state in
            let outcomes = zip(queues, results).map { queue, result in
                var error: SMPClientError?
                if case .failure(let failure) = result { error = failure }
                return state.subscriptions.finish(queue.queue, error, in: number, current: state.current)
            }
            if outcomes.contains(.wanted) {
                state.mustWait = true
            } else {
                state.mustWait = false
                state.backoff.reset()
            }
            return outcomes
        }
    }

    /// The router says that queues are no more ours, or gone.
    func forget(_ queues: [RecipientID]) {
        unsubscribe(queues)
        state.withLock { state in
            for queue in queues { state.associations[queue] = nil }
            state.surplus.forget(queues)
        }
    }

    func unsubscribe(_ queues: [RecipientID]) {
        state.withLock { state in
            for queue in queues { state.subscriptions.forget(queue) }
        }
    }

    /// Updates the subscriptions after a command about a queue.
    ///
    /// - Parameter session: the connection on which it was sent.
    func note(_ request: SMPRequest, _ result: SMPResult, on session: SMPSession) {
        switch (request.command, result) {
        case (.new(let queue), .success(.ids(let ids))) where queue.subscription == .subscribe:
            guard let authKey = request.authKey else { return }
            let subscription = QueueSubscription(queue: ids.recipientID, authKey: authKey)
            state.withLock { state in
                guard !state.isClosed else { return }
                if case .connected(let present, let number, _) = state.link, present === session {
                    state.subscriptions.add(subscription, in: number)
                } else {
                    state.subscriptions.want(subscription)
                }
            }
            associate([ids.recipientID], with: ids.serviceID)
            resubscribeIfNeeded()
        case (.off, .success(.ok)): unsubscribe([request.entity])
        case (.del, .success(.ok)): forget([request.entity])
        default: break
        }
    }

    /// Starts the task that takes up subscriptions again, if there are any to take up and it is not running.
    func resubscribeIfNeeded() {
        state.withLock { state in
            guard state.worker == nil, state.subscriptions.hasWanted, !state.isClosed else { return }
            state.worker = Task { [weak self] in await self?.resubscribe() }
        }
    }

    private func resubscribe() async {
        while !Task.isCancelled {
            await waitForAttempt()
            let queues = state.withLock { state in
                // Those of a service are subscribed to at once, however many.
                let limit = state.associations.isEmpty ? environment.configuration.subscriptionBatch : Int.max
                let queues = state.subscriptions.takeWanted(atMost: limit)
                if queues.isEmpty { state.worker = nil }
                return queues
            }
            if queues.isEmpty { return }
            let (results, outcomes) = await subscribeAll(queues, isPatient: true)
            report(queues, results, outcomes)
        }
    }

    /// Waits as the back-off says, or until there is a connection.
    private func waitForAttempt() async {
        let unit = environment.randomUnit()
        let time = environment.time
        let sleep = state.withLock { state -> Task<Void, Never>? in
            guard state.mustWait, !state.isClosed else { return nil }
            state.mustWait = false
            let delay = state.backoff.next(unit)
            let task = Task { _ = try? await time.sleep(delay) }
            state.workerSleep = task
            return task
        }
        guard let sleep else { return }
        await sleep.value
        state.withLock { $0.workerSleep = nil }
    }

    private func report(
        _ queues: [QueueSubscription], _ results: [SMPResult], _ outcomes: [SubscriptionTable.Outcome]
    ) {
        var subscribed: [RecipientID] = []
        for (index, queue) in queues.enumerated() {
            switch (outcomes[index], results[index]) {
            case (.active, _): subscribed.append(queue.queue)
            case (.forgotten, .failure(let error)) where error.isAboutQueue:
                environment.emit(.subscriptionFailed(key, queue: queue.queue, error))
            default: break
            }
        }
        if !subscribed.isEmpty { environment.emit(.subscribed(key, queues: subscribed)) }
    }
}
