import Synchronization

/// Bounds the bytes that wait in all connections of a proxy for the other routers to read them.
///
/// Each connection may always have its own few; what goes beyond is taken from a store that all share. So routers that do not read, however
/// many, do not keep a connection from working whose router does.
final class RelayBudget: Sendable {
    /// Bytes that any connection may have waiting: four commands.
    static let guaranteed = 4 * 16_384
    /// Bytes that one connection may have waiting if there is enough of the shared store.
    static let perConnection = 1 << 20
    /// Bytes of the shared store.
    static let sharedLimit = 32 << 20

    private let shared = Mutex(0)

    /// Bytes taken from the shared store.
    var used: Int { shared.withLock { $0 } }

    /// Asks for room.
    ///
    /// - Parameter held: the bytes that wait in the connection.
    func reserve(_ count: Int, beside held: Int) -> Bool {
        guard held + count <= Self.perConnection else { return false }
        let more = Self.beyond(held + count) - Self.beyond(held)
        return shared.withLock { used in
            guard more == 0 || used + more <= Self.sharedLimit else { return false }
            used += more
            return true
        }
    }

    /// Gives room back.
    ///
    /// - Parameter held: what the connection had waiting, the bytes that have left included.
    func release(_ count: Int, of held: Int) {
        let less = Self.beyond(held) - Self.beyond(held - count)
        shared.withLock { $0 -= less }
    }

    private static func beyond(_ held: Int) -> Int { max(0, held - guaranteed) }
}
