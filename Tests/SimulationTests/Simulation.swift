import Synchronization
import TestSupport

/// The only thread, the only clock and the only source of chance of a simulated world.
///
/// Everything that happens is either a step of a task, taken from those that are ready by the draw of a number, or an event that was put on the
/// calendar for a time. Time passes only when no task is ready. The same seed gives the same run, whatever the machine does; `fingerprint`
/// says whether it did.
final class Simulation: TaskExecutor {
    struct Event {
        let time: Int64
        let number: UInt64
        let body: @Sendable () -> Void
    }

    private struct Inner {
        /// Nanoseconds since the simulation began.
        var time: Int64 = 0
        var number: UInt64 = 0
        var calendar: [Event] = []
        var ready: [UnownedJob] = []
        var chance: SplitMix64
        var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325
        var steps = 0
        var transmissions = 0
    }

    let seed: UInt64
    private let inner: Mutex<Inner>
    /// Every line of the trace, to find where two runs part.
    private let lines: Mutex<[String]>?

    /// - Parameter keepsTrace: for ``trace``; it slows the run down.
    init(seed: UInt64, keepsTrace: Bool = false) {
        self.seed = seed
        inner = Mutex(Inner(chance: SplitMix64(seed: seed)))
        lines = keepsTrace ? Mutex([]) : nil
    }

    // MARK: Time

    /// Nanoseconds since the simulation began.
    var time: Int64 { inner.withLock { $0.time } }

    /// Puts an event on the calendar.
    func after(_ delay: Int64, _ body: @escaping @Sendable () -> Void) {
        inner.withLock { inner in
            inner.number += 1
            Self.insert(Event(time: inner.time + max(0, delay), number: inner.number, body: body), &inner.calendar)
        }
    }

    // MARK: SplitMix64

    func draw(_ range: ClosedRange<Int>) -> Int { inner.withLock { Int.random(in: range, using: &$0.chance) } }

    /// Whether something happens that happens once in so many times.
    func once(in times: Int) -> Bool { draw(1...times) == 1 }

    /// Microseconds, in nanoseconds.
    func microseconds(_ range: ClosedRange<Int>) -> Int64 { Int64(draw(range)) * 1_000 }

    /// A number for a source of random bytes.
    func newSeed() -> UInt64 { inner.withLock { $0.chance.next() } }

    // MARK: Trace

    /// A hash of the steps that were taken, and of what was noted if the trace is kept.
    var fingerprint: UInt64 { inner.withLock { $0.fingerprint } }
    var steps: Int { inner.withLock { $0.steps } }
    /// What went between agents and routers: commands, responses and deliveries.
    var transmissions: Int { inner.withLock { $0.transmissions } }
    func countTransmission() { inner.withLock { $0.transmissions += 1 } }
    var trace: [String] { lines?.withLock { $0 } ?? [] }

    /// Says what happens, for who looks for the place where two runs part.
    func note(_ line: @autoclosure () -> String) {
        guard lines != nil else { return }
        let line = line()
        let time = inner.withLock { inner in
            for byte in line.utf8 { Self.mix(UInt64(byte), &inner.fingerprint) }
            return inner.time
        }
        lines?.withLock { $0.append("\(time / 1_000) \(line)") }
    }

    private static func mix(_ value: UInt64, _ fingerprint: inout UInt64) { fingerprint = (fingerprint ^ value) &* 0x100_0000_01B3 }

    // MARK: Tasks

    func enqueue(_ job: UnownedJob) { inner.withLock { $0.ready.append(job) } }
    func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job)) }

    @discardableResult
    func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: self) { await body() }
    }

    // MARK: Running

    private enum Step {
        case job(UnownedJob)
        case event(Event)
    }

    /// Goes on until the condition holds, which is looked at after each event.
    ///
    /// - Returns: false if nothing is left to happen, or it is later than `limit` (nanoseconds).
    func run(until limit: Int64, _ condition: () -> Bool) -> Bool {
        while true {
            let step = inner.withLock { inner -> Step? in
                inner.steps += 1
                if !inner.ready.isEmpty {
                    // Any order that keeps each task's own steps in order is one that threads could have brought about.
                    let index = inner.ready.count == 1 ? 0 : Int.random(in: 0..<inner.ready.count, using: &inner.chance)
                    Self.mix(UInt64(inner.ready.count) << 32 | UInt64(index), &inner.fingerprint)
                    return .job(inner.ready.remove(at: index))
                }
                guard let event = Self.removeFirst(&inner.calendar) else { return nil }
                inner.time = event.time
                Self.mix(UInt64(event.time), &inner.fingerprint)
                Self.mix(event.number, &inner.fingerprint)
                return .event(event)
            }
            switch step {
            case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            case .event(let event):
                event.body()
                if condition() { return true }
                if event.time > limit { return false }
            case nil: return condition()
            }
        }
    }

    // MARK: The calendar, a binary heap

    private static func isBefore(_ left: Event, _ right: Event) -> Bool { (left.time, left.number) < (right.time, right.number) }

    private static func insert(_ event: Event, _ heap: inout [Event]) {
        heap.append(event)
        var child = heap.count - 1
        while child > 0, isBefore(heap[child], heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private static func removeFirst(_ heap: inout [Event]) -> Event? {
        guard let last = heap.popLast() else { return nil }
        guard let first = heap.first else { return last }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(heap[child], heap[least]) { least = child }
            guard least != parent else { return first }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
