import Synchronization

/// The budget of the bytes that wait in all connections of a proxy until the other routers read them.
///
/// Each connection has a guaranteed part; further bytes are taken from a part that all connections share. So any number of routers that do not
/// read cannot block the connection to a router that does.
final class RelayBudget: Sendable {
    /// Bytes that any connection may have waiting: four commands.
    static let guaranteed = 4 * 16_384
    /// Bytes that one connection may have waiting if enough of the shared part is left.
    static let perConnection = 1 << 20
    /// Bytes of the shared part.
    static let sharedLimit = 32 << 20

    private let shared = Mutex(0)

    /// Bytes taken from the shared part.
    var used: Int { shared.withLock { $0 } }

    /// Reserves room for bytes.
    ///
    /// - Parameter held: the bytes that wait in the connection.
    /// - Returns: false if there is no room.
    func reserve(_ count: Int, beside held: Int) -> Bool {
        guard held + count <= Self.perConnection else { return false }
        let more = Self.beyond(held + count) - Self.beyond(held)
        return shared.withLock { used in
            guard more == 0 || used + more <= Self.sharedLimit else { return false }
            used += more
            return true
        }
    }

    /// Releases room.
    ///
    /// - Parameter held: the bytes that waited in the connection, including those that have left.
    func release(_ count: Int, of held: Int) {
        let less = Self.beyond(held) - Self.beyond(held - count)
        shared.withLock { $0 -= less }
    }

    private static func beyond(_ held: Int) -> Int { max(0, held - guaranteed) }
}
