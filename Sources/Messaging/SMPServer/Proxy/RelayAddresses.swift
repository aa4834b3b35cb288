import NIOCore
import NIOPosix
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization

/// The addresses of other routers to which a proxy may connect.
///
/// A name is looked up once, and the connection goes to the checked address: a name server gets no second query that it could answer
/// differently.
final class RelayAddresses: Sendable {
    /// A function that returns the addresses of a name; empty if it has none.
    typealias Lookup = @Sendable (String) async -> [IPAddress]

    /// Simultaneous lookups. The system's resolver blocks a thread until name servers have answered or the lookup has timed out.
    private static let threads = 16
    /// The maximum number of addresses of one router that are tried.
    private static let maximumTried = 2

    /// True if routers may be on this machine, in private networks, and at other addresses that the internet does not reach.
    let allowsPrivate: Bool
    private let lookup: Lookup?
    /// The threads of lookups, created for the first one.
    private let pool = Mutex<NIOThreadPool?>(nil)

    /// - Parameter lookup: replaces the system's resolver.
    init(allowsPrivate: Bool, lookup: Lookup? = nil) {
        self.allowsPrivate = allowsPrivate
        self.lookup = lookup
    }

    /// Returns the addresses to connect to; empty if there are none, or none is allowed.
    func addresses(of host: TransportHost) async -> [IPAddress] {
        let all: [IPAddress] =
            switch host {
            case .ipv4, .ipv6: IPAddress(parsing: host.description).map { [$0] } ?? []
            case .onion: []
            case .domain(let name): await resolve(name)
            }
        return Array((allowsPrivate ? all : all.filter(\.isPublic)).prefix(Self.maximumTried))
    }

    private func resolve(_ name: String) async -> [IPAddress] {
        guard !name.utf8.contains(0) else { return [] }
        if let lookup { return await lookup(name) }
        let pool = pool.withLock { pool in
            if let pool { return pool }
            let new = NIOThreadPool(numberOfThreads: Self.threads)
            new.start()
            pool = new
            return new
        }
        return (try? await pool.runIfActive { IPAddress.lookUp(name) }) ?? []
    }

    /// Ends the threads, if there are any.
    func close() {
        let pool = pool.withLock { pool in
            defer { pool = nil }
            return pool
        }
        pool?.shutdownGracefully { _ in }
    }
}
