import Foundation
import FoundationXML

/// Reads RSS 0.9 to 2.0 and Atom 1.0.
///
/// Entities that a document declares are left out, and external ones are not loaded: they could make a small document very large, or show files of this
/// machine.
final class FeedParser: NSObject, XMLParserDelegate {
    /// The largest number of entries that are read, from the newest; further ones are left out.
    static let entryLimit = 500
    /// The largest text of an element, in bytes; what follows is left out.
    static let textLimit = 20_000
    /// The largest depth of elements.
    static let depthLimit = 100

    private var entries: [FeedEntry] = []
    private var path: [String] = []
    private var entry = FeedEntry()
    private var text = ""
    private var isFeed = false

    /// Reads a feed.
    ///
    /// - Returns: its entries in its own order.
    static func entries(of document: Data) throws(FeedError) -> [FeedEntry] {
        let parser = XMLParser(data: document), delegate = FeedParser()
        parser.delegate = delegate
        parser.shouldResolveExternalEntities = false
        // An element that is open at the end tells that the rest is missing.
        guard parser.parse(), delegate.path.isEmpty else { throw .notXML(line: parser.lineNumber) }
        guard delegate.isFeed else { throw .noFeed }
        return delegate.entries
    }

    // MARK: XMLParserDelegate

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String] = [:]
    ) {
        path.append(name)
        guard path.count <= Self.depthLimit else { return parser.abortParsing() }
        if path.count == 1 { isFeed = ["rss", "feed", "rdf:RDF"].contains(name) }
        if Self.isEntry(name) { entry = FeedEntry() }
        guard isPartOfEntry else { return }
        text = ""
        // Atom has the link in an attribute. The page of the entry is the link without a relation, or the alternate.
        if name == "link", entry.link.isEmpty, ["alternate", nil].contains(attributes["rel"]) { entry.link = attributes["href"] ?? "" }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if text.utf8.count < Self.textLimit { text += string }
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        self.parser(parser, foundCharacters: String(decoding: block, as: UTF8.self))
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        if isPartOfEntry {
            let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            switch name {
            case "title": entry.title = line
            case "link" where entry.link.isEmpty: entry.link = line
            case "guid", "id": entry.id = line
            default: break
            }
        }
        if Self.isEntry(name), let completed = entry.completed, entries.count < Self.entryLimit { entries.append(completed) }
        path.removeLast()
    }

    // MARK: Parts

    /// True in an element whose parent is an entry: deeper ones belong to media, sources and authors.
    private var isPartOfEntry: Bool { path.count >= 2 && Self.isEntry(path[path.count - 2]) }

    private static func isEntry(_ name: String) -> Bool { name == "item" || name == "entry" }
}
