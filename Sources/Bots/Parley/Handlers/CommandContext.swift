public import ChatAPI

/// A command whose arguments have been read.
public struct CommandContext<each Value: Sendable>: ItemContext {
    /// The message.
    public let message: MessageContext
    /// The values of the arguments: one value, or a tuple of several.
    public let arguments: (repeat each Value)

    /// The chat.
    public var chat: BotChat { message.chat }
    /// The person who wrote.
    public var person: PersonID { message.person }
    /// The message as it was stored.
    public var item: ChatItem { message.item }
}

extension Trigger {
    /// A command with arguments: `.command("remind", "Reminds you", .duration("when"), .rest("what"))`.
    ///
    /// If the arguments cannot be read, the answer contains the error and the usage of the command. No other handler gets the command.
    ///
    /// - Parameters:
    ///   - word: the word behind the slash, with or without it; matched without regard to case.
    ///   - label: a description of the command. With a label, the command is in the menu that the apps show and in the help.
    public static func command<First: Sendable, each Rest: Sendable>(
        _ word: String, _ label: String?, _ first: CommandArgument<First>, _ rest: repeat CommandArgument<each Rest>, file: String = #fileID,
        line: Int = #line, column: Int = #column
    ) -> Self where Context == CommandContext<First, repeat each Rest> {
        var form = [first.form]
        for argument in repeat each rest { form.append(argument.form) }
        return reading(word, label, form, file, line, column) { message throws(CommandArgumentError) in
            try readArguments(of: message, first, repeat each rest)
        }
    }

    /// A command with arguments that is in no menu.
    public static func command<First: Sendable, each Rest: Sendable>(
        _ word: String, _ first: CommandArgument<First>, _ rest: repeat CommandArgument<each Rest>, file: String = #fileID, line: Int = #line,
        column: Int = #column
    ) -> Self where Context == CommandContext<First, repeat each Rest> {
        command(word, nil, first, repeat each rest, file: file, line: line, column: column)
    }

    // The compiler infers the tuple of a single argument from these only.

    /// A command with one argument.
    public static func command<Value: Sendable>(
        _ word: String, _ label: String?, _ argument: CommandArgument<Value>, file: String = #fileID, line: Int = #line, column: Int = #column
    ) -> Self where Context == CommandContext<Value> {
        reading(word, label, [argument.form], file, line, column) { message throws(CommandArgumentError) in try readArguments(of: message, argument) }
    }

    /// A command with one argument that is in no menu.
    public static func command<Value: Sendable>(
        _ word: String, _ argument: CommandArgument<Value>, file: String = #fileID, line: Int = #line, column: Int = #column
    ) -> Self where Context == CommandContext<Value> { command(word, nil, argument, file: file, line: line, column: column) }

    // The compiler's errors in these handlers name the mistake; with the overload for any number of arguments, they name its type.

    /// A command with two arguments.
    public static func command<First: Sendable, Second: Sendable>(
        _ word: String, _ label: String?, _ first: CommandArgument<First>, _ second: CommandArgument<Second>, file: String = #fileID, line: Int = #line,
        column: Int = #column
    ) -> Self where Context == CommandContext<First, Second> {
        reading(word, label, [first.form, second.form], file, line, column) { message throws(CommandArgumentError) in
            try readArguments(of: message, first, second)
        }
    }

    /// A command with two arguments that is in no menu.
    public static func command<First: Sendable, Second: Sendable>(
        _ word: String, _ first: CommandArgument<First>, _ second: CommandArgument<Second>, file: String = #fileID, line: Int = #line, column: Int = #column
    ) -> Self where Context == CommandContext<First, Second> { command(word, nil, first, second, file: file, line: line, column: column) }

    /// A command with three arguments.
    public static func command<First: Sendable, Second: Sendable, Third: Sendable>(
        _ word: String, _ label: String?, _ first: CommandArgument<First>, _ second: CommandArgument<Second>, _ third: CommandArgument<Third>,
        file: String = #fileID, line: Int = #line, column: Int = #column
    ) -> Self where Context == CommandContext<First, Second, Third> {
        reading(word, label, [first.form, second.form, third.form], file, line, column) { message throws(CommandArgumentError) in
            try readArguments(of: message, first, second, third)
        }
    }

    /// A command with three arguments that is in no menu.
    public static func command<First: Sendable, Second: Sendable, Third: Sendable>(
        _ word: String, _ first: CommandArgument<First>, _ second: CommandArgument<Second>, _ third: CommandArgument<Third>, file: String = #fileID,
        line: Int = #line, column: Int = #column
    ) -> Self where Context == CommandContext<First, Second, Third> { command(word, nil, first, second, third, file: file, line: line, column: column) }

    /// - Parameters:
    ///   - form: the arguments, as the usage shows them.
    ///   - read: reads the arguments of a message.
    private static func reading(
        _ word: String, _ label: String?, _ form: [CommandArgumentForm], _ file: String, _ line: Int, _ column: Int,
        _ read: @escaping @Sendable (MessageContext) throws(CommandArgumentError) -> Context
    ) -> Self {
        let parameters = form.map(\.usage).joined(separator: " ")
        let plain = Trigger<MessageContext>.command(word, label, parameters: parameters, file: file, line: line, column: column)
        let fault = plain.fault ?? form.fault.map { HandlerFault(message: $0, file: file, line: line, column: column) }
        var trigger = Self(plain.event, in: plain.kinds, menu: plain.menu, fault: fault) { incoming in
            plain.match(incoming).flatMap { try? read($0) }
        }
        trigger.command = plain.command
        trigger.possibleKinds = plain.possibleKinds
        trigger.refusal = { incoming -> On.Run? in
            guard let message = plain.match(incoming) else { return nil }
            do throws(CommandArgumentError) {
                _ = try read(message)
                return nil
            } catch {
                return {
                    let usage = "\(SlashCommand.written(plain.command ?? word)) \(parameters)", texts = message.client.texts
                    try await message.reply(error.text.text(in: texts) + "\n" + texts.filled(.usage, ["usage": usage]))
                }
            }
        }
        return trigger
    }
}

/// Reads the arguments of a command.
private func readArguments<First: Sendable, each Rest: Sendable>(
    of message: MessageContext, _ first: CommandArgument<First>, _ rest: repeat CommandArgument<each Rest>
) throws(CommandArgumentError) -> CommandContext<First, repeat each Rest> {
    var reader = CommandArgumentReader(message.arguments)
    let value = try reader.read(first)
    let values = try (repeat reader.read(each rest))
    try reader.end()
    return CommandContext(message: message, arguments: (value, repeat each values))
}

/// A command in the help of a bot.
struct CommandHelp: Sendable, Hashable {
    let keyword: String
    let label: String
    let parameters: String?
    let kinds: ChatKinds
}

extension MessageContext {
    /// The help: the commands of the bot that have a label and that can be given in this chat, one on a line.
    public var help: String {
        (chat.effects.services?.commands ?? []).filter { $0.kinds.isSuperset(of: chat.kind) }
            .map { ([SlashCommand.written($0.keyword)] + ($0.parameters.map { [$0] } ?? [])).joined(separator: " ") + " – " + $0.label }
            .joined(separator: "\n")
    }
}

extension On {
    /// A handler of `/help` and `/start` that answers with an introduction and the commands of the bot.
    ///
    /// - Parameter label: the text of the command in the menu.
    public static func help(
        _ introduction: String, label: String = "Show what I can do", in kinds: ChatKinds? = nil, file: String = #fileID, line: Int = #line
    ) -> On {
        let start = Trigger<MessageContext>.command("start")
        var either = Trigger<MessageContext>.command("help", label) || start
        either.isConditional = true
        return On(either, in: kinds, file: file, line: line) { message in
            let help = message.help
            try await message.send(help.isEmpty ? introduction : introduction + "\n\n" + help)
        }
    }
}
