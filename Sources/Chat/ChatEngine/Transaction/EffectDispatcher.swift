import ChatAPI

/// Passes on the effects of committed transactions: events to subscribers, deliveries to the outbox, jobs to the queue, expiry and removed files to their timer.
struct EffectDispatcher: Sendable {
    let hub: ChatEventHub
    let outbox: OutboxDispatcher
    let jobs: JobQueue
    let expiry: ExpirySignal

    /// Dispatches the effects of one transaction. Calls are made in commit order.
    func dispatch(_ effects: Effects) {
        for event in effects.events { hub.publish(event) }
        outbox.enqueue(effects.deliveries)
        if !effects.jobs.isEmpty { jobs.enqueue(effects.jobs) }
        if effects.hasNewExpiry || effects.removesFiles { expiry.signal() }
    }
}
