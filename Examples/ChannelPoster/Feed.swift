import Foundation
import Parley

/// A feed in a file or on a web server.
struct Feed: Sendable {
    /// The largest size of a feed, in bytes.
    static let sizeLimit = 4 << 20

    let url: URL

    /// - Parameter text: a path, or an address that begins with `https://` or `http://`.
    init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        guard let url = text.contains("://") ? URL(string: text) : URL(fileURLWithPath: text) else { return nil }
        guard url.isFileURL || ["https", "http"].contains(url.scheme?.lowercased()) else { return nil }
        self.url = url
    }

    /// The entries, the oldest first: feeds begin with the newest.
    func entries() async throws(FeedError) -> [FeedEntry] { try FeedParser.entries(of: try await document()).reversed() }

    private func document() async throws(FeedError) -> Data {
        url.isFileURL ? try Self.file(at: url) : try await Self.download(url)
    }

    /// The client for feeds: servers move, so some redirections are followed.
    private static let client: WebClient = {
        var limits = WebClient.Limits()
        limits.patience = .seconds(30)
        limits.duration = .seconds(120)
        limits.body = sizeLimit
        limits.redirects = 5
        return WebClient(limits: limits)
    }()

    private static func download(_ url: URL) async throws(FeedError) -> Data {
        let accept = "application/rss+xml, application/atom+xml, application/xml;q=0.9"
        do {
            let (response, body) = try await client.send(WebRequest("GET", url.absoluteString, headers: ["Accept": accept]))
            guard response.status == 200 else { throw FeedError.status(response.status) }
            return Data(body)
        } catch let error as FeedError {
            throw error
        } catch let error as WebError where error.code == .tooLarge {
            throw .tooLarge(limit: sizeLimit)
        } catch {
            throw .notReached("\(error)")
        }
    }

    private static func file(at url: URL) throws(FeedError) -> Data {
        let document: Data
        do {
            let file = try FileHandle(forReadingFrom: url)
            defer { try? file.close() }
            document = try file.read(upToCount: sizeLimit + 1) ?? Data()
        } catch {
            throw .notReached(error.localizedDescription)
        }
        guard document.count <= sizeLimit else { throw .tooLarge(limit: sizeLimit) }
        return document
    }
}

/// The reason why a feed could not be read.
enum FeedError: Error, Hashable, CustomStringConvertible {
    case notReached(String)
    case status(Int)
    case tooLarge(limit: Int)
    case notXML(line: Int)
    case noFeed

    var description: String {
        switch self {
        case .notReached(let reason): "the feed cannot be reached: \(reason)"
        case .status(let code): "the server of the feed answers with status \(code)"
        case .tooLarge(let limit): "the feed has more than \(limit) bytes"
        case .notXML(let line): "the feed is not XML that can be read: see line \(line)"
        case .noFeed: "the document is neither RSS nor Atom"
        }
    }
}
