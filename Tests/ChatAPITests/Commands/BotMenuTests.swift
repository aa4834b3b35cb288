import ChatAPI
import ChatProtocol
import TestSupport
import Testing

/// The menu of a bot, as a person writes it in one line.
@Suite struct BotMenuTests {
    private func menu(_ text: String) throws -> [BotCommand] {
        guard case .users(.setBotCommands(let commands)) = try ChatCommand(parsing: "/set bot commands \(text)") else { return [] }
        return commands
    }

    private func text(_ commands: [BotCommand]) -> String { ChatCommand.users(.setBotCommands(commands)).commandString }

    @Test(
        arguments: [
            ("'Help':/help", [BotCommand.command(keyword: "help", label: "Help")]),
            ("Help:help", [.command(keyword: "help", label: "Help")]),
            ("'a,b:c':'/order  <id> '", [.command(keyword: "/order", label: "a,b:c", params: "<id>")]),
            ("a:/order <id>,b:c", [.command(keyword: "order", label: "a", params: "<id>"), .command(keyword: "c", label: "b")]),
            ("'Menu':{'Sub':{a:b},c:d}", [.menu(label: "Menu", commands: [.menu(label: "Sub", commands: [b]), .command(keyword: "d", label: "c")])]),
            ("Menu:{}", [.menu(label: "Menu", commands: [])]), ("it's:/it's", [.command(keyword: "it's", label: "it's")]),
        ] as [(String, [BotCommand])]) func aMenuIsReadAndWrittenAgain(line: String, commands: [BotCommand]) throws
    {
        #expect(try menu(line) == commands)
        #expect(try ChatCommand(parsing: text(commands)) == .users(.setBotCommands(commands)))
    }

    private static let b = BotCommand.command(keyword: "b", label: "a")

    @Test(arguments: [
        "Help", ":/help", "'':/help", "a:", "a:/", "a:' '", "a:b,", "a:{b}", "a:{b:c", "a:b}", "a:{b:c}}", "a:{b:c},", "'a:b", "'a'b:c", "a:'b", "a:b:c",
    ]) func whatIsNoMenuIsRefused(line: String) { expectRefused("/set bot commands \(line)") }

    @Test func noMenuIsWrittenAsItsDeletion() throws {
        #expect(text([]) == "/delete bot commands")
        #expect(try ChatCommand(parsing: text([])) == .users(.setBotCommands([])))
    }

    @Test func menusNestToALimit() throws {
        func nested(_ depth: Int) -> [BotCommand] { depth == 0 ? [Self.b] : [.menu(label: "m", commands: nested(depth - 1))] }
        #expect(try ChatCommand(parsing: text(nested(15))) == .users(.setBotCommands(nested(15))))
        expectRefused(text(nested(16)))
        expectRefused("/set bot commands " + String(repeating: "a:{", count: 100_000))
    }

    @Test func whatAMenuSaysIsWrittenSoThatItIsReadAgain() throws {
        var random = SplitMix64(seed: 11)
        // A text has either quotation marks or the signs of menus: one with both cannot be written.
        let alphabets = [["a", "é", ":", ",", "{", "}", "/", "\u{301}", "\"", "<"], ["a", "é", "'", "'\u{301}", "/", "{", "\u{301}"]]
        func word(_ number: Int? = nil) -> String {
            let alphabet = alphabets[number ?? Int.random(in: 0..<2, using: &random)]
            return "x" + (0..<Int.random(in: 0...3, using: &random)).map { _ in alphabet[Int.random(in: alphabet.indices, using: &random)] }.joined()
        }
        for _ in 0..<2_000 {
            // Keywords and parameters stand in the same quotes.
            let keyword = ["", "/", "{"][Int.random(in: 0..<3, using: &random)] + word()
            let isQuoted = !keyword.utf8.contains(UInt8(ascii: "'"))
            let parameters = Bool.random(using: &random) && isQuoted ? "<id> y:\(word(0))" : nil
            let commands = [BotCommand.command(keyword: keyword, label: word(), params: parameters), .menu(label: word(), commands: [Self.b])]
            let line = text(commands)
            if try ChatCommand(parsing: line) != .users(.setBotCommands(commands)) { Issue.record("\(commands) is written as \(line)") }
        }
    }
}
