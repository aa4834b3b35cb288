import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// TCP ports of 127.0.0.1.
public enum LoopbackPort {
    /// A port that nothing listens on.
    public static func free() throws(PeerError) -> Int {
        let port = withSocket(port: 0) { descriptor, address, length -> Int? in
            guard bind(descriptor, address, length) == 0 else { return nil }
            var bound = sockaddr_in()
            var size = length
            let result = withUnsafeMutablePointer(to: &bound) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
            }
            return result == 0 ? Int(UInt16(bigEndian: bound.sin_port)) : nil
        }
        guard let port else { throw PeerError(.launch, "no port of 127.0.0.1 is free") }
        return port
    }

    /// Whether something listens on the port.
    public static func isOpen(_ port: Int) -> Bool {
        withSocket(port: port) { connect($0, $1, $2) == 0 }
    }

    /// Returns when something listens on the port.
    ///
    /// - Throws: ``PeerError/Code/ended`` when the process ends before, ``PeerError/Code/timeout``.
    public static func waitUntilOpen(_ port: Int, by process: ChildProcess, within limit: Duration) async throws(PeerError) {
        let end = ContinuousClock.now + limit
        while !isOpen(port) {
            if !process.isRunning { throw PeerError(.ended, "\(process.name) ended at once: \(process.logTail())") }
            guard ContinuousClock.now < end else {
                throw PeerError(.timeout, "\(process.name) did not open port \(port) within \(limit): \(process.logTail())")
            }
            // Nothing announces that a port is open but trying it.
            do { try await Task.sleep(for: .milliseconds(10)) } catch { throw PeerError(.timeout, "the wait was cancelled") }
        }
    }

    private static func withSocket<Result>(port: Int, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}
