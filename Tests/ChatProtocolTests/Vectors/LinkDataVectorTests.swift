import ChatProtocol
import Testing
import VectorSupport

@Suite struct LinkDataVectorTests {
    private func check<Value: JSONConvertible>(_ item: VectorCase, as type: Value.Type) throws {
        let input = try item.text("input")
        if item["parsed"] == .bool(false) {
            #expect(throws: JSONError.self) { try Value(parsing: input) }
        } else {
            #expect(try Value(parsing: input).json == item["parsed"].json)
        }
    }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "contact-link-data"))
    func contactDataReadsAndPrintsAsRecorded(item: VectorCase) throws { try check(item, as: ContactShortLinkData.self) }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "group-link-data"))
    func groupDataReadsAndPrintsAsRecorded(item: VectorCase) throws { try check(item, as: GroupShortLinkData.self) }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "relay-link-data"))
    func relayDataReadsAndPrintsAsRecorded(item: VectorCase) throws { try check(item, as: RelayAddressLinkData.self) }
}
