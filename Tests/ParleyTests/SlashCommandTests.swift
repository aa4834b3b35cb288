import Parley
import Testing

@Suite struct SlashCommandTests {
    @Test func aSlashAndAWordAreACommand() {
        #expect(SlashCommand("/Start")?.name == "start")
        #expect(SlashCommand("  /weather  Berlin today \n")?.arguments == "Berlin today")
        #expect(SlashCommand("\r\n\u{3000}/Ünïted\u{2003}Straße 👩‍👩‍👧\u{A0}\r\n") == SlashCommand("/ünïted Straße 👩‍👩‍👧"))
        #expect(SlashCommand("/Ünïted\u{2003}Straße 👩‍👩‍👧\u{A0}")?.name == "ünïted")
        #expect(SlashCommand("/'new ticket' urgent")?.name == "new ticket")
        #expect(SlashCommand("/'new ticket' urgent")?.arguments == "urgent")
    }

    @Test(arguments: [
        "\u{FF0F}echo x", "\u{200F}/echo x", "\u{200B}/echo x", "\u{FEFF}/echo x", "\u{2060} \u{200E}/echo x", "/echo: x", "/echo, x", "/echo\u{200B} x",
        "/Echo!\u{200F} x",
        "/\u{200B}echo x", "/echo\u{FF1A} x", "/echo\u{2026} x", "/echo?? x", "/‘echo’ x", "\u{AD}/echo\u{FE0F}, x",
    ]) func whatIsNotSeenAndPunctuationAfterTheWordDoNotCount(_ text: String) {
        #expect(SlashCommand(text) == SlashCommand("/echo x"), "\(text.debugDescription)")
    }

    @Test func punctuationInsideOfAWordAndWordsOfPunctuationStay() {
        #expect(SlashCommand("/c++")?.name == "c++")
        #expect(SlashCommand("/v1.2 x")?.name == "v1.2")
        #expect(SlashCommand("/?")?.name == "?")
    }

    @Test(arguments: ["+", "-", "±", "%", "÷", ".", "=", "√", "7"]) func aSignIsACommand(_ key: String) {
        #expect(SlashCommand("/\(key)")?.name == key && SlashCommand("/\(key) 2")?.arguments == "2")
        #expect(SlashCommand("/'\(key)'")?.name == key)
    }

    @Test func aTextOfSeveralWordsIsTheLongestCommandThatItBeginsWith() {
        let phrases = CommandPhrases(["new", "New Ticket", "new ticket now", "c++ help"])
        func read(_ text: String) -> [String]? { SlashCommand(text).map { phrases.reading($0) }.map { [$0.name, $0.arguments] } }
        #expect(read("/new ticket") == ["New Ticket", ""])
        #expect(read("/NEW\u{A0}Tickét") == ["new", "Tickét"])
        #expect(read("/NEW \u{A0}TICKET, urgent  one") == ["New Ticket", "urgent  one"])
        #expect(read("/new ticket now!") == ["new ticket now", ""])
        #expect(read("/new ticket nowhere") == ["New Ticket", "nowhere"])
        #expect(read("/new tickets") == ["new", "tickets"])
        #expect(read("/c++ help") == ["c++ help", ""])
        #expect(read("/old ticket") == ["old", "ticket"])
        #expect(read("/'new ticket' x") == ["new ticket", "x"])
    }

    @Test(arguments: ["", "/", "/ word", "hello", "a /b", "/''", "\u{A0}", "👩‍👩‍👧/b"])
    func anythingElseIsNot(_ text: String) {
        #expect(SlashCommand(text) == nil)
    }
}
