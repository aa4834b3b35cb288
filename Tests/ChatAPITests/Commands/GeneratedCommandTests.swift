import ChatAPI
import ChatProtocol
import TestSupport
import Testing

/// What a client hands to a core as text is what it means, whatever names and texts are in it: another process reads it.
@Suite struct GeneratedCommandTests {
    /// Pieces of texts that look like parts of commands, or need quotes.
    private static let pieces = [
        "hi", " ", "  ", "\n", "\t", "(support)", "(support: bob)", "(", ")", "(old)", "<-", "<- @ann ", "<- #team ", "<- * ", "<", "@", "@ann ", "#", "*", "/",
        "\"", "\\", "\"text\"", "{\"a\":1}", "[]", "null", "5", "-5", "on", "off", "default", "all", "text ", "json ", "key=", ",", "'", "'a b' ", "é",
        "e\u{301}",
        "\u{301}", "👍", "\u{A0}", "\u{2028}", "\0", "}", ":",
    ]
    /// What names are made of. They do not begin with a sign of commands, and have no quotation mark in them: no command can name such a chat.
    private static let nameStarts = ["a", "Ä", "9", "漢", "-", "(", "<", "/", ":", "\"", ")", "🚀", "i", "on", "support", "all"]
    private static let nameParts = ["b", " ", "  ", ",", ")", "(", "(support)", "<-", "@c", "#", "\"", "\u{301}", "\u{A0}", "é", "=", "\n", "*", "/"]

    private struct Source {
        var random: SplitMix64

        mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }
        mutating func flag() -> Bool { Bool.random(using: &random) }
        mutating func text() -> String { (0..<Int.random(in: 0...4, using: &random)).map { _ in pick(GeneratedCommandTests.pieces) }.joined() }
        mutating func name() -> String {
            pick(GeneratedCommandTests.nameStarts) + (0..<Int.random(in: 0...3, using: &random)).map { _ in pick(GeneratedCommandTests.nameParts) }.joined()
        }
        mutating func chat() -> ChatName {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: ChatName(chatType: .local, name: "")
            case 1: ChatName(chatType: .group, name: name())
            case 2: ChatName(chatType: .contactConnection, name: name())
            default: ChatName(chatType: .direct, name: name())
            }
        }
        /// A text that stands in parentheses.
        mutating func quotable() -> String { String(String.UnicodeScalarView(text().unicodeScalars.filter { $0 != ")" })) }
        /// A text that stands as it is, at the end of a command.
        mutating func plain() -> String { "x" + text() + "x" }
    }

    private static func command(_ number: Int, _ source: inout Source) -> ChatCommand {
        switch number % 20 {
        case 0: .console(.send(to: .contact(source.name()), source.text()))
        case 1: .console(.send(to: .group(source.name()), source.text()))
        case 2: .console(.send(to: .support(group: source.name(), member: source.flag() ? nil : source.name()), source.text()))
        case 3: .console(.send(to: .member(group: source.name(), member: source.name()), source.text()))
        case 4: .console(.send(to: .notes, source.text()))
        case 5: .console(.sendLive(to: source.chat(), source.text()))
        case 6: .console(.quote(contact: source.name(), source.flag() ? .sent : .received, quoted: source.quotable(), source.text()))
        case 7:
            .console(
                .quoteInGroup(group: source.name(), member: source.flag() ? source.name() : nil, quoted: source.quotable(), source.text()))
        case 8: .console(.edit(source.chat(), text: source.quotable(), source.text()))
        case 9: .console(.delete(source.chat(), text: source.plain()))
        case 10: .console(.moderate(group: source.name(), member: source.name(), text: source.plain()))
        case 11: forward(&source)
        case 12: .console(.broadcast(source.text()))
        case 13: .console(.itemInfo(source.chat(), text: source.text()))
        case 14: .console(.group(source.name(), .setWelcome(source.text())))
        case 15: .console(.group(source.name(), .report(member: source.flag() ? source.name() : nil, reason: .content, text: source.text())))
        case 16: .console(.group(source.name(), .remove([source.name(), source.name()], withMessages: source.flag())))
        case 17: .users(.setActiveNamed(source.name(), password: source.flag() ? source.text() : nil))
        case 18: .messages(.update(.direct(1), 2, UpdatedMessage(content: .text(source.text()), mentions: [source.name(): 5]), live: source.flag()))
        default: .console(.member(group: source.name(), member: source.name(), .setRole(.moderator)))
        }
    }

    private static func forward(_ source: inout Source) -> ChatCommand {
        let target = source.chat()
        switch Int.random(in: 0..<4, using: &source.random) {
        case 0: return .console(.forward(to: target, from: ChatName(chatType: .local, name: ""), text: source.text()))
        case 1: return .console(.forward(to: target, from: ChatName(chatType: .direct, name: source.name()), text: source.text()))
        case 2: return .console(.forward(to: target, from: ChatName(chatType: .group, name: source.name()), text: source.text()))
        default:
            return .console(.forward(to: target, from: ChatName(chatType: .group, name: source.name()), member: source.name(), text: source.text()))
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func aCommandIsReadAsTheOneThatWasWritten(seed: UInt64) {
        var source = Source(random: SplitMix64(seed: seed))
        for number in 0..<1_000 {
            let command = Self.command(number, &source)
            let text = command.commandString
            let read = try? ChatCommand(parsing: text)
            if read != command { Issue.record("seed \(seed): \(command) is written as \(text.debugDescription), which is read as \(String(describing: read))") }
        }
    }

    /// Each of these was another command when it was written as people type it.
    @Test(arguments: [
        (ConsoleCommand.send(to: .group("team"), "(support) hi"), #"#team "(support) hi""#),
        (.send(to: .group("team"), "  (support: bob) hi"), #"#team "  (support: bob) hi""#),
        (.send(to: .contact("bob"), "<- @ann hi"), #"@bob "<- @ann hi""#),
        (
            .forward(to: ChatName(chatType: .direct, name: "bob"), from: ChatName(chatType: .group, name: "team"), text: "@ann hi"),
            ##"@bob <- #team "@ann hi""##
        ),
        (.send(to: .contact("bob"), ""), #"@bob """#),
    ]) func aTextDoesNotBecomePartOfTheCommand(command: ConsoleCommand, text: String) throws {
        #expect(ChatCommand.console(command).commandString == text)
        #expect(try ChatCommand(parsing: text) == .console(command))
    }

    @Test func noServersOfOnesOwnAreNotAQuestionForTheServers() throws {
        for kind: ServerProtocol in [.smp, .xftp] {
            let command = ChatCommand.servers(.setProtocolServers(kind, []))
            #expect(try ChatCommand(parsing: command.commandString) == command)
        }
    }
}
