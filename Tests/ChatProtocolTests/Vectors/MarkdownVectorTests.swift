import ChatProtocol
import Testing
import VectorSupport

@Suite struct MarkdownVectorTests {
    /// Texts in which clients of 6.5 see no command: its first word has a sign.
    private static let laterCommands: Set = ["text /a-b", "text /usr/bin", "text /a,b", "text /'a-b c'"]

    @Test(arguments: try Vectors.cases("markdown", kinds: "markdown"))
    func textsAreFormattedAsRecorded(item: VectorCase) throws {
        if Self.laterCommands.contains(try item.text("text")) {
            #expect(item["formatted"].json == .null)
            return
        }
        let pieces = Markdown.parse(try item.text("text"))
        #expect(pieces?.json ?? .null == item["formatted"].json)
        if let pieces { #expect(try [FormattedText](json: pieces.json) == pieces) }
    }

    @Test(arguments: try Vectors.cases("markdown", kinds: "sanitize-uri"))
    func trackingIsTakenOutOfAddressesAsRecorded(item: VectorCase) throws {
        let address = try #require(WebAddress(item.text("uri")))
        #expect(address.sanitized(.known)?.text == item["safe"].string)
        #expect(address.sanitized(.all)?.text == item["full"].string)
    }
}
