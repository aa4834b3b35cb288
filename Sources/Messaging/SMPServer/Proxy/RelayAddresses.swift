import NIOCore
import NIOPosix
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Finds out where other routers are, and to which of these addresses a proxy may connect.
///
/// A name is looked up once and the connection made to what was checked: a name server that answers differently the next time has no
/// next time.
final class RelayAddresses: Sendable {
    /// The addresses of a name; empty if it has none.
    typealias Lookup = @Sendable (String) async -> [IPAddress]

    /// Lookups at once. The system's resolver blocks a thread until name servers have answered, or have not.
    private static let threads = 16
    /// Addresses of one router that are tried.
    private static let maximumTried = 2

    /// True if routers may be on this machine, in private networks and wherever else the internet does not reach.
    let allowsPrivate: Bool
    private let lookup: Lookup?
    /// Made when the first name is looked up.
    private let pool = Mutex<NIOThreadPool?>(nil)

    /// - Parameter lookup: instead of the system's.
    init(allowsPrivate: Bool, lookup: Lookup? = nil) {
        self.allowsPrivate = allowsPrivate
        self.lookup = lookup
    }

    /// Where to connect to; empty if there is no address, or none that is allowed.
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
        return (try? await pool.runIfActive { Self.systemLookup(name) }) ?? []
    }

    /// Asks the system. Blocks.
    private static func systemLookup(_ name: String) -> [IPAddress] {
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_protocol = Int32(IPPROTO_TCP)
        var result: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &result) == 0 else { return [] }
        defer { freeaddrinfo(result) }
        var addresses: [IPAddress] = []
        var next = result
        while let info = next?.pointee {
            if let address = address(of: info), !addresses.contains(address) { addresses.append(address) }
            next = info.ai_next
        }
        return addresses
    }

    private static func address(of info: addrinfo) -> IPAddress? {
        var text = [CChar](repeating: 0, count: 64)
        guard info.ai_family == AF_INET || info.ai_family == AF_INET6,
            getnameinfo(info.ai_addr, info.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        return IPAddress(parsing: String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
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
