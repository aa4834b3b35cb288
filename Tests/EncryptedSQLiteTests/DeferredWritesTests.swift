import EncryptedSQLite
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

        func add(_ numbers: Int...) { writes.add(numbers) { [writes, continuation] in continuation.yield(writes.take()) } }

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
            #expect(box.writes.take().isEmpty)
        }
    }

    @Test func whoWritesAnythingTakesAllAlongOnce() {
        let box = Box(clock)
        box.add(1)
        box.add(2, 3)
        #expect(box.writes.take() == [1, 2, 3])
        #expect(box.writes.take().isEmpty)
    }

    @Test func whatCameAfterATransactionHasAWholeWaitOfItsOwn() async {
        let box = Box(clock)
        box.add(1)
        await waitForTimer()
        #expect(box.writes.take() == [1])
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
        #expect(box.writes.take() == [1])
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
        box.writes.add(Array(0...most)) { [box] in #expect(box.writes.take().count == most + 1) }
        #expect(box.writes.take().isEmpty)
    }
}
