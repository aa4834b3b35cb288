import ChatProtocol
import HTTPEndpoint
import NIOHTTP1
import SMPWire

/// The decision about a request to the socket of the API: a WebSocket, the health check, or a refusal.
struct SocketGate: Sendable {
    /// The outcome of a request.
    enum Decision: Sendable, Equatable {
        /// A WebSocket for a version of the API; `since` is the number of the last event that the client has, nil if it does not count events.
        case upgrade(APIVersion, since: Int64?)
        /// The health check, with its details or without.
        case health(isDetailed: Bool)
        /// A refusal with its reason.
        case refusal(HTTPResponseStatus, String)
    }

    /// The version for clients that name none.
    var version: APIVersion
    /// The secret that clients present; nil if there is none.
    var token: SocketToken?
    /// True if only programs on this machine reach the socket.
    var isLocal = true

    func decision(on head: HTTPRequestHead) -> Decision {
        let query = SocketQuery(head.uri)
        // Browsers name the page that opens a connection; any page could otherwise use a core on the reader's machine.
        if head.headers.contains(name: "origin") { return .refusal(.forbidden, "pages in a browser cannot use this socket\n") }
        let presented = presentedToken(head, query)
        if let token, let presented, !token.matches(presented) { return .refusal(.unauthorized, "the token is wrong\n") }
        let isTrusted = token == nil || presented != nil
        guard head.headers[canonicalForm: "upgrade"].contains(where: { $0.lowercased() == "websocket" }) else {
            return plain(head, query, isTrusted: isTrusted)
        }
        guard isTrusted else {
            return .refusal(.unauthorized, "this socket requires a token: send it as Authorization: Bearer TOKEN, or as ?token=TOKEN in the URL\n")
        }
        var version = version
        if let name = query["api-version"] {
            // A client that names a version would misread every answer of another one.
            guard let known = APIVersion(name: String(name)) else {
                return .refusal(.badRequest, "there is no such api-version: the versions are \(APIVersion.allCases.map(\.name).joined(separator: ", "))\n")
            }
            version = known
        }
        guard let text = query["since"] else { return .upgrade(version, since: nil) }
        guard let since = Int64(text), since >= 0 else {
            return .refusal(.badRequest, "since is the seq of the last event that the client has, or 0\n")
        }
        return .upgrade(version, since: since)
    }

    /// A request that asks for no WebSocket.
    private func plain(_ head: HTTPRequestHead, _ query: SocketQuery, isTrusted: Bool) -> Decision {
        guard query.path == "/healthz" else { return .refusal(.upgradeRequired, "this is a WebSocket, and /healthz\n") }
        // A page of a domain that resolves to this machine reads what it asks for without naming itself.
        guard !isLocal || HTTPRequest(method: head.method, target: head.uri, headers: head.headers).namesThisMachine else {
            return .refusal(.misdirectedRequest, "ask for 127.0.0.1 or localhost: this endpoint has no other name\n")
        }
        guard head.method == .GET || head.method == .HEAD else { return .refusal(.methodNotAllowed, "GET and HEAD are there\n") }
        return .health(isDetailed: isTrusted)
    }

    /// The token of the header, else that of the query.
    private func presentedToken(_ head: HTTPRequestHead, _ query: SocketQuery) -> Bytes? {
        if let header = head.headers.first(name: "authorization") {
            let words = header.split(separator: " ", maxSplits: 1)
            // Another scheme presents no token of this socket, and is wrong where one is required.
            guard words.count == 2, words[0].lowercased() == "bearer" else { return [] }
            return Bytes(words[1].utf8.drop { $0 == UInt8(ascii: " ") })
        }
        return query["token"].map(SocketQuery.decoded)
    }
}
