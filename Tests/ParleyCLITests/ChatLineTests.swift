import Testing

@testable import ParleyCLI

@Suite struct ChatLineTests {
    @Test func whatBeginsWithAColonIsForTheProgram() throws {
        #expect(try ChatLine(":connect  https://example.org/a#x ") == .connect("https://example.org/a#x"))
        #expect(try ChatLine(":history") == .history(20))
        #expect(try ChatLine(":history 5") == .history(5))
        #expect(try ChatLine(":wait 7") == .wait(seconds: 7))
        #expect(try ChatLine(":open Ann Lee") == .open("Ann Lee"))
        #expect(try ChatLine(":quit") == .quit)
    }

    @Test func everythingElseIsAMessage() throws {
        #expect(try ChatLine("/help me") == .message("/help me"))
        #expect(try ChatLine("::) hello") == .message(":) hello"))
        #expect(try ChatLine("   ") == .nothing)
        #expect(try ChatLine("") == .nothing)
    }

    @Test(arguments: [":connect", ":open ", ":history many", ":history 0", ":wait 99999", ":nonsense", ":"])
    func aLineThatIsWrongIsAnsweredWithAReason(_ text: String) throws {
        let fault = try #require(throws: ChatLine.Fault.self) { try ChatLine(text) }
        #expect(!fault.message.isEmpty)
    }
}
