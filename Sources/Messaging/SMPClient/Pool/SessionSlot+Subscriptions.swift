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
        let size = environment.configuration.subscriptionBatch
        var results: [SMPResult] = []
        results.reserveCapacity(queues.count)
        for start in stride(from: 0, to: queues.count, by: size) {
            results += await subscribe(Array(queues[start..<min(queues.count, start + size)]), isPatient: false).results
        }
        resubscribeIfNeeded()
        return results
    }

    /// Subscribes to queues that are in progress, in one go.
    private func subscribe(
        _ queues: [QueueSubscription], isPatient: Bool
    ) async -> (results: [SMPResult], outcomes: [SubscriptionTable.Outcome]) {
        let results: [SMPResult]
        var number = -1
        do throws(SMPClientError) {
            let session = try await session(isPatient: isPatient)
            number = state.withLock { state in
                if case .connected(let present, let number, _) = state.link, present === session { number } else { -1 }
            }
            results = await session.send(
                queues.map { SMPRequest(entity: $0.queue, command: .sub, authKey: $0.authKey) })
        } catch {
            results = queues.map { _ in .failure(error) }
        }
        let outcomes = state.withLock { state in
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
        return (results, outcomes)
    }

    func unsubscribe(_ queues: [RecipientID]) {
        state.withLock { state in
            for queue in queues { state.subscriptions.forget(queue) }
        }
    }

    /// Keeps the subscriptions in step with what a command did to a queue.
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
            resubscribeIfNeeded()
        case (.off, .success(.ok)), (.del, .success(.ok)): unsubscribe([request.entity])
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
                let queues = state.subscriptions.takeWanted(atMost: environment.configuration.subscriptionBatch)
                if queues.isEmpty { state.worker = nil }
                return queues
            }
            if queues.isEmpty { return }
            let (results, outcomes) = await subscribe(queues, isPatient: true)
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
