internal import NIOHTTP1

/// A request as it is sent.
struct WebRequestHead: Sendable {
    let method: HTTPMethod
    let headers: HTTPHeaders
    let body: [UInt8]?
    let target: WebTarget

    /// Header fields that the client sets by itself.
    private static let own: Set<String> = ["host", "content-length", "connection", "transfer-encoding"]

    /// - Throws: ``WebError`` `invalidRequest`.
    init(_ request: WebRequest, to target: WebTarget) throws(WebError) {
        guard !request.method.isEmpty, request.method.utf8.allSatisfy(Self.isToken) else { throw WebError(.invalidRequest, "the method is not a word") }
        var headers = HTTPHeaders([("Host", target.authority), ("Connection", "close")])
        for (name, value) in request.headers.sorted(by: { $0.key < $1.key }) where !Self.own.contains(name.lowercased()) {
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken), value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw WebError(.invalidRequest, "the header field \(name.prefix(40)) has characters that are not allowed")
            }
            headers.add(name: name, value: value)
        }
        if let credentials = target.credentials, !headers.contains(name: "Authorization") { headers.add(name: "Authorization", value: credentials) }
        if let body = request.body { headers.add(name: "Content-Length", value: "\(body.count)") }
        method = HTTPMethod(rawValue: request.method)
        self.headers = headers
        body = request.body
        self.target = target
    }

    /// The first line and the header fields.
    ///
    /// - Parameter proxy: The proxy that gets the request; nil for the server itself.
    func head(for proxy: WebProxy.Server?) -> HTTPRequestHead {
        var headers = headers
        if let authorization = proxy?.authorization { headers.add(name: "Proxy-Authorization", value: authorization) }
        return HTTPRequestHead(version: .http1_1, method: method, uri: proxy == nil ? target.path : target.url, headers: headers)
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
