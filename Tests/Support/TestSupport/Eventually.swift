/// Asks again and again until something holds, where no event announces it: the one place where tests wait by looking.
///
/// - Parameters:
///   - what: what is waited for, for the failure.
///   - limit: long enough for a machine that stands still for a while: a test that passes does not come near it.
///   - interval: between two questions.
/// - Throws: ``TimeLimitError`` if it does not hold in time, or what `holds` throws.
package func eventually(
    _ what: String, within limit: Duration = .seconds(120), every interval: Duration = .milliseconds(5),
    isolation: isolated (any Actor)? = #isolation, file: String = #fileID, line: Int = #line, _ holds: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !holds() {
        guard ContinuousClock.now < end else { throw TimeLimitError(description: "\(file):\(line): in vain for \(limit): \(what)") }
        try await Task.sleep(for: interval)
    }
}
