import Synchronization
import Testing

@testable import SMPAgent

@Suite final class DeliverySlotsTests: Sendable {
    private let begun = Mutex<[Int]>([])

    private func begin(_ number: Int, in slots: DeliverySlots, takes: Bool = true) {
        slots.whenFree { [self] in
            begun.withLock { $0.append(number) }
            return takes
        }
    }

    @Test func `No more begin than there are slots, and the others in their order`() {
        let slots = DeliverySlots(2)
        for number in 1...5 { begin(number, in: slots) }
        #expect(begun.withLock { $0 } == [1, 2])
        slots.release()
        #expect(begun.withLock { $0 } == [1, 2, 3])
        slots.release()
        slots.release()
        #expect(begun.withLock { $0 } == [1, 2, 3, 4, 5])
    }

    @Test func `A slot that is not taken goes on, past however many`() {
        let slots = DeliverySlots(1)
        begin(0, in: slots, takes: false)
        begin(1, in: slots)
        for number in 2...100_000 { begin(number, in: slots, takes: false) }
        begin(100_001, in: slots)
        #expect(begun.withLock { $0 } == [0, 1])
        slots.release()
        #expect(begun.withLock { $0.count } == 100_002)
        #expect(begun.withLock { $0.last } == 100_001)
        slots.release()
        begin(100_002, in: slots)
        #expect(begun.withLock { $0.last } == 100_002, "the slot is free again")
    }

    @Test func `Whoever lets others go first gets a slot after them`() async {
        let slots = DeliverySlots(1)
        await slots.acquire()
        // Nobody waits: it keeps its slot.
        await slots.yield()
        begin(1, in: slots)
        #expect(begun.withLock { $0 } == [])
        let letsGo = Task {
            await slots.yield()
            begun.withLock { $0.append(2) }
        }
        while begun.withLock({ $0.isEmpty }) { await Task.yield() }
        #expect(begun.withLock { $0 } == [1])
        slots.release()
        await letsGo.value
        begin(3, in: slots)
        #expect(begun.withLock { $0 } == [1, 2])
        slots.release()
        #expect(begun.withLock { $0 } == [1, 2, 3])
    }
}

@Suite struct ActiveConnectionCacheTests {
    private func id(_ number: Int) -> ConnectionID { ConnectionID([UInt8(number >> 8), UInt8(number & 255)]) }

    @Test func `Connections in use stay, however many, and idle ones go when others come`() {
        let cache = ActiveConnectionCache(capacity: 10)
        let used = (0..<1_000).map { cache.checkOut(id($0)) }
        #expect(cache.count == 1_000)
        #expect(cache.checkOut(id(0)) === used[0])
        cache.checkIn(used[0])
        for active in used { cache.checkIn(active) }
        for number in 1_000..<1_600 { cache.checkIn(cache.checkOut(id(number))) }
        #expect(cache.count <= 11, "\(cache.count)")
    }

    @Test func `A connection in which a message waits stays`() {
        let cache = ActiveConnectionCache(capacity: 1)
        let first = cache.checkOut(id(1))
        #expect(first.postpone(7))
        cache.checkIn(first)
        for number in 2...50 { cache.checkIn(cache.checkOut(id(number))) }
        let again = cache.checkOut(id(1))
        #expect(again === first)
        again.endPostponement(7)
        cache.checkIn(again)
        for number in 2...50 { cache.checkIn(cache.checkOut(id(number))) }
        #expect(cache.checkOut(id(1)) !== first, "evicted once nothing waited")
    }

    @Test func `A connection in use is the same for all who use it`() {
        let cache = ActiveConnectionCache(capacity: 1)
        let first = cache.checkOut(id(1))
        for number in 2...50 { cache.checkIn(cache.checkOut(id(number))) }
        #expect(cache.checkOut(id(1)) === first)
        cache.checkIn(first)
        cache.checkIn(first)
        for number in 2...50 { cache.checkIn(cache.checkOut(id(number))) }
        #expect(cache.checkOut(id(1)) !== first, "evicted once nobody used it")
    }
}
