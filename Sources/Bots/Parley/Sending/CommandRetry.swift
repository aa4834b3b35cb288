internal import ChatAPI

/// Gives commands again that failed for a reason that passes: a router that did not answer in time, or a network that is not there.
struct CommandRetry: Sendable {
    /// The waits before the second and each further attempt; the last attempt's error is the caller's.
    static let waits: [Duration] = [.seconds(1), .seconds(2), .seconds(4), .seconds(8)]

    var clock: any Clock<Duration> = ContinuousClock()

    /// Runs `attempt` until it succeeds, fails permanently, or has failed once more than there are waits.
    ///
    /// - Throws: the error of the last attempt, also when the task is cancelled while it waits.
    func run<Value: Sendable>(_ attempt: () async throws(ChatCoreError) -> Value) async throws(ChatCoreError) -> Value {
        for wait in Self.waits {
            do throws(ChatCoreError) {
                return try await attempt()
            } catch {
                guard error.isTemporary else { throw error }
                do {
                    try await clock.sleep(for: wait)
                } catch is CancellationError {
                    throw error
                } catch let other {
                    throw ChatCoreError(.cancelled, "The wait before another attempt was interrupted.", cause: other)
                }
            }
        }
        return try await attempt()
    }
}
