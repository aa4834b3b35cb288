internal import Foundation
internal import SMPTransport

/// The parts of an address that a request needs.
struct WebTarget: Sendable, Hashable {
    let isSecure: Bool
    /// A name, or an address without brackets.
    let host: String
    let port: Int
    /// The path and the query, percent-encoded.
    let path: String
    /// The user and the password of the address, as `Authorization` takes them.
    let credentials: String?

    /// - Throws: ``WebError`` `invalidRequest`.
    init(_ text: String) throws(WebError) {
        // Foundation escapes some of what is not allowed in an address. A space or a line break in one is a mistake.
        guard text.unicodeScalars.allSatisfy({ $0 > " " && $0 != "\u{7F}" }), let parts = URLComponents(string: text),
            let scheme = parts.scheme?.lowercased(), scheme == "https" || scheme == "http", var host = parts.host
        else { throw WebError(.invalidRequest, "the address is not one of the web: write https://HOST/PATH") }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty, host.utf8.count <= 253, host.unicodeScalars.allSatisfy({ $0 > " " && $0 != "\u{7F}" && $0 != "/" && $0 != "%" }) else {
            throw WebError(.invalidRequest, "the address has no valid host")
        }
        isSecure = scheme == "https"
        port = parts.port ?? (isSecure ? 443 : 80)
        guard (1...65_535).contains(port) else { throw WebError(.invalidRequest, "the port of the address is not from 1 to 65535") }
        self.host = host.lowercased()
        path = (parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath) + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
        if let user = parts.user {
            credentials = "Basic " + Data("\(user):\(parts.password ?? "")".utf8).base64EncodedString()
        } else {
            credentials = nil
        }
    }

    /// The value of the header field `Host`.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// The address without credentials.
    var url: String { "\(isSecure ? "https" : "http")://\(authority)\(path)" }

    /// True for the same server over the same protocol.
    func hasOrigin(of other: WebTarget) -> Bool { isSecure == other.isSecure && host == other.host && port == other.port }

    /// True if the host is written as an address of this machine or as its name.
    var isThisMachine: Bool { host == "localhost" || host.hasSuffix(".localhost") || IPAddress(parsing: host)?.isLoopback == true }

    /// The address that a redirection names.
    ///
    /// - Parameter location: An address, or a part of one relative to this one.
    /// - Throws: ``WebError`` `redirect` unless it is one of the web, and as secret as this one.
    func redirected(to location: String) throws(WebError) -> WebTarget {
        guard let base = URL(string: url), let text = URL(string: location, relativeTo: base)?.absoluteString, let target = try? WebTarget(text) else {
            throw WebError(.redirect, "\(host) redirects to something that is not an address of the web")
        }
        guard target.isSecure || !isSecure else { throw WebError(.redirect, "\(host) redirects to \(target.host) without TLS") }
        return target
    }
}
