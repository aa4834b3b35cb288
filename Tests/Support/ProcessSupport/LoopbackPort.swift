import Foundation
import SMPTransport
import TestSupport

#if canImport(Glibc)
    import Glibc
#endif

/// A TCP port of 127.0.0.1 for a program that may be away for a moment: as long as this is held, nobody else is given it.
package final class LoopbackPort: Sendable {
    package let number: Int
    /// Bound and never listening: programs that take over a port that was in use a moment ago, as servers do, may listen there.
    private let descriptor: Int32

    /// A port that nothing listens on, and none of those that the system gives to connections.
    package static func free() throws(PeerError) -> LoopbackPort {
        for _ in 0..<1_000 {
            if let port = LoopbackPort(Int.random(in: ListeningPorts.lasting)) { return port }
        }
        throw PeerError(.launch, "no port of 127.0.0.1 in \(ListeningPorts.lasting) is free")
    }

    /// That port; nil if somebody has it.
    init?(_ number: Int) {
        self.number = number
        descriptor = Self.makeSocket()
        // Bound first and shared only then: so it is refused where anyone else has it, another of these too.
        guard Self.withAddress(of: number, { bind(descriptor, $0, $1) == 0 }), Self.share(descriptor) else { return nil }
    }

    deinit { close(descriptor) }

    /// Whether something listens on the port.
    package static func isOpen(_ port: Int) -> Bool {
        let descriptor = makeSocket()
        defer { close(descriptor) }
        return withAddress(of: port) { connect(descriptor, $0, $1) == 0 }
    }

    /// Returns when something listens on the port.
    ///
    /// - Throws: ``PeerError/Code/ended`` when the process ends before, ``PeerError/Code/timeout``.
    package static func waitUntilOpen(_ port: Int, by process: ChildProcess, within limit: Duration) async throws(PeerError) {
        do {
            // Programs that are not ours do not say when their port is open: only trying tells.
            try await eventually("port \(port) is open", within: limit, every: .milliseconds(10)) {
                if isOpen(port) { return true }
                if !process.isRunning { throw PeerError(.ended, "\(process.name) ended at once: \(process.logTail())") }
                return false
            }
        } catch let error as PeerError {
            throw error
        } catch {
            throw PeerError(.timeout, "\(process.name) did not open port \(port) within \(limit): \(process.logTail())", cause: error)
        }
    }

    private static func makeSocket() -> Int32 { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }

    private static func share(_ descriptor: Int32) -> Bool {
        var yes: Int32 = 1
        return setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    private static func withAddress<Result>(of port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}
