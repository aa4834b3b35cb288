import Synchronization
import TestSupport
import Testing

@testable import Parley

@Suite struct KeyedJobQueueTests {
    @Test func jobsOfOneLaneRunInOrder() async {
        let queue = KeyedJobQueue<Int>()
        let log = Log()
        for number in 0..<200 { queue.submit(number % 4) { log.add(number) } }
        await queue.settle()
        let numbers = log.numbers
        #expect(numbers.count == 200)
        for key in 0..<4 { #expect(numbers.filter { $0 % 4 == key } == Array(stride(from: key, to: 200, by: 4))) }
    }

    @Test func aSlowJobDelaysItsOwnLaneOnly() async {
        let queue = KeyedJobQueue<String>()
        let gate = Gate(), log = Log()
        queue.submit("slow") { await gate.wait() }
        queue.submit("slow") { log.add(1) }
        await withCheckedContinuation { continuation in
            queue.submit("quick") {
                log.add(2)
                continuation.resume()
            }
        }
        #expect(log.numbers == [2])
        gate.open()
        await queue.settle()
        #expect(log.numbers == [2, 1])
    }

    @Test func jobsThatRanBetweenTwoLooksAreCountedAndThoseThatRunHideTheCount() async {
        let queue = KeyedJobQueue<Int>(capacity: 1), gate = Gate(), begun = Gate()
        #expect(queue.countAtRest == 0)
        queue.submit(1) {
            begun.open()
            await gate.wait()
        }
        await begun.wait()
        #expect(queue.countAtRest == nil)
        // One waits, and the next is refused: it does not count.
        #expect([true, false] == (1...2).map { _ in queue.submit(1) {} })
        gate.open()
        await queue.settle()
        #expect(queue.countAtRest == 2)
    }

    @Test func noMoreJobsRunAtOnceThanTheWidth() async {
        let queue = KeyedJobQueue<Int>(width: 3)
        let running = Mutex(0), most = Mutex(0)
        for key in 0..<50 {
            queue.submit(key) {
                let now = running.withLock {
                    $0 += 1; return $0
                }
                most.withLock { $0 = max($0, now) }
                await Task.yield()
                running.withLock { $0 -= 1 }
            }
        }
        await queue.settle()
        #expect(most.withLock(\.self) <= 3)
    }

    @Test func ownersTakeTurnsHoweverManyKeysOneHas() async {
        let queue = KeyedJobQueue<Int>(width: 1, owner: { Int64($0 / 100) }), gate = Gate(), log = Log()
        queue.submit(0) { await gate.wait() }
        for key in 1...50 { queue.submit(key) { log.add(key) } }
        for key in [100, 200, 101] { queue.submit(key) { log.add(key) } }
        gate.open()
        await queue.settle()
        #expect(log.numbers.count == 53)
        #expect(Array(log.numbers.prefix(5)) == [1, 100, 200, 2, 101])
    }

    @Test func anOwnerLeavesSlotsToTheOthers() async {
        let queue = KeyedJobQueue<Int>(width: 4, ownerWidth: 3, owner: { Int64($0 / 100) }), gate = Gate(), log = Log()
        for key in 0..<10 {
            queue.submit(key) {
                log.add(key)
                await gate.wait()
            }
        }
        await withCheckedContinuation { continuation in
            queue.submit(100) { continuation.resume() }
        }
        #expect(log.numbers.count <= 3 && queue.counts().running <= 3)
        gate.open()
        await queue.settle()
        #expect(log.numbers.sorted() == Array(0..<10))
    }

    @Test func aJobThatWaitsWithoutItsSlotHoldsUpNoOther() async {
        let queue = KeyedJobQueue<Int>(width: 2), gate = Gate(), log = Log()
        for key in 0..<20 {
            queue.submit(key) {
                await JobSlot.released { await gate.wait() }
                log.add(key)
            }
        }
        await withCheckedContinuation { continuation in
            queue.submit(100) { continuation.resume() }
        }
        #expect(log.numbers.isEmpty)
        // They have not ended: closing and settling wait for them.
        #expect(queue.counts().running == 20)
        gate.open()
        await queue.settle()
        #expect(log.numbers.sorted() == Array(0..<20) && queue.counts().running == 0)
    }

    @Test func aTaskThatOutlivesItsJobGivesNoSlotAwayTwice() async {
        let queue = KeyedJobQueue<Int>(width: 1), started = Gate(), gate = Gate(), log = Log()
        let late = LateTask()
        queue.submit(1) {
            late.start(started, until: gate)
            await started.wait()
        }
        await queue.settle()
        gate.open()
        await late.end()
        // The only slot is free, and there is only one.
        for key in 2...4 { queue.submit(key) { log.add(queue.counts().running) } }
        await queue.settle()
        #expect(log.numbers == [1, 1, 1] && JobSlot.current == nil)
    }

    @Test func aFullLaneRefusesAndTellsWhenItIsEmptyAgain() async {
        let gate = Gate(), log = Log()
        let overflowed = Mutex<[Int]>([])
        let queue = KeyedJobQueue<Int>(width: 2, capacity: 2, onOverflow: { key in overflowed.withLock { $0.append(key) } })
        await withCheckedContinuation { continuation in
            queue.submit(7) {
                continuation.resume()
                await gate.wait()
            }
        }
        #expect(queue.submit(7) { log.add(1) })
        #expect(queue.submit(7) { log.add(2) })
        #expect(!queue.submit(7) { log.add(3) })
        #expect(queue.submit(8) { log.add(4) })
        gate.open()
        await queue.settle()
        #expect(Set(log.numbers) == [1, 2, 4])
        #expect(overflowed.withLock(\.self) == [7])
    }

    /// Whoever is told reads the chat again and submits what was refused: at the end nobody may.
    @Test func aFullLaneThatIsClosedAsksForNothingMore() async throws {
        let gate = Gate(), log = Log(), overflowed = Mutex(0)
        let queue = KeyedJobQueue<Int>(width: 2, capacity: 1, onOverflow: { _ in overflowed.withLock { $0 += 1 } })
        await withCheckedContinuation { continuation in
            queue.submit(7) {
                continuation.resume()
                await gate.wait()
            }
        }
        #expect(queue.submit(7) { log.add(1) } && !queue.submit(7) { log.add(2) })
        async let isClosed = queue.close(within: .seconds(60))
        try await eventually("it takes nothing any more") { !queue.submit(8) {} }
        gate.open()
        #expect(await isClosed)
        #expect(log.numbers.isEmpty && overflowed.withLock(\.self) == 0)
        #expect(!queue.submit(7) { log.add(3) } && queue.counts().running == 0)
    }

    @Test func closingWaitsForWhatRunsAndDropsTheRest() async {
        let gate = Gate(), log = Log()
        let queue = KeyedJobQueue<Int>()
        await withCheckedContinuation { continuation in
            queue.submit(1) {
                continuation.resume()
                await gate.wait()
                log.add(1)
            }
        }
        queue.submit(1) { log.add(2) }
        async let closed = queue.close(within: .seconds(60))
        gate.open()
        #expect(await closed)
        #expect(log.numbers.first == 1)
        #expect(!queue.submit(1) { log.add(3) })
    }

    @Test func aJobThatDoesNotEndInTimeIsCancelled() async {
        let queue = KeyedJobQueue<Int>(), log = Log()
        await withCheckedContinuation { continuation in
            queue.submit(1) {
                continuation.resume()
                // Nothing ever comes: only being cancelled ends it.
                for await _ in AsyncStream<Int>.makeStream().stream {}
                log.add(Task.isCancelled ? 1 : 2)
            }
        }
        #expect(await !queue.close(within: .zero, afterCancelling: .seconds(60)))
        #expect(log.numbers == [1])
    }

    @Test func aJobThatDoesNotEvenEndWhenItIsCancelledIsLeftBehind() async {
        let queue = KeyedJobQueue<Int>(), gate = Gate()
        await withCheckedContinuation { continuation in
            queue.submit(1) {
                continuation.resume()
                await gate.wait()
            }
        }
        #expect(await !queue.close(within: .zero, afterCancelling: .zero))
        gate.open()
    }
}

/// A task that is begun in a job and outlives it.
private final class LateTask: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Begins a wait without the slot of the current job.
    func start(_ started: Gate, until gate: Gate) {
        let waiting = Task {
            await JobSlot.released {
                started.open()
                await gate.wait()
            }
        }
        task.withLock { $0 = waiting }
    }

    func end() async { await task.withLock(\.self)?.value }
}

/// Numbers in the order in which they were added.
final class Log: Sendable {
    private let state = Mutex<[Int]>([])
    var numbers: [Int] { state.withLock(\.self) }
    func add(_ number: Int) { state.withLock { $0.append(number) } }
}

/// Holds whoever waits until it is opened.
final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        waiting.forEach { $0.resume() }
    }
}
