/// Does something within a limited time.
///
/// - Parameters:
///   - limit: nil for as long as it takes.
///   - body: cancelled when the time is over.
/// - Returns: nil if the time was over first, or if the task was cancelled.
package func within<Value: Sendable>(
    _ limit: Duration?, clock: any Clock<Duration> = ContinuousClock(), _ body: @escaping @Sendable () async -> Value
) async -> Value? {
    guard let limit else { return await body() }
    return await withTaskGroup(of: Value?.self) { group in
        group.addTask { await body() }
        group.addTask {
            try? await clock.sleep(for: limit)
            return nil
        }
        let first = await group.next()
        group.cancelAll()
        return first ?? nil
    }
}
