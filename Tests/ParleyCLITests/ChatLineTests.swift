import ChatAPI
import ChatProtocol
import Testing

@testable import ParleyCLI

@Suite struct ChatLineTests {
    @Test func whatBeginsWithAColonIsForTheProgram() throws {
        #expect(try ChatLine(":connect  https://example.org/a#x ") == .connect("https://example.org/a#x"))
        #expect(try ChatLine(":history") == .history(20))
        #expect(try ChatLine(":history 5") == .history(5))
        #expect(try ChatLine(":wait 7") == .wait(seconds: 7, text: nil))
        #expect(try ChatLine(":wait") == .wait(seconds: 30, text: nil))
        #expect(try ChatLine(":wait 7 of 9") == .wait(seconds: 7, text: "of 9"))
        #expect(try ChatLine(":wait you said") == .wait(seconds: 30, text: "you said"))
        #expect(try ChatLine(":reply yes, do") == .reply("yes, do", item: nil))
        #expect(try ChatLine(":reply #12 yes") == .reply("yes", item: 12))
        #expect(try ChatLine(":react 👍") == .react("👍", added: true, item: nil))
        #expect(try ChatLine(":unreact #3 👍") == .react("👍", added: false, item: 3))
        #expect(try ChatLine(":edit better") == .edit("better", item: nil))
        #expect(try ChatLine(":unsend") == .unsend(item: nil))
        #expect(try ChatLine(":unsend #4") == .unsend(item: 4))
        #expect(try ChatLine(":sync") == .sync(nil))
        #expect(try ChatLine(":open Ann Lee") == .open("Ann Lee"))
        #expect(try ChatLine(":quit") == .quit)
        #expect(try ChatLine(":numbers 5") == .numbers(5))
        #expect(try ChatLine(":report") == .group(.report(.other, "", item: nil)))
        #expect(try ChatLine(":report spam buy this") == .group(.report(.spam, "buy this", item: nil)))
        #expect(try ChatLine(":report #7 he is rude") == .group(.report(.other, "he is rude", item: 7)))
    }

    @Test func everythingElseIsAMessage() throws {
        #expect(try ChatLine("/help me") == .message("/help me"))
        #expect(try ChatLine("::) hello") == .message(":) hello"))
        #expect(try ChatLine("   ") == .nothing)
        #expect(try ChatLine("") == .nothing)
    }

    @Test(arguments: [":connect", ":open ", ":history many", ":history 0", ":wait 99999", ":reply", ":react #1", ":edit #x y", ":unsend now", ":nonsense", ":"])
    func aLineThatIsWrongIsAnsweredWithAReason(_ text: String) throws {
        let fault = try #require(throws: ChatLine.Fault.self) { try ChatLine(text) }
        #expect(!fault.message.isEmpty)
    }
}
