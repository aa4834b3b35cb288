internal import ChatAPI
internal import ChatModel

/// The capability of having effects: the commands that handlers give go through it.
protocol EffectPerformer: Sendable {
    /// Runs a command.
    ///
    /// - Parameter key: makes the command run once; nil for one that may run twice.
    func perform(_ command: ChatCommand, as user: UserID, onceAs key: String?) async throws(ChatCoreError) -> ChatResponse

    /// Connects by a link of any kind.
    func connect(by link: String, as user: UserID) async throws(ChatCoreError) -> ChatResponse
}

/// The capability to have effects.
struct RealEffects: EffectPerformer {
    let model: ChatModel
    let retry: CommandRetry

    func perform(_ command: ChatCommand, as user: UserID, onceAs key: String?) async throws(ChatCoreError) -> ChatResponse {
        try await retry.run { () throws(ChatCoreError) in
            if let key { try await model.send(command, as: user, onceAs: key) } else { try await model.send(command, as: user) }
        }
    }

    func connect(by link: String, as user: UserID) async throws(ChatCoreError) -> ChatResponse {
        try await retry.run { () throws(ChatCoreError) in try await model.connect(by: link, as: user) }
    }
}
