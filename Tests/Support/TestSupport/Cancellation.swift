/// Suspends until the task is cancelled: for work that does not end on its own.
///
/// - Throws: `CancellationError`.
package func suspendUntilCancelled() async throws {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    continuation.finish()
    try Task.checkCancellation()
}
