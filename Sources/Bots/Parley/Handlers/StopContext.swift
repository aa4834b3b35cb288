/// A bot that is about to stop.
public struct StopContext: Sendable {
    /// The bot, with everything that it can do.
    public let client: BotClient

    /// The bot.
    public var bot: BotIdentity { client.bot }
    /// All chats of the bot.
    public var chats: BotChats { client.chats }
}

extension Trigger where Context == StopContext {
    /// The program is stopping, and no further events are handled. The handler has until ``HostConfiguration/shutdownTimeout``, beside those that still run.
    ///
    /// It does not run when the process is killed: what must not be missed belongs into stored state.
    public static var stopping: Self { Self(.stopping, in: .all) { $0.stop } }
}
