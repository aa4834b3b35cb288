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

    @Test(arguments: ["", "/", "/ word", "hello", "a /b", "/''", "\u{A0}", "👩‍👩‍👧/b"])
    func anythingElseIsNot(_ text: String) {
        #expect(SlashCommand(text) == nil)
    }
}
