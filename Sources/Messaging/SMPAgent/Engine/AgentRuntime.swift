/// Where the tasks of an agent run, and by which clock it waits. A simulation has both in its hands.
struct AgentRuntime: Sendable {
    /// nil: the system's threads.
    var executor: (any TaskExecutor)?
    var clock: any Clock<Duration> = ContinuousClock()

    /// Begins a task of its own. Other tasks of the agent are children of such tasks, and run where they do.
    func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: executor) { await body() }
    }
}
