import ChatAPI

/// Passes on the effects of committed transactions: events to subscribers, deliveries to the outbox, jobs to the queue, expiry and removed files to their
/// timer, and channels to the relay.
struct EffectDispatcher: EffectDispatching {
    let hub: ChatEventHub
    let outbox: OutboxDispatcher
    let jobs: JobQueue
    let expiry: ExpirySignal
    let relay: RelaySignal
    let relayTests: RelayTests

    func dispatch(_ effects: Effects) {
        for event in effects.events { hub.publish(event) }
        outbox.enqueue(effects.deliveries)
        if !effects.jobs.isEmpty { jobs.enqueue(effects.jobs) }
        if !effects.relayedGroups.isEmpty { relay.signal(effects.relayedGroups) }
        for answer in effects.relayTestAnswers { relayTests.receive(answer.answer, over: answer.connection) }
        if effects.hasNewExpiry || effects.removesFiles { expiry.signal() }
    }
}
