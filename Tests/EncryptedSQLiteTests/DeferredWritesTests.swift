import Dispatch
import EncryptedSQLite
import Foundation
import Synchronization
import TestSupport
import Testing

/// Writes that wait for others, or for their time to be over.
@Suite(.timeLimit(.minutes(2))) struct DeferredWritesTests {
    private static let deferral = Duration.seconds(10)
    private let clock = ManualClock()

    /// Writes, and what was submitted of them.
    private final class Box: Sendable {
        let writes: DeferredWrites<Int>
        let submitted: AsyncStream<[Int]>
        private let continuation: AsyncStream<[Int]>.Continuation

        init(most: Int = .max, _ clock: ManualClock) {
            writes = DeferredWrites(most: most, for: DeferredWritesTests.deferral, clock: clock)
            (submitted, continuation) = AsyncStream.makeStream(of: [Int].self)
        }

        func add(_ numbers: Int...) { writes.add(numbers) { [writes, continuation] in writes.submitAll { continuation.yield($0) } } }

        /// Takes what waits along.
        func take() -> [Int] {
            var taken: [Int] = []
            writes.submitAll { taken = $0 }
            return taken
        }

        func next() async -> [Int]? {
            var iterator = submitted.makeAsyncIterator()
            return await iterator.next()
        }
    }

    private func waitForTimer() async { await clock.waitForSleeper(Self.deferral...Self.deferral) }

    @Test func whatNobodyTakesIsSubmittedInItsOrderWhenItsTimeIsOver() async {
        let box = Box(clock)
        for round in 1...3 {
            box.add(round, 10 * round)
            await waitForTimer()
            box.add(100 * round)
            clock.advance(by: Self.deferral)
            #expect(await box.next() == [round, 10 * round, 100 * round])
            #expect(box.take().isEmpty)
        }
    }

    @Test func whoWritesAnythingTakesAllAlongOnce() {
        let box = Box(clock)
        box.add(1)
        box.add(2, 3)
        #expect(box.take() == [1, 2, 3])
        #expect(box.take().isEmpty)
    }

    @Test func whatCameAfterATransactionHasAWholeWaitOfItsOwn() async {
        let box = Box(clock)
        box.add(1)
        await waitForTimer()
        #expect(box.take() == [1])
        box.add(2)
        // The time of what was taken is over: what came after it is young, and waits once more.
        clock.advance(by: Self.deferral)
        await waitForTimer()
        box.add(3)
        clock.advance(by: Self.deferral)
        #expect(await box.next() == [2, 3])
    }

    @Test func aWaitOfWhichAllWasTakenEndsWithNothingAndAnotherCanBegin() async {
        let box = Box(clock)
        box.add(1)
        await waitForTimer()
        #expect(box.take() == [1])
        clock.advance(by: Self.deferral)
        #expect(await box.next() == [])
        box.add(2)
        await waitForTimer()
        clock.advance(by: Self.deferral)
        #expect(await box.next() == [2])
    }

    @Test(arguments: [1, 2, 5]) func soManyThatTheyAreWorthATransactionWaitForNothing(_ most: Int) async {
        let box = Box(most: most, clock)
        for number in 1...most { box.add(number) }
        #expect(await box.next() == Array(1...most))
        // Those that come at once count together.
        box.writes.add(Array(0...most)) { [box] in #expect(box.take().count == most + 1) }
        #expect(box.take().isEmpty)
    }

    /// What was handed over, in order, by threads that meet.
    private final class Meeting: Sendable {
        let order = Mutex<[[Int]]>([])
        let handsOver = DispatchSemaphore(value: 0), mayGoOn = DispatchSemaphore(value: 0)
        let comesBehind = Atomic(false)

        func add(_ writes: [Int]) { order.withLock { $0.append(writes) } }
    }

    /// Otherwise whoever writes at that moment would be done before what was written before it.
    @Test func whoWritesWhileOthersHandOverWhatWaitedComesBehindIt() async throws {
        let box = Box(clock), meeting = Meeting()
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        box.add(1)
        Thread.detachNewThread {
            box.writes.submitAll { writes in
                meeting.handsOver.signal()
                meeting.mayGoOn.wait()
                meeting.add(writes)
            }
            ended.yield()
        }
        Thread.detachNewThread {
            meeting.handsOver.wait()
            meeting.comesBehind.store(true, ordering: .releasing)
            box.writes.submitAll { meeting.add($0) }
            ended.yield()
        }
        try await eventually("the second comes") { meeting.comesBehind.load(ordering: .acquiring) }
        for _ in 0..<1_000 { await Task.yield() }
        meeting.mayGoOn.signal()
        var iterator = ends.makeAsyncIterator()
        for _ in 0..<2 { await iterator.next() }
        #expect(meeting.order.withLock { $0 } == [[1], []])
    }
}
