package import ChatAPI
internal import ChatModel
internal import ChatProtocol
internal import Foundation

/// The handlers of a bot on messages that nobody sent, without a core behind them: for benchmarks.
package struct HandlerProbe: Sendable {
    private let dispatcher: EventDispatcher
    private let effects: Effects
    private let identity = BotIdentity(id: "probe", name: "Probe", userID: 1)

    /// - Parameter core: never asked, unless a handler does something.
    package init(_ bot: Bot, core: any ChatCore) {
        dispatcher = EventDispatcher(bot.handlers)
        effects = Effects(model: ChatModel(core: core), userID: 1, event: nil)
    }

    /// A message as the core reports it.
    package func message(_ entry: ItemInChat) -> Message? {
        let chat = BotChat(bot: identity, info: entry.chatInfo, effects: effects)
        guard let content = GroupEvents.content(of: entry, in: chat) else { return nil }
        return Message(incoming: Incoming(content: content, bot: identity, effects: effects))
    }

    /// Finds the handlers of a message and runs them.
    ///
    /// - Returns: the number of handlers that ran.
    package func handle(_ message: Message) async throws -> Int {
        let handlers = dispatcher.handlers(of: message.incoming)
        for handler in handlers { try await handler.run() }
        return handlers.count
    }

    /// The source positions of the handlers that take a message.
    package func places(of message: Message) -> [HandlerPlace] { dispatcher.handlers(of: message.incoming).map(\.place) }

    /// A message on its way to the handlers.
    package struct Message: Sendable {
        fileprivate let incoming: Incoming
    }
}
