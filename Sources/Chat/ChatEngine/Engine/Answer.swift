import ChatAPI
import Synchronization

/// The answer to one command, for one who may stop waiting for it.
final class Answer: Sendable {
    typealias Outcome = Result<ChatResponse, ChatCoreError>

    private enum State {
        case open
        case waiting(CheckedContinuation<Outcome, Never>)
        case given(Outcome)
    }

    private let state = Mutex(State.open)

    /// Gives the answer; only the first counts.
    func give(_ outcome: Outcome) {
        let waiter = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            switch state {
            case .open:
                state = .given(outcome)
                return nil
            case .waiting(let waiter):
                state = .given(outcome)
                return waiter
            case .given: return nil
            }
        }
        waiter?.resume(returning: outcome)
    }

    /// The answer, or that the task that waits was cancelled.
    var value: Outcome {
        get async {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let given = state.withLock { state -> Outcome? in
                        if case .given(let outcome) = state { return outcome }
                        state = .waiting(continuation)
                        return nil
                    }
                    if let given { continuation.resume(returning: given) }
                }
            } onCancel: {
                give(.failure(ChatCoreError(.cancelled, "The task that waited was cancelled.")))
            }
        }
    }
}
