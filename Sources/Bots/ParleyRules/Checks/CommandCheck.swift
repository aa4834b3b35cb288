internal import Parley
internal import UnicodeText

/// The word after the slash, or several: `command: help`, `command: new ticket`.
struct CommandCheck: RuleCheck {
    static let key = "command"
    static let shape = Shape.listOrOne(.text)
    static let summary = "The word behind the slash, or several."
    static let subject = CheckSubject.text

    let names: [String]

    init?(_ reader: NodeReader, event: RuleEvent) {
        let names: [String]? = reader.listOrOne()?.compactMap { item in
            guard var word = item.nonEmptyString() else { return nil }
            if word.hasPrefix("/") { word.removeFirst() }
            let words = word.split(separator: " ", omittingEmptySubsequences: false)
            guard !words.contains(where: { $0.isEmpty || $0.contains { $0.isWhitespace || $0 == "'" } }), word.first != "/" || word == "/" else {
                item.report(.badValue, "a command is one word, or several with a space between them, with or without the slash before it")
                return nil
            }
            return (words.count > 1 ? word : SlashCommand("/\(word)")?.name ?? word).folded
        }
        guard let names else { return nil }
        self.names = names
    }

    func answer(_ facts: inout InputFacts) -> Truth { Truth(facts.commandWord.map { word in names.contains { $0.folded == word } } ?? false) }
    func reason(_ facts: inout InputFacts) -> String { facts.command.map { "the command is /\($0.name)" } ?? "the text is no command" }
}
