import DequeModule
import SMPProtocol
import Synchronization

/// The workers that may send to one router at a time; the others wait in the order in which they came.
///
/// A worker that has not begun waits without a task: a relay gives ten thousand of them something to send at once.
final class DeliverySlots: Sendable {
    private struct State {
        var free: Int
        /// Each takes the slot, or returns false if it has no use for it.
        var waiting: Deque<@Sendable () -> Bool> = []
    }

    private let state: Mutex<State>

    /// - Parameter count: at least 1.
    init(_ count: Int) { state = Mutex(State(free: max(1, count))) }

    /// Runs `begin` with a slot: at once if one is free, or when its turn has come. ``release()`` must follow unless it returns false.
    func whenFree(_ begin: @escaping @Sendable () -> Bool) {
        let isFree = state.withLock { state in
            guard state.free > 0 else {
                state.waiting.append(begin)
                return false
            }
            state.free -= 1
            return true
        }
        if isFree, !begin() { release() }
    }

    /// Takes a slot, after waiting for one. ``release()`` must follow.
    func acquire() async {
        await withCheckedContinuation { continuation in
            whenFree {
                continuation.resume()
                return true
            }
        }
    }

    /// Releases the slot if others wait, and takes one again behind them.
    func yield() async {
        guard state.withLock({ !$0.waiting.isEmpty }) else { return }
        release()
        await acquire()
    }

    /// Returns a slot: to the oldest waiter that can use it, or to the free ones.
    func release() {
        while true {
            let next = state.withLock { state in
                let next = state.waiting.popFirst()
                if next == nil { state.free += 1 }
                return next
            }
            guard let next, !next() else { return }
        }
    }
}

/// The slots of each router. A router that does not answer holds up no other.
final class DeliverySlotsRegistry: Sendable {
    private let count: Int
    private let slots = Mutex<[SMPServerAddress: DeliverySlots]>([:])

    /// - Parameter count: slots of each router.
    init(perServer count: Int) { self.count = count }

    subscript(_ server: SMPServerAddress) -> DeliverySlots {
        slots.withLock { slots in
            if let known = slots[server] { return known }
            let made = DeliverySlots(count)
            slots[server] = made
            return made
        }
    }
}
