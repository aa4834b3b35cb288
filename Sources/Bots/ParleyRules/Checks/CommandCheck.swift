internal import Parley
internal import UnicodeText

/// The word after the slash: `command: help`.
struct CommandCheck: RuleCheck {
    static let key = "command"
    static let shape = Shape.listOrOne(.text)
    static let summary = "The word behind the slash."
    static let subject = CheckSubject.text

    let names: [String]

    init?(_ reader: NodeReader, event: RuleEvent) {
        let names: [String]? = reader.listOrOne()?.compactMap { item in
            guard var word = item.nonEmptyString() else { return nil }
            if word.hasPrefix("/") { word.removeFirst() }
            guard !word.isEmpty, !word.contains(where: { $0.isWhitespace || $0 == "'" || $0 == "/" }) else {
                item.report(.badValue, "a command is one word, with or without the slash before it")
                return nil
            }
            return (SlashCommand("/\(word)")?.name ?? word).folded
        }
        guard let names else { return nil }
        self.names = names
    }

    func answer(_ facts: inout InputFacts) -> Truth { Truth(facts.commandWord.map { word in names.contains { $0.folded == word } } ?? false) }
    func reason(_ facts: inout InputFacts) -> String { facts.command.map { "the command is /\($0.name)" } ?? "the text is no command" }
}
