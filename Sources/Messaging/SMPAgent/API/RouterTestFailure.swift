/// Which step of testing a router failed, and how.
public struct RouterTestFailure: Error, Sendable, Equatable {
    /// The steps, in their order; the raw values are those of the chat API.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        /// A session with the router: its address, its certificate and a common version.
        case connect
        /// A new queue, which the router's password may be needed for.
        case createQueue
        case secureQueue
        case deleteQueue
    }

    /// The step that failed.
    public let step: Step
    /// The error.
    public let error: AgentError

    /// Creates the value from its parts.
    public init(step: Step, error: AgentError) {
        self.step = step
        self.error = error
    }
}
