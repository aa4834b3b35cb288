package import ChatAPI
import ChatRules
import ChatStore
package import EncryptedSQLite
import GRDB
import SMPAgent
import SMPWire
import Synchronization

extension NativeCore {
    /// The databases of the core that are open, by their names.
    package var databases: [String: DatabaseFile] {
        var databases = ["chat": engine.store.file]
        databases["agent"] = agentDatabase
        return databases
    }

    /// The key of the databases; nil for plain ones.
    package var databaseKey: DatabaseKey? { engine.storeKey.withLock(\.self) }

    /// Puts all connections out of step: see ``SMPAgent/putAllOutOfStep(in:)``. To be called before ``start()``.
    ///
    /// - Returns: the number of connections.
    package func putAllOutOfStep() async throws -> Int {
        guard let agentDatabase else { return 0 }
        return try await SMPAgent.putAllOutOfStep(in: agentDatabase)
    }

    /// The profiles that have connections, to contacts, members or an address, which the agent does not know: nothing can be sent or received in them.
    package func profilesWithoutConnections() async throws -> [(user: UserID, missing: Int, of: Int)] {
        guard let agentDatabase else { return [] }
        // The chat database first: a connection is in it last.
        let chats = try await engine.store.read(isLong: true) { try $0.connections.usedConnections() }
        let known = try await SMPAgent.connections(in: agentDatabase)
        return chats.compactMap { user, connections in
            let missing = connections.count { !known.contains($0) }
            return missing > 0 ? (user, missing, connections.count) : nil
        }.sorted { $0.user.rawValue < $1.user.rawValue }
    }
}
