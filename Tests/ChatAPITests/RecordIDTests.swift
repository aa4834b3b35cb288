import ChatAPI
import ChatProtocol
import Testing

@Suite struct RecordIDTests {
    @Test func anIDIsAPlainNumberInJSONInCommandsAndInText() throws {
        let id = ContactID(7)
        #expect(id.json == .int(7) && id.json.text == "7")
        #expect(try ContactID(parsing: "7") == id)
        #expect("\(id)" == "7" && ContactID("7") == id)
        #expect(ChatCommand.contacts(.info(id)).commandString == "/_info @7")
        #expect(ChatReference.direct(id).description == "@7")
    }

    @Test(arguments: ["\"7\"", "7.5", "9223372036854775808", "null", "[7]"]) func whatIsNoWholeNumberOf64BitsIsNoID(json: String) {
        #expect(throws: JSONError.self) { try ContactID(parsing: json) }
    }

    @Test(arguments: ["", " 7", "7 ", "seven", "9223372036854775808", "0x7"]) func textThatIsNoNumberIsNoID(text: String) {
        #expect(ChatItemID(text) == nil)
    }

    @Test func everyNumberComesBackFromItsText() throws {
        for number in [Int64.min, -1, 0, 1, .max] {
            let id = GroupID(number)
            #expect(GroupID("\(id)") == id)
            #expect(try GroupID(parsing: id.jsonText) == id)
        }
    }

    @Test func idsAreOrderedAsTheirNumbersAre() {
        #expect(([3, -1, 2] as [ChatItemID]).sorted() == [-1, 2, 3])
    }
}
