import Synchronization
import TestSupport
import Testing

@testable import ChatAPI

/// Events reach everybody who asked for them.
@Suite struct ChatEventHubTests {
    private func event(_ number: Int64) -> ChatEvent { .agentUserDeleted(agentUserID: number) }

    @Test("every subscriber gets every event in order")
    func everybody() async throws {
        let hub = ChatEventHub()
        let subscriptions = (0..<3).map { _ in hub.subscribe(bufferingUpTo: 1000) }
        for number in 0..<500 { hub.publish(event(Int64(number))) }
        hub.finish()
        for subscription in subscriptions {
            var events: [ChatEvent] = []
            for try await event in subscription { events.append(event) }
            #expect(events == (0..<500).map { event(Int64($0)) })
        }
    }

    @Test("a subscriber gets what is published after it subscribed")
    func later() async throws {
        let hub = ChatEventHub()
        hub.publish(event(1))
        let subscription = hub.subscribe(bufferingUpTo: 10)
        hub.publish(event(2))
        var iterator = subscription.makeAsyncIterator()
        #expect(try await iterator.next() == event(2))
    }

    @Test("a reader that waits is given the next event")
    func waiting() async throws {
        let hub = ChatEventHub()
        let subscription = hub.subscribe(bufferingUpTo: 10)
        let reader = Task {
            var iterator = subscription.makeAsyncIterator()
            return try await iterator.next()
        }
        try await eventually("it waits") { subscription.subscription.isAwaited }
        hub.publish(event(1))
        #expect(try await reader.value == event(1))
    }

    @Test("a subscriber that falls behind keeps what it has and is told that the rest is lost; others are not affected")
    func overflow() async throws {
        let hub = ChatEventHub()
        let slow = hub.subscribe(bufferingUpTo: 2)
        let fast = hub.subscribe(bufferingUpTo: 100)
        for number in 1...5 { hub.publish(event(Int64(number))) }
        var iterator = slow.makeAsyncIterator()
        #expect(try await iterator.next() == event(1))
        #expect(try await iterator.next() == event(2))
        let error = await #expect(throws: ChatCoreError.self) { try await iterator.next() }
        #expect(error?.code == .eventsLost)
        hub.publish(event(6))
        await #expect(throws: ChatCoreError.self) { try await iterator.next() }
        hub.finish()
        var count = 0
        for try await _ in fast { count += 1 }
        #expect(count == 6)
    }

    @Test("cancelling a reader ends its reading")
    func cancellation() async throws {
        let hub = ChatEventHub()
        let subscription = hub.subscribe(bufferingUpTo: 10)
        let reader = Task {
            var iterator = subscription.makeAsyncIterator()
            return try await iterator.next()
        }
        try await eventually("it waits") { subscription.subscription.isAwaited }
        reader.cancel()
        #expect(try await reader.value == nil)
        hub.publish(event(1))
        var iterator = subscription.makeAsyncIterator()
        #expect(try await iterator.next() == event(1), "an event is not lost with a reader that was cancelled")
    }

    @Test("a subscription to a closed hub ends at once, and a cancelled one after what waits")
    func closed() async throws {
        let hub = ChatEventHub()
        let cancelled = hub.subscribe(bufferingUpTo: 10)
        hub.publish(event(1))
        cancelled.cancel()
        hub.publish(event(2))
        var events: [ChatEvent] = []
        for try await event in cancelled { events.append(event) }
        #expect(events == [event(1)])
        hub.finish()
        for try await _ in hub.subscribe(bufferingUpTo: 10) { Issue.record("there is nothing to read") }
    }

    /// Who subscribed between the moments at which the hub looked up its subscriptions and at which it ended waited for ever.
    @Test("a subscription that is made while the hub ends has ended, and one that is made while it loses events gets an error or what comes later")
    func subscribedWhileEnding() async throws {
        for round in 1...100 {
            let hub = ChatEventHub(), rival = Rival(), loses = round.isMultiple(of: 2)
            let made = await withTaskGroup(of: [ChatEvents].self) { group in
                group.addTask {
                    var made: [ChatEvents] = []
                    repeat { made.append(hub.subscribe(bufferingUpTo: 1)) } while rival.goesOn(after: made.count)
                    return made
                }
                group.addTask {
                    while !rival.hasBegun { await Task.yield() }
                    if loses { hub.lose() } else { hub.finish() }
                    rival.end()
                    return []
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            hub.publish(event(1))
            for events in made {
                // One that has ended takes nothing any more.
                if !loses { events.subscription.add(event(1)) }
                events.cancel()
                var iterator = events.makeAsyncIterator()
                do throws(ChatCoreError) {
                    #expect(try await iterator.next() == (loses ? event(1) : nil))
                } catch {
                    #expect(loses && error.code == .eventsLost)
                }
            }
        }
    }

    @Test("all events are handled once the reader waits for the next or there will be none, and not when some were lost")
    func drained() async throws {
        let hub = ChatEventHub(), subscription = hub.subscribe(bufferingUpTo: 10), loser = hub.subscribe(bufferingUpTo: 10)
        #expect(!subscription.isDrained, "nobody reads")
        hub.publish(event(1))
        let reader = Task {
            var iterator = subscription.makeAsyncIterator()
            let first = try await iterator.next()
            #expect(!subscription.isDrained, "the first is being handled")
            return (first, try await iterator.next())
        }
        try await eventually("it waits") { subscription.isDrained }
        hub.publish(event(2))
        let (first, second) = try await reader.value
        #expect(first == event(1) && second == event(2))
        #expect(!subscription.isDrained, "the second is being handled")
        subscription.cancel()
        #expect(subscription.isDrained)
        var iterator = loser.makeAsyncIterator()
        for number: Int64 in 1...2 { #expect(try await iterator.next() == event(number)) }
        hub.lose()
        #expect(!loser.isDrained)
    }

    @Test("a subscription that nobody holds any more costs nothing")
    func released() async throws {
        let hub = ChatEventHub()
        for _ in 0..<100 { _ = hub.subscribe(bufferingUpTo: 1) }
        let kept = hub.subscribe(bufferingUpTo: 10)
        hub.publish(event(1))
        #expect(hub.subscriberCount == 1)
        var iterator = kept.makeAsyncIterator()
        #expect(try await iterator.next() == event(1))
    }

    @Test("two tasks that read from one subscription do not hang")
    func twoReaders() async throws {
        let hub = ChatEventHub()
        let subscription = hub.subscribe(bufferingUpTo: 10)
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    var iterator = subscription.makeAsyncIterator()
                    do {
                        return try await iterator.next() != nil
                    } catch {
                        hub.publish(.chatSuspended)
                        return false
                    }
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(outcomes.sorted { $0 && !$1 } == [true, false])
    }
}

/// A task that subscribes until another has ended the hub.
private final class Rival: Sendable {
    private let state = Mutex((hasBegun: false, isOver: false))

    var hasBegun: Bool { state.withLock(\.hasBegun) }
    func end() { state.withLock { $0.isOver = true } }

    func goesOn(after count: Int) -> Bool {
        state.withLock { state in
            state.hasBegun = true
            return !state.isOver && count < 500
        }
    }
}
