import ChatAPI
import ChatProtocol
import EncryptedSQLite
import GRDB
import SMPAgent
import SMPCrypto
import SMPWire

@testable import ChatEngine
@testable import ChatStore

/// A chat store in memory with one profile, without an agent: for rules that need only transactions.
final class MemoryStore: Sendable {
    static let now = UTCTimestamp(seconds: 1_790_000_000)
    static let user: UserID = 1

    let store: ChatStore

    init() async throws {
        store = try ChatStore(prefix: nil)
        try await store.write { db in
            _ = try db.users.insert(
                NewUserRecord(agentUserID: 1, profile: Profile(displayName: "alice", fullName: ""), isChatRelay: false, createdAt: Self.now))
        }
    }

    /// Adds a contact with a connection whose agent id is this byte.
    func addContact(_ name: String, _ byte: UInt8, status: ConnectionStatus = .ready, version: ChatVersion = 16) async throws -> ContactID {
        try await store.write { db in
            let contact = try db.contacts.insert(NewContactRecord(profile: Profile(displayName: name, fullName: "")), user: Self.user, at: Self.now)
            _ = try db.connections.insert(
                NewConnectionRecord(
                    userID: Self.user, agentConnectionID: [byte], status: status, contactID: contact, chatVersion: version,
                    peerVersions: ChatVersionRange(minVersion: 1, maxVersion: 17)), at: Self.now)
            return contact
        }
    }

    /// Runs a transaction.
    ///
    /// - Parameters:
    ///   - time: The time of the transaction.
    ///   - actor: The profile that acts.
    /// - Returns: Its value and its effects.
    func run<T: Sendable>(
        at time: UTCTimestamp = now, as actor: UserID = user, _ body: @escaping @Sendable (ChatTransaction) throws -> T
    ) async throws -> (T, Effects) {
        try await store.write { db in
            let transaction = ChatTransaction(
                db, at: TransactionTime(now: time, steady: time), random: SystemRandomSource(), actor: actor)
            return (try body(transaction), transaction.effects)
        }
    }

    func close() async throws { try await store.close() }
}
