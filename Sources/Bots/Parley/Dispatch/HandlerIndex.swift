internal import UnicodeText

/// Handlers of one kind of event, with the properties that are known without running their conditions.
///
/// Most handlers are about a command or a pattern. A command is looked up once, and all patterns are looked for in one pass over the text, so the time
/// for a message hardly grows with the number of handlers.
struct HandlerIndex: Sendable {
    /// The part of a handler that dispatch needs: the conditions that it shows, and its work.
    private struct Entry: Sendable {
        let kinds: ChatKinds
        /// The number of the command that the handler is about.
        let command: Int?
        /// The number of the pattern that the handler needs.
        let pattern: Int?
        let fallsThrough: Bool
        let includesBots: Bool
        let place: HandlerPlace
        let prepare: @Sendable (Incoming) -> On.Run?
    }

    private let entries: [Entry]
    private let commands: [String: Int]
    private let phrases: CommandPhrases
    /// The positions of the entries that a message with a command may be for, by the number of the command.
    private let ofCommand: [[Int]]
    /// The positions of the entries that are about no command.
    private let ofOthers: [Int]
    /// Nil if there are too few patterns for a search in common.
    private let patterns: TextPatternSet?

    /// From this many patterns on they are looked for together.
    private static let commonSearch = 4

    init(_ handlers: [On]) {
        var commands: [String: Int] = [:], sources: [String] = []
        // A pattern that does not compile is reported before the start; here it is left to its handler.
        let patterns = handlers.count { $0.pattern != nil } >= Self.commonSearch ? try? TextPatternSet(handlers.compactMap(\.pattern)) : nil
        let entries = handlers.map { handler in
            let command = handler.command.map { name in
                let word = name.folded, number = commands[word] ?? commands.count
                commands[word] = number
                return number
            }
            var pattern: Int?
            if patterns != nil, let source = handler.pattern {
                pattern = sources.count
                sources.append(source)
            }
            return Entry(
                kinds: handler.kinds, command: command, pattern: pattern, fallsThrough: handler.fallsThrough,
                includesBots: handler.includesBots, place: handler.place, prepare: handler.prepare)
        }
        phrases = CommandPhrases(handlers.compactMap(\.command))
        ofOthers = entries.indices.filter { entries[$0].command == nil }
        ofCommand = (0..<commands.count).map { number in entries.indices.filter { (entries[$0].command ?? number) == number } }
        (self.entries, self.commands, self.patterns) = (entries, commands, patterns)
    }

    /// The work of the handlers that take an event, in their order.
    func handlers(of incoming: Incoming) -> [(place: HandlerPlace, run: On.Run)] {
        let chatKind = incoming.chatKind, message = incoming.openMessage, isOfBot = incoming.isOfBotInGroup
        // Read once, for all handlers.
        let command = commands.isEmpty ? nil : message?.command.flatMap { commands[phrases.reading($0).name.folded] }
        let found = patterns.map { patterns in message.map { patterns.matches(in: $0.text) } ?? [] }
        var taking: [(place: HandlerPlace, run: On.Run)] = []
        for index in command.map({ ofCommand[$0] }) ?? ofOthers {
            // Read in place: a copy of each entry would take longer than the rest.
            if let pattern = entries[index].pattern, let found, !found.contains(pattern) { continue }
            if let chatKind, !entries[index].kinds.isSuperset(of: chatKind) { continue }
            if isOfBot, !entries[index].includesBots { continue }
            guard let run = entries[index].prepare(incoming) else { continue }
            taking.append((entries[index].place, run))
            if !entries[index].fallsThrough { break }
        }
        return taking
    }
}
