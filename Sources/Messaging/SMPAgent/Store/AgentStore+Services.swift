import EncryptedSQLite
import FoundationEssentials
import GRDB
import SMPProtocol
import SMPTransport
import SMPWire

extension AgentStore {
    /// The service certificate of a user for a router.
    ///
    /// - Parameter make: makes it if there is none yet.
    func serviceCredential(
        user: AgentUserID, server: SMPServerAddress, make: @escaping @Sendable () throws -> ServerCredential
    ) async throws -> ServerCredential {
        try await write { database in
            let number = try serverRow(server, database)
            if let row = try database.row(
                "SELECT certificates, private_key FROM service_credentials WHERE user_id = ? AND server_id = ?", user, number)
            {
                do {
                    return try ServerCredential(certificatePEM: row.bytes("certificates"), keyPEM: row.bytes("private_key"))
                } catch {
                    throw StorageError(.corrupt, "the certificate of a service cannot be read", cause: error)
                }
            }
            let credential = try make()
            let pem = try credential.pem()
            try database.run(
                "INSERT INTO service_credentials (user_id, server_id, certificates, private_key) VALUES (?, ?, ?, ?)", user, number,
                blob(pem.certificates), blob(pem.key))
            return credential
        }
    }
}

extension StoreChange {
    func applyServiceChange(to database: Database) throws {
        guard case .setServices(let server, let queues, let service) = self else { return }
        let number = try serverRow(server, database)
        for queue in queues {
            if let service {
                try database.run(
                    "INSERT OR REPLACE INTO queue_services (server_id, recipient_id, service_id) VALUES (?, ?, ?)", number,
                    blob(queue.bytes), blob(service.bytes))
            } else {
                try database.run("DELETE FROM queue_services WHERE server_id = ? AND recipient_id = ?", number, blob(queue.bytes))
            }
        }
    }
}
