package import EncryptedSQLite
import GRDB
import SMPProtocol
package import SMPWire

extension AgentStorage {
    func connectionsOutOfStep() async throws -> [ConnectionID] { [] }
}

extension AgentStore {
    /// Connections that have to agree on new keys.
    func connectionsOutOfStep() async throws -> [ConnectionID] {
        try await read(isLong: true) { database in
            try database.rows("SELECT public_id FROM connections WHERE ratchet_sync = ? AND deletion = 0", AgentRatchetSyncState.required.rawValue)
                .map { ConnectionID($0.bytes("public_id")) }
        }
    }
}

extension SMPAgent {
    /// Puts all connections of an agent's database out of step, because it is a copy that may be older than what the peers have seen: before anything is
    /// sent in one, it has to agree on new keys. To be called before the agent is started.
    ///
    /// Connections stay as they are that do not have both queues and a ratchet, or whose peers cannot agree on new keys.
    ///
    /// - Returns: the number of connections.
    package static func putAllOutOfStep(in database: DatabaseFile) async throws -> Int {
        try await database.write { database in
            try database.execute(
                sql: """
                    UPDATE connections SET ratchet_sync = ? WHERE deletion = 0 AND agent_version >= ?
                        AND EXISTS (SELECT 1 FROM ratchets AS r WHERE r.connection_id = connections.connection_id)
                        AND EXISTS (SELECT 1 FROM receive_queues AS q WHERE q.connection_id = connections.connection_id)
                        AND EXISTS (SELECT 1 FROM send_queues AS q WHERE q.connection_id = connections.connection_id)
                    """,
                arguments: [AgentRatchetSyncState.required.rawValue, Int(AgentVersion.ratchetSync)])
            return database.changesCount
        }
    }

    /// The ids of an agent's database's connections.
    package static func connections(in database: DatabaseFile) async throws -> Set<Bytes> {
        try await database.read(isLong: true) { database in
            Set(try database.rows("SELECT public_id FROM connections").map { $0.bytes("public_id") })
        }
    }
}
