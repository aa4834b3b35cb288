import Foundation
import SMPTransport

#if canImport(Glibc)
import Glibc
#endif

/// TCP ports of 127.0.0.1.
public enum LoopbackPort {
    /// A port that nothing listens on, and that is left alone while who listens on it is away for a moment: none of those that the system
    /// gives to connections.
    public static func free() throws(PeerError) -> Int {
        for _ in 0..<1_000 {
            let port = Int.random(in: ListeningPorts.lasting)
            if withSocket(port: port, { bind($0, $1, $2) == 0 }) { return port }
        }
        throw PeerError(.launch, "no port of 127.0.0.1 in \(ListeningPorts.lasting) is free")
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
            // Programs that are not ours do not say when their port is open: only trying tells.
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
