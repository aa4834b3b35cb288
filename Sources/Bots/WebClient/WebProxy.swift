internal import Foundation

/// The proxies of the environment, and the hosts that are reached without one.
///
/// This machine is always reached directly.
public struct WebProxy: Sendable, Hashable {
    /// The address of a proxy.
    struct Server: Sendable, Hashable {
        /// True for SOCKS5, whose proxy looks up names; false for HTTP.
        let isSOCKS: Bool
        let host: String
        let port: Int
        let user: String?
        let password: String

        init?(_ text: String) {
            let text = text.contains("://") ? text : "http://" + text
            guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, let scheme = parts.scheme?.lowercased() else { return nil }
            switch scheme {
            case "http": isSOCKS = false
            case "socks5", "socks5h", "socks": isSOCKS = true
            default: return nil
            }
            self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
            port = parts.port ?? (isSOCKS ? 1_080 : 80)
            user = parts.user
            password = parts.password ?? ""
            guard (1...65_535).contains(port) else { return nil }
        }

        /// The value of `Proxy-Authorization`.
        var authorization: String? { user.map { "Basic " + Data("\($0):\(password)".utf8).base64EncodedString() } }
    }

    private let secure: Server?
    private let plain: Server?
    private let exceptions: [String]
    /// Variables whose value is not a proxy that this client can use. Requests that would need one fail.
    private let invalid: Set<String>

    /// Reads `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`; all but `http_proxy` also in capital letters.
    ///
    /// A value is `http://`, `socks5://` or `socks5h://` with a host, a port, and a user and password if the proxy wants them.
    public init() { self.init(environment: ProcessInfo.processInfo.environment) }

    /// Reads the proxies of another environment than that of the process.
    public init(environment: [String: String]) {
        var invalid: Set<String> = []
        func server(_ names: [String]) -> Server? {
            guard let name = names.first(where: { environment[$0]?.isEmpty == false }), let value = environment[name] else { return nil }
            let found = Server(value)
            if found == nil { invalid.insert(names[0]) }
            return found
        }
        let all = server(["all_proxy", "ALL_PROXY"])
        secure = server(["https_proxy", "HTTPS_PROXY"]) ?? all
        // Programs that are started for an HTTP request have the header field Proxy of that request in HTTP_PROXY.
        plain = server(["http_proxy"]) ?? all
        exceptions = (environment["no_proxy"] ?? environment["NO_PROXY"] ?? "").split { $0 == "," || $0 == " " }.map { $0.lowercased() }
        self.invalid = invalid
    }

    /// The proxy for a target; nil to connect to it directly.
    ///
    /// - Throws: ``WebError`` `invalidRequest` if the environment names a proxy that this client cannot use.
    func server(for target: WebTarget) throws(WebError) -> Server? {
        guard !target.isThisMachine, !exceptions.contains(where: { Self.covers($0, target.host) }) else { return nil }
        let found = target.isSecure ? secure : plain
        let names = target.isSecure ? ["https_proxy", "all_proxy"] : ["http_proxy", "all_proxy"]
        if found == nil, let name = names.first(where: invalid.contains) {
            throw WebError(.invalidRequest, "\(name) is not a proxy that can be used: write http://HOST:PORT or socks5h://HOST:PORT")
        }
        return found
    }

    /// The host and port of each proxy, without its user and password.
    package var addresses: [(host: String, port: Int)] {
        let servers = [secure, plain].compactMap { $0 }
        return servers.enumerated().filter { index, server in !servers[..<index].contains(server) }.map { ($0.element.host, $0.element.port) }
    }

    /// The variables whose value is not a proxy that this client can use.
    package var invalidVariables: [String] { invalid.sorted() }

    private static func covers(_ exception: String, _ host: String) -> Bool {
        if exception == "*" { return true }
        let domain = exception.hasPrefix(".") ? String(exception.dropFirst()) : exception
        return !domain.isEmpty && (host == domain || host.hasSuffix("." + domain))
    }
}
