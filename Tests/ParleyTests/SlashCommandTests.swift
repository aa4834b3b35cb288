import Parley
import Testing

@Suite struct SlashCommandTests {
    @Test func aSlashAndAWordAreACommand() {
        #expect(SlashCommand("/Start")?.name == "start")
        #expect(SlashCommand("  /weather  Berlin today \n")?.arguments == "Berlin today")
        #expect(SlashCommand("/'new ticket' urgent")?.name == "new ticket")
        #expect(SlashCommand("/'new ticket' urgent")?.arguments == "urgent")
    }

    @Test(arguments: ["", "/", "/ word", "hello", "a /b", "/''"])
    func anythingElseIsNot(_ text: String) {
        #expect(SlashCommand(text) == nil)
    }
}
