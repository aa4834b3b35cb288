import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Parley

/// The dialogues in memory, where triggers look, beside those of the store.
@Suite(.timeLimit(.minutes(5))) struct DialogueOrderTests {
    /// An executor that begins no job once it is held.
    private final class HeldExecutor: TaskExecutor {
        private let held = Mutex<[UnownedJob]?>(nil)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let isKept = held.withLock { held in
                held?.append(job)
                return held != nil
            }
            if !isKept { run(job) }
        }

        /// Keeps the jobs that come from now on.
        func hold() { held.withLock { $0 = $0 ?? [] } }

        func release() {
            let jobs = held.withLock { held in
                defer { held = nil }
                return held ?? []
            }
            jobs.forEach(run)
        }

        private func run(_ job: UnownedJob) { DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) } }
    }

    private static func batch(_ name: String, _ executor: HeldExecutor? = nil) -> HandlerChanges.Batch {
        var batch = HandlerChanges.Batch()
        batch.dialogues["@4"] = DialogueRecord(name: name, state: Data(), expires: nil)
        // It was seen as something that the store does not have: it is changed anew, within the transaction.
        let seen = StateValue(version: 7, json: Data())
        batch.values[StateKey(scope: "", name: "value")] = HandlerChanges.PendingValue(
            seen: seen, value: seen,
            changes: [
                { stored in
                    executor?.hold()
                    return stored
                }
            ])
        return batch
    }

    /// The first task hears of its commit only after the second change is stored and shown: its change must not be shown again then.
    @Test func theChangeThatWasStoredLastIsShownWhoeverHearsOfItsCommitFirst() async throws {
        let runner = try BotSessionRunner(), executor = HeldExecutor()
        try await runner.run(Bot("Asker") {}) { profiles, _ in
            let services = try #require(profiles.first?.client.effects.services), user = try #require(profiles.first).client.bot.userID
            let first = Task(executorPreference: executor) { try await services.commit(Self.batch("first", executor), .none, of: user) }
            // It is stored, and its task is not told of it.
            while try await runner.store.dialogues(of: user).isEmpty { await Task.yield() }
            try await runner.store.flush()
            #expect(services.dialogues.record(of: "@4", at: runner.now)?.name == "first", "what is stored is shown at once")
            try await services.commit(Self.batch("second"), .none, of: user)
            executor.release()
            try await first.value
            #expect(services.dialogues.record(of: "@4", at: runner.now)?.name == "second")
            #expect(try await runner.store.dialogues(of: user).mapValues(\.name) == ["@4": "second"])
        }
    }
}
