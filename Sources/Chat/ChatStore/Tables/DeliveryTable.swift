package import ChatAPI
package import ChatProtocol
package import ChatRules
import EncryptedSQLite
import GRDB
package import SMPWire
import SystemSupport

// Messages on their way out, and other work that the agent still has to be given. Both are written together with what they carry
// out, and stay until the agent has them: a crash between the two databases loses nothing.

/// A message body that the agent must be given.
package struct Delivery: Sendable, Hashable {
    /// The number under which the agent knows the message if it is given twice.
    package var id: Int64
    package var connectionID: ChatConnectionID
    package var agentConnectionID: Bytes
    /// The stored body, which deliveries to several connections share.
    package var bodyID: Int64
    package var body: Bytes
    /// True if the recipient's notification server should be notified.
    package var notifies: Bool
    package var pqEncryption: Bool

    package init(id: Int64, connectionID: ChatConnectionID, agentConnectionID: Bytes, bodyID: Int64, body: Bytes, notifies: Bool, pqEncryption: Bool) {
        self.id = id
        self.connectionID = connectionID
        self.agentConnectionID = agentConnectionID
        self.bodyID = bodyID
        self.body = body
        self.notifies = notifies
        self.pqEncryption = pqEncryption
    }
}

/// The connection that a delivery goes over.
package struct DeliveryTarget: Sendable {
    package var connectionID: ChatConnectionID
    package var agentConnectionID: Bytes
    package var pqEncryption: Bool

    package init(_ connection: Connection) {
        connectionID = connection.connectionID
        agentConnectionID = Base64URL.decode(connection.agentConnectionID) ?? []
        pqEncryption = connection.pqEncryption
    }
}

/// Messages that wait for the agent.
package struct DeliveryTable {
    let db: Database

    /// Stores a body for deliveries of this transaction.
    package func insertBody(_ bytes: Bytes) throws -> DeliveryBody {
        DeliveryBody(id: try db.insert("INSERT INTO delivery_bodies (body) VALUES (?)", [bytes.blob]), bytes: bytes)
    }

    package func insert(to target: DeliveryTarget, body: DeliveryBody, notifies: Bool, at time: UTCTimestamp) throws -> Delivery {
        let id = try db.insert(
            "INSERT INTO deliveries (connection_id, body_id, notify, created_at) VALUES (?, ?, ?, ?)",
            [target.connectionID, body.id, notifies, time.stored])
        return Delivery(
            id: id, connectionID: target.connectionID, agentConnectionID: target.agentConnectionID, bodyID: body.id, body: body.bytes,
            notifies: notifies, pqEncryption: target.pqEncryption)
    }

    /// Deletes those bodies that no delivery refers to any more.
    package func deleteUnusedBodies(_ ids: Set<Int64>) throws {
        for id in ids {
            try db.run(
                "DELETE FROM delivery_bodies WHERE body_id = ? AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.body_id = delivery_bodies.body_id)", [id])
        }
    }

    /// Deletes bodies of deliveries that went with their connections.
    ///
    /// - Returns: Their number, at most `limit`.
    package func deleteUnusedBodies(limit: Int) throws -> Int {
        try db.run(
            """
            DELETE FROM delivery_bodies WHERE body_id IN (
                SELECT b.body_id FROM delivery_bodies b WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.body_id = b.body_id) LIMIT ?)
            """, [limit])
        return db.changesCount
    }

    /// Says which item a delivery is about: its status follows that of the delivery.
    package func linkDelivery(_ id: Int64, item: ChatItemID) throws {
        try db.run("INSERT INTO delivery_items (delivery_id, chat_item_id) VALUES (?, ?)", [id, item])
    }

    private static let waiting = """
        SELECT d.delivery_id, d.connection_id, cn.agent_connection_id, b.body_id, b.body, d.notify, cn.pq_encryption
        FROM deliveries d JOIN connections cn ON cn.connection_id = d.connection_id JOIN delivery_bodies b ON b.body_id = d.body_id
        WHERE d.agent_msg_id IS NULL AND d.done = 0
        """

    private static func delivery(_ row: inout RowReader) -> Delivery {
        Delivery(
            id: row.int(), connectionID: row.id(), agentConnectionID: row.bytes(), bodyID: row.int(), body: row.bytes(), notifies: row.flag(),
            pqEncryption: row.flag())
    }

    /// The deliveries that the agent was not given yet, oldest first.
    package func waiting(after id: Int64, limit: Int) throws -> [Delivery] {
        try db.all(Self.waiting + " AND d.delivery_id > ? ORDER BY d.delivery_id LIMIT ?", [id, limit], Self.delivery)
    }

    /// The deliveries of one connection that the agent was not given yet, oldest first.
    package func waiting(connection id: ChatConnectionID) throws -> [Delivery] {
        try db.all(Self.waiting + " AND d.connection_id = ? ORDER BY d.delivery_id", [id], Self.delivery)
    }

    /// The deliveries of one connection that the agent was not given yet, oldest first.
    package func waiting(agentConnection id: Bytes) throws -> [Delivery] {
        try db.all(Self.waiting + " AND cn.agent_connection_id = ? ORDER BY d.delivery_id", [id.blob], Self.delivery)
    }

    /// Records that the agent has the message. Its body may be unused then: see ``deleteUnusedBodies(_:)``.
    package func mark(_ id: Int64, agentMessageID: Int64) throws {
        try db.run("UPDATE deliveries SET agent_msg_id = ?, body_id = NULL, done = 1 WHERE delivery_id = ?", [agentMessageID, id])
    }

    /// Gives up what waits for a connection.
    package func abandonAll(connection id: ChatConnectionID) throws {
        try db.run("UPDATE deliveries SET body_id = NULL, done = 1 WHERE connection_id = ? AND done = 0", [id])
    }

    /// Gives up a message that the agent will never take.
    package func abandon(_ id: Int64) throws {
        try db.run("UPDATE deliveries SET body_id = NULL, done = 1 WHERE delivery_id = ?", [id])
    }

    /// The delivery that became this message of the agent, with the items that it is about.
    package func find(connection: ChatConnectionID, agentMessageID: Int64) throws -> (id: Int64, items: [ChatItemID])? {
        let id = try db.number(
            "SELECT delivery_id FROM deliveries WHERE connection_id = ? AND agent_msg_id = ?", [connection, agentMessageID])
        guard let id else { return nil }
        return (id, try items(ofDelivery: id))
    }

    package func items(ofDelivery id: Int64) throws -> [ChatItemID] {
        try db.all("SELECT chat_item_id FROM delivery_items WHERE delivery_id = ? ORDER BY chat_item_id", [id]) { $0.id() }
    }

    /// Forgets deliveries that were handed over before a time: no receipt is expected for them any more.
    ///
    /// - Returns: how many, at most `limit`. Only the oldest are looked at.
    package func delete(before time: UTCTimestamp, limit: Int) throws -> Int {
        try db.run(
            """
            DELETE FROM deliveries WHERE delivery_id IN (
                SELECT delivery_id FROM (SELECT delivery_id, done, created_at FROM deliveries ORDER BY delivery_id LIMIT ?)
                WHERE done = 1 AND created_at < ?)
            """, [limit, time.stored])
        return db.changesCount
    }

    /// The items that a message of the agent is about; nil if no delivery has become this message.
    package func items(ofMessage message: Int64, connection: ChatConnectionID) throws -> [ChatItemID]? {
        let found = try db.all(
            """
            SELECT i.chat_item_id FROM deliveries d LEFT JOIN delivery_items i ON i.delivery_id = d.delivery_id
            WHERE d.connection_id = ? AND d.agent_msg_id = ? ORDER BY i.chat_item_id
            """, [connection, message]
        ) { $0.optionalInt().map { ChatItemID($0) } }
        return found.isEmpty ? nil : found.compactMap(\.self)
    }
}
