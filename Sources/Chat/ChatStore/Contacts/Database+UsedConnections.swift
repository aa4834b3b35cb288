package import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
package import GRDB
package import SMPWire
import SystemSupport

extension Database {
    /// The agent's ids of the connections that are in use, by profile.
    package func usedConnections() throws -> [UserID: [Bytes]] {
        let all = try all("SELECT user_id, agent_connection_id FROM connections WHERE status = 'ready'", []) { row in
            (UserID(row.int()), row.bytes())
        }
        return Dictionary(grouping: all, by: \.0).mapValues { $0.map(\.1) }
    }
}
