import Foundation
import Parley
import ParleyTesting
import TestSupport
import Testing

@testable import ChannelPoster
@testable import RelayBot

@Suite struct ChannelPosterTests {
    // MARK: In a channel

    @Test func eachEntryIsPostedOnceAlsoAfterARestart() async throws {
        let folder = try TemporaryFolder(), path = folder("feed.xml")
        defer { withExtendedLifetime(folder) {} }
        try Self.rss(1...3).write(toFile: path, atomically: true, encoding: .utf8)
        let poster = ChannelPoster.bot(try #require(Feed(path)), channel: "News", relays: [.bot("relay")], every: .seconds(900))
        try await withBots(RelayBot.bot(name: "Relay"), poster) { room in
            let ann = try await room.stranger("Ann")
            try await ann.subscribe(to: "feed")
            try await ann.expect("Entry 3\nhttps://example.org/3", in: "News")
            try Self.rss(1...15).write(toFile: path, atomically: true, encoding: .utf8)
            try await room.advance(by: .seconds(900))
            for number in 4...13 { try await ann.expect("Entry \(number)\nhttps://example.org/\(number)", in: "News") }
            try await ann.expectNothing(in: "News")
            try await room.restart()
            try await room.advance(by: .seconds(900))
            for number in 14...15 { try await ann.expect("Entry \(number)\nhttps://example.org/\(number)", in: "News") }
            // What was posted was not noted, as after a crash.
            try await room.bot("poster").update(SeenEntries.self) { $0.digests?.removeLast(5) }
            try await room.advance(by: .seconds(1800))
            try await ann.expectNothing(in: "News")
        }
    }

    @Test func aFeedThatCannotBeReadIsReadAtTheNextTime() async throws {
        let folder = try TemporaryFolder(), path = folder("feed.xml")
        defer { withExtendedLifetime(folder) {} }
        let poster = ChannelPoster.bot(try #require(Feed(path)), channel: "News", relays: [.bot("relay")], every: .seconds(900))
        try await withBots(RelayBot.bot(name: "Relay"), poster) { room in
            let ann = try await room.stranger("Ann")
            try await ann.subscribe(to: "feed")
            try await room.settle()
            try Self.rss(1...2).write(toFile: path, atomically: true, encoding: .utf8)
            try await room.advance(by: .seconds(900))
            try await ann.expect("Entry 2\nhttps://example.org/2", in: "News")
        }
    }

    // MARK: What was seen

    @Test func ofAFirstReadingTheNewestEntryIsPostedAndTheOthersAreRemembered() {
        var seen = SeenEntries()
        let entries = Self.entries(1...400)
        #expect(seen.new(entries).map(\.id) == ["400"])
        seen.note(entries, posted: seen.new(entries))
        #expect(seen.new(entries) == [])
    }

    @Test func oneReadingLeadsToABoundedNumberOfPosts() {
        var seen = SeenEntries()
        seen.note([], posted: [])
        let entries = Self.entries(1...25)
        var readings: [[String]] = []
        while !seen.new(entries).isEmpty {
            readings.append(seen.new(entries).map(\.id))
            seen.note(entries, posted: seen.new(entries))
        }
        #expect(readings.map(\.count) == [10, 10, 5])
        #expect(readings.flatMap(\.self) == entries.map(\.id))
    }

    @Test func anEntryThatTheFeedKeepsShowingIsNeverForgotten() {
        var seen = SeenEntries()
        let pinned = FeedEntry(id: "pinned", title: "Read me")
        seen.note([pinned], posted: [])
        // Each reading shows as many new entries as one reading may post.
        for reading in 0...SeenEntries.capacity / SeenEntries.postLimit {
            let new = (0..<SeenEntries.postLimit).map { FeedEntry(id: "\(reading).\($0)", title: "new") }
            #expect(seen.new([pinned] + new) == new)
            seen.note([pinned] + new, posted: new)
        }
        #expect(seen.digests?.count == SeenEntries.capacity)
    }

    @Test func anEntryThatAFeedListsTwiceIsPostedOnce() {
        var seen = SeenEntries()
        seen.note([], posted: [])
        #expect(seen.new([FeedEntry(id: "1", title: "a"), FeedEntry(id: "1", title: "b")]).map(\.title) == ["a"])
    }

    // MARK: Documents

    @Test func readsRSSAndAtomAndRDF() throws {
        let rss = """
            <rss xmlns:media="m" xmlns:atom="a"><channel><title>Feed</title><link>https://example.org</link>
            <item><title>Tea &amp; cake</title><media:title>no</media:title><guid>7</guid><link>https://example.org/7</link>
            <source><title>Other</title></source></item><item><title><![CDATA[ Two
            lines ]]></title><link>ftp://example.org/8</link></item><item><description>nothing to show</description></item></channel></rss>
            """
        #expect(
            try Self.read(rss) == [
                FeedEntry(id: "7", title: "Tea & cake", link: "https://example.org/7"), FeedEntry(id: "Two lines", title: "Two lines"),
            ])
        let atom = """
            <feed xmlns="http://www.w3.org/2005/Atom"><title>Feed</title><entry><id>urn:1</id><title type="xhtml"><div>A <b>bold</b> one</div></title>
            <link rel="self" href="https://example.org/self"/><link href="https://example.org/1"/><author><name>Ann</name></author></entry></feed>
            """
        #expect(try Self.read(atom) == [FeedEntry(id: "urn:1", title: "A bold one", link: "https://example.org/1")])
        let rdf = #"<rdf:RDF xmlns:rdf="r"><item><title>One</title><link>http://example.org/1</link></item></rdf:RDF>"#
        #expect(try Self.read(rdf).map(\.id) == ["http://example.org/1"])
        for document in ["", "<html><body/></html>"] { #expect(throws: FeedError.noFeed) { try Self.read(document) } }
    }

    @Test func entitiesThatADocumentDeclaresAreNotExpanded() throws {
        let folder = try TemporaryFolder(), secret = folder("secret")
        defer { withExtendedLifetime(folder) {} }
        try "secret".write(toFile: secret, atomically: true, encoding: .utf8)
        for declaration in ["<!ENTITY a \"secret\">", "<!ENTITY a SYSTEM \"file://\(secret)\">"] {
            let entries = try Self.read("<!DOCTYPE rss [\(declaration)]><rss><item><title>the &a;</title></item></rss>")
            #expect(entries.map { $0.title.contains("secret") } == [false])
        }
        let bomb = (1...9).map { "<!ENTITY a\($0) \"\(String(repeating: "&a\($0 - 1);", count: 10))\">" }.joined()
        #expect(throws: FeedError.self) { try Self.read("<!DOCTYPE rss [<!ENTITY a0 \"aaaaaaaaaa\">\(bomb)]><rss><item><title>&a9;</title></item></rss>") }
    }

    @Test(
        arguments: [
            "no feed", "<rss><channel>", "<rss><item></rss>", "<rss>&nothing;</rss>",
            "<rss>" + String(repeating: "<a>", count: 200) + String(repeating: "</a>", count: 200) + "</rss>",
        ])
    func aDocumentThatIsNotXMLIsRefused(_ document: String) {
        #expect {
            _ = try Self.read(document)
        } throws: {
            if case FeedError.notXML = $0 { true } else { false }
        }
    }

    @Test func aDocumentInAnotherEncodingIsReadIfItSaysSo() throws {
        let latin = #"<?xml version="1.0" encoding="ISO-8859-1"?><rss><item><title>caf\#u{e9}</title></item></rss>"#
        #expect(try FeedParser.entries(of: try #require(latin.data(using: .isoLatin1))).map(\.title) == ["café"])
        let wrong = try #require(latin.replacing("ISO-8859-1", with: "UTF-8").data(using: .isoLatin1))
        #expect(throws: FeedError.self) { try FeedParser.entries(of: wrong) }
    }

    @Test func ofALargeFeedABoundedPartIsKept() throws {
        #expect(try Self.read(Self.rss(1...10_000)).map(\.id) == (9_501...10_000).reversed().map { "https://example.org/\($0)" })
        let long = String(repeating: "&amp;", count: 100_000)
        let entry = try #require(try Self.read("<rss><item><title>\(long)</title></item></rss>").first)
        #expect(entry.title.utf8.count == FeedParser.textLimit && entry.text.utf8.count == FeedEntry.titleLimit + 3)
        #expect(FeedEntry(title: "a", link: "https://" + String(repeating: "a", count: 3_000)).text == "a")
    }

    // MARK: Over the network

    @Test func aFeedIsDownloaded() async throws {
        let server = try await FeedServer(answer: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\(Self.rss(1...2))")
        #expect(try await Feed(server.address)?.entries().map(\.title) == ["Entry 1", "Entry 2"])
        try await server.close()
    }

    @Test func aDownloadEndsAtTheLimit() async throws {
        let rest = String(repeating: "a", count: Feed.sizeLimit)
        for answer in ["HTTP/1.1 200 OK\r\n\r\n<rss>", "HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n<rss>"] {
            let server = try await FeedServer(answer: answer, rest: rest)
            await #expect(throws: FeedError.tooLarge(limit: Feed.sizeLimit)) { try await Feed(server.address)?.entries() }
            try await server.close()
        }
        let folder = try TemporaryFolder(), path = folder("feed.xml")
        defer { withExtendedLifetime(folder) {} }
        try Data(count: Feed.sizeLimit + 1).write(to: URL(fileURLWithPath: path))
        await #expect(throws: FeedError.tooLarge(limit: Feed.sizeLimit)) { try await Feed(path)?.entries() }
    }

    @Test(arguments: [
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", FeedError.status(404)),
        (
            "HTTP/1.1 302 Found\r\nLocation: file:///etc/hostname\r\nContent-Length: 0\r\n\r\n",
            .notReached("redirect: 127.0.0.1 redirects to something that is not an address of the web")
        ), ("HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n", .notReached("redirect: 127.0.0.1 redirects more than 5 times")),
    ])
    func anAnswerThatIsNoFeedIsAnError(_ answer: String, _ error: FeedError) async throws {
        let server = try await FeedServer(answer: answer)
        await #expect(throws: error) { try await Feed(server.address)?.entries() }
        try await server.close()
        await #expect {
            _ = try await Feed(server.address)?.entries()
        } throws: {
            if case FeedError.notReached = $0 { true } else { false }
        }
    }

    @Test func onlyFilesAndWebServersHaveFeeds() {
        #expect(Feed("") == nil && Feed("gopher://example.org/feed") == nil)
        #expect(Feed("feed.xml")?.url.isFileURL == true && Feed("HTTPS://example.org/feed") != nil)
    }

    // MARK: Parts

    private static func read(_ document: String) throws -> [FeedEntry] { try FeedParser.entries(of: Data(document.utf8)) }

    private static func entries(_ numbers: ClosedRange<Int>) -> [FeedEntry] { numbers.map { FeedEntry(id: "\($0)", title: "Entry \($0)") } }

    /// A feed of numbered entries, the newest first.
    private static func rss(_ numbers: ClosedRange<Int>) -> String {
        let items = numbers.reversed().map { "<item><title>Entry \($0)</title><link>https://example.org/\($0)</link></item>" }
        return "<rss version=\"2.0\"><channel><title>Feed</title>\(items.joined())</channel></rss>"
    }
}
