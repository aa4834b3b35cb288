import AsyncPrimitives
import ChatAPI
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Timers whose handlers end while the store is read for what is due: they run once.
@Suite(.timeLimit(.minutes(5))) struct TimerDispatcherTests {
    private static let user = UserID(1)

    /// A dispatcher on a store in a file, whose reads do not see what is not committed.
    private struct Fixture {
        let folder: TemporaryFolder
        let store: BotStateStore
        let dispatcher: TimerDispatcher

        init() throws {
            folder = try TemporaryFolder()
            store = try BotStateStore(path: folder.path + "/bots.db", logger: HostSessionTests.logger)
            dispatcher = TimerDispatcher(
                store: store, time: BotTime(now: { BotSessionRunner.start }, sleep: { try await ManualClock().sleep(for: $0) }),
                logger: HostSessionTests.logger)
        }

        /// Stores timers that are due one after the other.
        func schedule(_ keys: [String]) async throws {
            let changes = keys.enumerated().map { index, key in
                let due = BotSessionRunner.start.addingTimeInterval(Double(index - keys.count))
                return TimerChange.set(TimerRecord(id: 0, userID: TimerDispatcherTests.user, kind: .once, name: "n", key: key, due: due))
            }
            try await store.apply(changes, of: TimerDispatcherTests.user)
        }

        func note(_ timer: TimerRecord) { store.note(.timer(timer.id, next: nil), of: TimerDispatcherTests.user) }

        /// Runs the dispatcher until nothing is due.
        func run(
            _ submit: @escaping @Sendable (TimerRecord, _ ended: @escaping @Sendable (Bool) -> Void) async -> Bool, until body: () async throws -> Void
        ) async throws {
            let running = Task { [dispatcher] in await dispatcher.run(for: [TimerDispatcherTests.user], submit) }
            try await body()
            await dispatcher.settle()
            running.cancel()
            await running.value
            try await store.close()
        }
    }

    /// Lets whatever can go on go on.
    private static func letOthersRun() async { for _ in 0..<1_000 { await Task.yield() } }

    @Test func aTimerThatEndsWhileAnEarlierOneIsSubmittedRunsOnce() async throws {
        let fixture = try Fixture(), log = EventLog<String>()
        try await fixture.schedule(["refused once", "other"])
        let end = Mutex<(@Sendable () -> Void)?>(nil)
        try await fixture.run { timer, ended in
            log.add(timer.key)
            let isEarlier = timer.key == "refused once"
            if isEarlier, log.all.count == 1 {
                // Its queue is full. The other one must have been taken when the store is read again.
                return false
            }
            if isEarlier {
                end.withLock(\.self)?()
                try? await fixture.store.flush()
                await Self.letOthersRun()
                fixture.note(timer)
                ended(true)
                return true
            }
            end.withLock {
                $0 = {
                    fixture.note(timer)
                    ended(true)
                }
            }
            fixture.dispatcher.wake()
            return true
        } until: {
        }
        #expect(log.all == ["refused once", "other", "refused once"])
    }

    @Test func aTimerWhoseEndIsNotOnDiskYetRunsOnce() async throws {
        let fixture = try Fixture(), log = EventLog<String>(), disk = DispatchSemaphore(value: 0), taken = Promise<Void>()
        try await fixture.schedule(["a", "b"])
        try await fixture.run { timer, ended in
            log.add(timer.key)
            if log.all == ["a"] { fixture.store.submit { _ in disk.wait() } }
            fixture.note(timer)
            ended(true)
            if timer.key == "b" { taken.resolve(()) }
            return true
        } until: {
            await taken.value()
            await Self.letOthersRun()
            disk.signal()
        }
        #expect(log.all == ["a", "b"])
    }

    /// More timers than two pages, of a chat whose queue takes a page and one that runs.
    @Test func aChatWithManyTimersHoldsUpNoOther() async throws {
        typealias Held = (timer: TimerRecord, ended: @Sendable (Bool) -> Void)
        let fixture = try Fixture(), log = EventLog<String>(), held = Mutex<(timers: [Held], room: Int)>(([], 257))
        try await fixture.schedule((1...600).map { "\($0)" } + ["other"])
        try await fixture.run { timer, ended in
            let isHeld = timer.key != "other" && held.withLock { $0.room < .max }
            guard isHeld else {
                log.add(timer.key)
                fixture.note(timer)
                ended(true)
                return true
            }
            return held.withLock { held in
                guard held.timers.count < held.room else { return false }
                held.timers.append((timer, ended))
                return true
            }
        } until: {
            try await eventually("that of the other chat runs") {
                // As each second.
                fixture.dispatcher.wake()
                return log.all == ["other"]
            }
            let first = held.withLock { held in
                held.room = .max
                return held.timers
            }
            for (timer, ended) in first {
                log.add(timer.key)
                fixture.note(timer)
                ended(true)
            }
        }
        #expect(log.all.count == 601 && Set(log.all).count == 601, "each runs once")
    }

    @Test func whoeverWaitsForTheTimersWaitsForOneThatCameAfterTheStoreWasRead() async throws {
        let fixture = try Fixture(), log = EventLog<String>(), settling = Promise<Task<Void, Never>>()
        try await fixture.schedule(["refused once"])
        try await fixture.run { timer, ended in
            guard timer.key == "refused once", settling.current == nil else {
                log.add(timer.key)
                fixture.note(timer)
                ended(true)
                return true
            }
            try? await fixture.schedule(["late"])
            settling.resolve(
                Task {
                    await fixture.dispatcher.settle()
                    log.add("settled")
                })
            await Self.letOthersRun()
            return false
        } until: {
            await settling.value().value
        }
        #expect(log.all == ["refused once", "late", "settled"])
    }

    @Test func aDispatcherThatHasEndedHoldsNobodyUp() async throws {
        let fixture = try Fixture(), taken = Promise<Void>()
        try await fixture.schedule(["never ends"])
        let running = Task {
            await fixture.dispatcher.run(for: [Self.user]) { _, _ in
                taken.resolve(())
                return true
            }
        }
        await taken.value()
        let waiting = Task { await fixture.dispatcher.settle() }
        await Self.letOthersRun()
        running.cancel()
        await running.value
        await waiting.value
        await fixture.dispatcher.settle()
        try await fixture.store.close()
    }
}
