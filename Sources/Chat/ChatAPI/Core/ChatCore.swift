/// A chat core: something that holds profiles and their chats, takes commands and reports events.
///
/// Everything above this protocol works with any core: the native engine, the official core over its C interface or its
/// WebSocket, or a simulated one in tests. All profiles of a core are live at once; commands name the profile.
public protocol ChatCore: Sendable {
    /// Runs a command and waits for its result.
    ///
    /// Commands of one chat run in the order of the calls, each seeing the effects of those before it. What a
    /// response says has been committed to the core's store. Cancelling the task stops waiting, not the command.
    ///
    /// - Parameters:
    ///   - command: What to do.
    ///   - user: The profile that it is for: ids in the command that belong to another profile are not found. With nil the
    ///     profile that is active in the core is meant, as at the official console.
    func send(_ command: ChatCommand, as user: UserID?) async throws(ChatCoreError) -> ChatResponse

    /// Runs commands in order, each as if it had been sent alone after the previous one, and returns their results in that order.
    /// A core that waits for a disk waits for it once for those that it can write together.
    func send(_ commands: [ChatCommand], as user: UserID?) async -> [Result<ChatResponse, ChatCoreError>]

    /// A new subscription to the events of all profiles, from now on, in the order in which they were committed. Each caller
    /// gets every event.
    ///
    /// - Parameter limit: How many events may wait to be read. A subscriber that falls further behind gets an error with the
    ///   code ``ChatCoreError/Code-swift.struct/eventsLost`` and must read the state anew.
    func events(bufferingUpTo limit: Int) -> ChatEvents
}

extension ChatCore {
    /// Runs a command for the active profile.
    public func send(_ command: ChatCommand) async throws(ChatCoreError) -> ChatResponse {
        try await send(command, as: nil)
    }

    /// Sends the commands one after another.
    public func send(_ commands: [ChatCommand], as user: UserID?) async -> [Result<ChatResponse, ChatCoreError>] {
        var results: [Result<ChatResponse, ChatCoreError>] = []
        for command in commands {
            do throws(ChatCoreError) {
                results.append(.success(try await send(command, as: user)))
            } catch {
                results.append(.failure(error))
            }
        }
        return results
    }

    /// A new subscription that lets 16,384 events wait.
    public func events() -> ChatEvents { events(bufferingUpTo: 16_384) }
}
