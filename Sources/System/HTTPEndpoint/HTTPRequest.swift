import NIOCore
package import NIOHTTP1

/// A complete request.
package struct HTTPRequest: Sendable {
    package let method: HTTPMethod
    /// The path without its query, with its escapes unchanged.
    package let path: String
    /// The part of the target after the question mark; empty if there is none.
    package let query: String
    package let headers: HTTPHeaders
    /// The body, within ``HTTPServer/Limits/body``.
    package let body: [UInt8]

    package init(method: HTTPMethod, target: String, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.method = method
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        query = parts.count > 1 ? String(parts[1]) : ""
        self.headers = headers
        self.body = body
    }

    /// True if the request names this machine as local programs do: by an address, as `localhost`, by a name without a domain, or not at all.
    ///
    /// A page in a browser reaches an endpoint on the loopback interface only under a domain of its own that resolves to it (DNS rebinding).
    package var namesThisMachine: Bool {
        guard let host = headers.first(name: "host") else { return true }
        var name = host.lowercased()
        if let end = name.lastIndex(of: ":"), !name.hasSuffix("]"), name[name.index(after: end)...].allSatisfy(\.isNumber) { name = String(name[..<end]) }
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        if name.hasSuffix(".") { name.removeLast() }
        return !name.contains(".") && !name.contains(":") || name.hasSuffix(".localhost") || (try? SocketAddress(ipAddress: name, port: 0)) != nil
    }
}

/// The answer to a request.
package struct HTTPResponse: Sendable {
    /// The content of an answer.
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Chunks that are written as they arrive. An error ends the connection in the middle of the answer.
        case stream(AsyncThrowingStream<[UInt8], any Error>)
    }

    package var status: HTTPResponseStatus
    /// Header fields besides those of the body's type and length.
    package var headers: HTTPHeaders
    /// The media type of the body.
    package var contentType: String
    package var body: Body

    package init(
        _ status: HTTPResponseStatus, contentType: String = "text/plain; charset=utf-8", headers: HTTPHeaders = [:], body: Body = .bytes([])
    ) {
        self.status = status
        self.contentType = contentType
        self.headers = headers
        self.body = body
    }

    /// Creates an answer with a text.
    package static func text(_ status: HTTPResponseStatus, _ text: String, contentType: String = "text/plain; charset=utf-8") -> HTTPResponse {
        HTTPResponse(status, contentType: contentType, body: .bytes(Array(text.utf8)))
    }
}

extension HTTPResponse {
    /// The refusal of a request to an endpoint on the loopback interface that names another machine.
    package static let misdirected = HTTPResponse.text(.misdirectedRequest, "ask for 127.0.0.1 or localhost: this endpoint has no other name\n")

    /// Creates an answer with metrics in the text format of Prometheus.
    package static func metrics(_ text: String) -> HTTPResponse { .text(.ok, text, contentType: "text/plain; version=0.0.4; charset=utf-8") }
}
