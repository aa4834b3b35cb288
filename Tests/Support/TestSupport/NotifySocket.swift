#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where a service manager hears of its services (`sd_notify(3)`): a datagram socket of an abstract name, which leaves nothing behind.
package final class NotifySocket {
    /// What a service finds in `NOTIFY_SOCKET`.
    package let path: String
    private let descriptor: Int32

    /// - Throws: ``NotifySocketError``.
    package init() throws {
        path = "@parley-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = [0] + path.utf8.dropFirst()
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bound = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard bound == 0 else { throw NotifySocketError(number: errno) }
    }

    deinit { close(descriptor) }

    /// The next datagram; nil if there is none.
    package func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}

/// The socket cannot be had.
package struct NotifySocketError: Error {
    package let number: Int32
}
