/// Processes that are killed by a plan while they work.
protocol PlannedRun: Sendable {
    /// Does what the plan says, and kills.
    func perform() async throws
    /// Waits for what must be true in the end, and checks it.
    func verify() async throws
    /// Ends the processes.
    func stop() async
}

/// Runs a plan, and prints it with what `result` says and, if the run fails, with the error.
func run<Run: PlannedRun>(
    _ plan: some CustomStringConvertible, _ make: () async throws -> Run, result: (Run) async -> String = { _ in "" }
) async throws {
    print(plan)
    let started = ContinuousClock.now
    let run = try await make()
    do {
        try await run.perform()
        try await run.verify()
    } catch {
        print("\(plan): \(error)")
        await run.stop()
        throw error
    }
    print("\(plan): \(started.duration(to: .now))\(await result(run))")
    await run.stop()
}
