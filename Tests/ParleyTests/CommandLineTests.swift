import Parley
import Testing

@Suite struct CommandLineTests {
    @Test func aSlashAndAWordAreACommand() {
        #expect(CommandLine("/Start")?.name == "start")
        #expect(CommandLine("  /weather  Berlin today \n")?.arguments == "Berlin today")
        #expect(CommandLine("/'new ticket' urgent")?.name == "new ticket")
        #expect(CommandLine("/'new ticket' urgent")?.arguments == "urgent")
    }

    @Test(arguments: ["", "/", "/ word", "hello", "a /b", "/''"])
    func anythingElseIsNot(_ text: String) {
        #expect(CommandLine(text) == nil)
    }
}
