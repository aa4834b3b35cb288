import Foundation
import HTTPEndpoint

/// The place where the API listens: a host with a port, or a Unix socket.
package enum SocketEndpoint: Sendable, Hashable {
    /// A name or address of this machine without brackets, and a port; 0 for any that is free.
    case tcp(host: String, port: Int)
    /// The path of a Unix socket, which only its owner can use.
    case unix(path: String)

    /// The reason why a text names no place.
    package struct Fault: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// The port on 127.0.0.1.
    package static func loopback(port: Int) -> SocketEndpoint { .tcp(host: "127.0.0.1", port: port) }

    /// Reads `HOST:PORT`, `[IPv6]:PORT` or `unix:PATH`.
    package init(parsing text: String) throws(Fault) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty, !path.hasSuffix("/"), !path.utf8.contains(0) else {
                throw Fault(description: "\"\(text)\" names no socket: write unix: and the path of a file, such as unix:/run/parley/api.sock")
            }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":"), case let digits = text[text.index(after: colon)...], !digits.isEmpty,
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw Fault(description: "\"\(text)\" has no port: write HOST:PORT, such as 127.0.0.1:5225 or [::1]:5225, or unix:PATH") }
        guard let port = UInt16(digits) else { throw Fault(description: "\(digits) is not a port: it is a number up to 65535") }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard host.contains(":") else { throw Fault(description: "\"\(text)\": only an IPv6 address stands in brackets, such as [::1]:\(port)") }
        } else if host.contains(":") {
            throw Fault(description: "\"\(text)\": write an IPv6 address in brackets, such as [::1]:\(port)")
        }
        guard !host.isEmpty else {
            throw Fault(description: "\"\(text)\" has no host: write 127.0.0.1:\(port) for this machine, or 0.0.0.0:\(port) for all interfaces")
        }
        guard host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !#"/?#@\"#.utf8.contains($0) }) else {
            throw Fault(description: "\"\(text)\": \"\(host)\" is not a name or address of this machine")
        }
        self = .tcp(host: host, port: Int(port))
    }

    /// True if only programs on this machine can reach it.
    package var isLocal: Bool {
        switch self {
        case .unix: true
        case .tcp(let host, _):
            host.lowercased() == "localhost" || host == "::1"
                || host.hasPrefix("127.") && host.split(separator: ".", omittingEmptySubsequences: false).count == 4
                    && host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { UInt8($0) != nil }
        }
    }

    /// The URL for clients.
    package var url: String {
        switch self {
        case .unix(let path): "ws+unix:\(path)"
        case .tcp(let host, let port): "ws://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        }
    }

    /// The same place with the port that was chosen for port 0.
    func bound(to port: Int?) -> SocketEndpoint {
        guard case .tcp(let host, _) = self, let port else { return self }
        return .tcp(host: host, port: port)
    }
}
