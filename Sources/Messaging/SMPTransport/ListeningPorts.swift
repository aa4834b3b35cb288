import Foundation

/// Ports for servers whose port is chosen by themselves and must be free again after a restart.
package enum ListeningPorts {
    /// None of the ports that the system gives to connections as they come: one of those may have the port of a server that is away for a
    /// moment, or even be connected to itself by who tries to reach it there.
    package static let lasting: Range<Int> = 10_000..<max(10_001, min(firstOfConnections, 65_536))

    private static var firstOfConnections: Int {
        let range = try? String(contentsOfFile: "/proc/sys/net/ipv4/ip_local_port_range", encoding: .utf8)
        // Linux begins with 32768 by default.
        return range.flatMap { $0.split(whereSeparator: \.isWhitespace).first }.flatMap { Int($0) } ?? 32_768
    }
}
