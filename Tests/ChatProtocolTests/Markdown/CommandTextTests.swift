import ChatProtocol
import Testing

/// Commands in texts, as clients with version 21 of the chat protocol show them: any text behind a slash is one.
@Suite struct CommandTextTests {
    /// The texts of commands, without the slash, and the rest of a text.
    private func commands(_ text: String) -> (commands: [String], rest: String) {
        var commands: [String] = [], rest = ""
        for piece in Markdown.parse(text) ?? [FormattedText(nil, text)] {
            if case .command(let command) = piece.format { commands.append(command) } else { rest += piece.text }
        }
        return (commands, rest)
    }

    @Test(
        arguments: [
            ("C ± % ÷", ["C", "±", "%", "÷"]), ("7 8 9 ×", ["7", "8", "9", "×"]), ("√ 0 . =", ["√", "0", ".", "="]), ("- + ?", ["-", "+", "?"]),
            ("usr/bin a,b v1.2", ["usr/bin", "a,b", "v1.2"]),
        ] as [(String, [String])]) func aTextOfKeysIsAllCommands(keys: String, expected: [String])
    {
        let text = "Keys:\n" + keys.split(separator: " ").map { "/\($0)" }.joined(separator: "   ")
        #expect(commands(text).commands == expected)
    }

    @Test func punctuationThatEndsAClauseIsNoPartOfACommand() {
        #expect(commands("send /help!") == (["help"], "send !"))
        #expect(commands("send /+.") == (["+"], "send ."))
        #expect(commands("send /'filter 1.'!") == (["filter 1."], "send !"))
    }

    @Test func aCommandBetweenSnippetsNeedsNoSpaceBeforeIt() { #expect(commands("keys: /C `--`/neg `-`").commands == ["C", "neg"]) }

    @Test(arguments: ["send / help", "send /", "send /'filter 1", "a/b", "send /#x", "send /@x"]) func thisIsNoCommand(text: String) {
        #expect(commands(text).commands.isEmpty)
    }
}
