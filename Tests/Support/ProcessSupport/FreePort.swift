import Foundation

/// Ports of 127.0.0.1 that nothing listens on.
public enum FreePort {
    /// Asks the system for one. Somebody else may take it before it is used; the system hands out others first.
    public static func choose() throws -> UInt16 {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw ProcessFault("no socket: errno \(errno)") }
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else { throw ProcessFault("no free port: errno \(errno)") }
        return UInt16(bigEndian: address.sin_port)
    }
}

private let INADDR_LOOPBACK: UInt32 = 0x7f00_0001
