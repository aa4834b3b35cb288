import ChatProtocol
import Testing
import VectorSupport

@Suite struct MarkdownVectorTests {
    @Test(arguments: try Vectors.cases("markdown", kinds: "markdown"))
    func textsAreFormattedAsRecorded(item: VectorCase) throws {
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
