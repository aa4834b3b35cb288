internal import AsyncPrimitives
internal import NIOCore
internal import NIOHTTP1
internal import SMPTransport
internal import Synchronization

/// A client for servers of the web: HTTP/1.1, with TLS 1.2 or later that is checked against the certificate authorities of the system.
///
/// Each request has a connection of its own. Times, sizes and redirections are bounded by ``Limits``. Cancelling the task ends the request at once.
public struct WebClient: Sendable {
    /// The bounds of a request.
    public struct Limits: Sendable, Hashable {
        /// The longest time from the beginning of a request to the end of its answer.
        public var duration: Duration = .seconds(30)
        /// The longest wait for a connection, and for the next part of an answer.
        public var patience: Duration = .seconds(15)
        /// Bytes of a body.
        public var body = 4 << 20
        /// Redirections that are followed. With 0, a redirection is an answer like any other.
        public var redirects = 0

        /// The default bounds.
        public init() {}
    }

    /// The bounds of each request.
    public var limits: Limits
    /// True if servers may be on this machine and in private networks. If it is false, the addresses of a name are checked before one of them is
    /// connected to. A proxy looks up names itself, so only addresses in numbers are checked then.
    ///
    /// In either case, a server of the internet cannot redirect to this machine or to a private network.
    public var allowsLocalAddresses: Bool
    /// The proxies to use; nil for none.
    public var proxy: WebProxy?
    private let tls: WebTLSSource

    /// - Parameter proxy: The proxies to use; nil for none.
    public init(limits: Limits = Limits(), allowsLocalAddresses: Bool = true, proxy: WebProxy? = WebProxy()) {
        self.init(limits: limits, allowsLocalAddresses: allowsLocalAddresses, proxy: proxy, tls: .shared)
    }

    init(limits: Limits, allowsLocalAddresses: Bool, proxy: WebProxy?, tls: WebTLSSource) {
        self.limits = limits
        self.allowsLocalAddresses = allowsLocalAddresses
        self.proxy = proxy
        self.tls = tls
    }

    /// Sends a request and reads the whole answer.
    ///
    /// - Returns: The answer with any status, and its body.
    /// - Throws: ``WebError``.
    public func send(_ request: WebRequest) async throws(WebError) -> (response: WebResponse, body: [UInt8]) {
        do {
            return try await withResponse(to: request) { response, body in
                var content: [UInt8] = []
                for try await part in body { content += part }
                return (response, content)
            }
        } catch {
            throw Self.webError(error)
        }
    }

    /// Sends a request, and reads the answer while it comes.
    ///
    /// - Parameter read: Gets the beginning of the answer, and its body in parts. The connection is closed when it returns, read or not.
    /// - Returns: The result of `read`.
    /// - Throws: ``WebError``, or the error of `read`.
    public func withResponse<Result: Sendable>(
        to request: WebRequest, _ read: (WebResponse, WebBody) async throws -> Result
    ) async throws -> Result {
        let deadline = NIODeadline.now() + TimeAmount(limits.duration)
        var request = request, target = try WebTarget(request.url)
        var isLocalAllowed = allowsLocalAddresses
        for count in 0... {
            let head = try WebRequestHead(request, to: target)
            let connection = try await WebConnection.open(
                to: target, proxy: try proxy?.server(for: target), allowsLocal: isLocalAllowed, tls: tls, patience: limits.patience, deadline: deadline)
            let isPublic = connection.isPublic
            let outcome = try await connection.exchange(head, limits, deadline) { response, body -> Outcome<Result> in
                let response = WebResponse(status: response.status, url: target.url, headers: response.headers)
                guard limits.redirects > 0, let location = Self.redirection(response) else { return .done(try await read(response, body)) }
                return .redirected(response.status, location)
            }
            switch outcome {
            case .done(let result): return result
            case .redirected(let status, let location):
                guard count < limits.redirects else { throw WebError(.redirect, "\(target.host) redirects more than \(limits.redirects) times") }
                if isPublic { isLocalAllowed = false }
                let next = try target.redirected(to: location)
                request = Self.redirected(request, status, sameOrigin: next.hasOrigin(of: target))
                target = next
            }
        }
        throw WebError(.redirect, "too many redirections")
    }

    private enum Outcome<Result: Sendable>: Sendable {
        case done(Result)
        case redirected(Int, String)
    }

    private static func redirection(_ response: WebResponse) -> String? {
        [301, 302, 303, 307, 308].contains(response.status) ? response["location"] : nil
    }

    /// The request for the address of a redirection. Secrets are for the server that they were given for.
    private static func redirected(_ request: WebRequest, _ status: Int, sameOrigin: Bool) -> WebRequest {
        var request = request
        if status == 303 && request.method != "HEAD" || (status == 301 || status == 302) && request.method == "POST" {
            request.method = "GET"
            request.body = nil
            request.headers = request.headers.filter { !$0.key.lowercased().hasPrefix("content-") }
        }
        if !sameOrigin {
            request.headers = request.headers.filter { !["authorization", "cookie", "proxy-authorization"].contains($0.key.lowercased()) }
        }
        return request
    }

    static func webError(_ error: any Error) -> WebError {
        switch error {
        case let error as WebError: error
        case is CancellationError: WebError(.cancelled, "the request was cancelled")
        default: WebError(.notReached, "\(error)")
        }
    }
}

/// The TLS parameters of clients. The authorities of the system are read for the first request.
final class WebTLSSource: Sendable {
    static let shared = WebTLSSource { try WebTLS() }

    private let make: @Sendable () throws -> WebTLS
    private let made = Mutex<WebTLS?>(nil)

    init(_ make: @escaping @Sendable () throws -> WebTLS) { self.make = make }

    func tls() throws -> WebTLS {
        try made.withLock { made in
            if let made { return made }
            let new = try make()
            made = new
            return new
        }
    }
}
