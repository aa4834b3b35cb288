import SMPRatchet

/// Where the tasks of an agent run, by which clock it waits, and where the keys of its ratchets come from. A simulation has all of it in its
/// hands.
struct AgentRuntime: Sendable {
    /// nil: the system's threads.
    var executor: (any TaskExecutor)?
    var clock: any Clock<Duration> = ContinuousClock()
    /// nil: the agent's own pool.
    var ratchetKeys: (any RatchetKeySource)?

    /// Begins a task of its own. Other tasks of the agent are children of such tasks, and run where they do.
    func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: executor) { await body() }
    }
}
