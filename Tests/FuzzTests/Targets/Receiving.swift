import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire

@testable import ChatEngine
@testable import ChatStore

extension FuzzTarget {
    /// A body as a contact sends it, and as somebody sends it to an address who wants to be one: parsed, stored and shown. What it does to the
    /// store is taken back.
    static let incoming = FuzzTarget("incoming", maximumLength: 16_384) {
        try Seeds.texts("chat_messages") + Seeds.bytes("chat_messages")
    } run: { input throws(FuzzFault) in
        try ReceivingStore.shared.get().receive(input)
    }
}

/// The store of somebody who has a contact, messages with it, and an address.
private final class ReceivingStore: Sendable {
    static let shared = Result { () throws(FuzzFault) in try ReceivingStore() }

    private static let contactConnection = ConnectionID([1])
    private static let addressConnection = ConnectionID([2])
    private static let now = UTCTimestamp(seconds: 1_790_000_000)
    private static let user: UserID = 1

    private let queue: DatabaseQueue
    private let contact: ContactID

    private init() throws(FuzzFault) {
        do {
            var configuration = Configuration()
            configuration.prepareDatabase { $0.add(function: ChatStore.caseFolding) }
            queue = try DatabaseQueue(configuration: configuration)
            try ChatStoreMigrations.migrator.migrate(queue)
            contact = try queue.write { db in try Self.fill(db) }
        } catch {
            throw FuzzFault("the store cannot be made: \(error)")
        }
    }

    private static func fill(_ db: Database) throws -> ContactID {
        let user = try db.users.insert(
            NewUserRecord(agentUserID: 1, profile: Profile(displayName: "alice", fullName: ""), isChatRelay: false, createdAt: now))
        let contact = try db.contacts.insert(NewContactRecord(profile: Profile(displayName: "mallory", fullName: "")), user: user, at: now)
        // Messages that disappear are allowed by this side.
        try db.contacts.update(
            contact, userPreferences: ChatPreferences(timedMessages: TimedMessagesPreference(allow: .yes, ttl: 60)), at: now)
        _ = try db.connections.insert(
            NewConnectionRecord(
                userID: user, agentConnectionID: contactConnection.bytes, status: .ready, contactID: contact, chatVersion: 16,
                peerVersions: ChatVersionRange(minVersion: 1, maxVersion: 17)), at: now)
        let address = try db.addresses.insert(
            user: user, link: CreatedConnectionLink(fullLink: "simplex:/contact", shortLink: nil), linkKey: "key", hasLinkData: false, at: now)
        _ = try db.connections.insert(
            NewConnectionRecord(userID: user, agentConnectionID: addressConnection.bytes, status: .ready, addressID: address, chatVersion: 16), at: now)
        return contact
    }

    func receive(_ body: Bytes) throws(FuzzFault) {
        do {
            for isAsking in [false, true] {
                try queue.inDatabase { db in
                    try db.inTransaction {
                        // The same event comes again after a crash.
                        for _ in 0..<2 { try take(body, isAsking: isAsking, db) }
                        try look(db)
                        return .rollback
                    }
                }
            }
        } catch let fault as FuzzFault {
            throw fault
        } catch {
            throw FuzzFault("what came is not stored, or not shown: \(error)")
        }
    }

    private func take(_ body: Bytes, isAsking: Bool, _ db: Database) throws {
        // The router's clock says anything.
        let times: [Int64] = [.min, -1, 0, 1_790_000_000_000, .max]
        let metadata = MessageMetadata(
            integrity: .ok, messageID: 5, receivedAt: 1_790_000_000_000, brokerID: [1], brokerTime: times[body.count % times.count],
            senderMessageID: 5, pqEncryption: false)
        let notification =
            isAsking
            ? AgentNotification(
                connection: Self.addressConnection,
                event: .request(InvitationID(Bytes(repeating: 1, count: 12)), pqSupport: false, servers: [], info: body), durableID: .event(7))
            : AgentNotification(connection: Self.contactConnection, event: .message(metadata, MessageFlags(notification: true), body))
        let transaction = transaction(db)
        try transaction.incomingEvents.receive(Incoming(notification))
        for event in transaction.effects.events { try check(event.json, event.jsonText) }
    }

    private func transaction(_ db: Database) -> ChatTransaction {
        ChatTransaction(db, at: TransactionTime(now: Self.now, steady: Self.now), random: SystemRandomSource(), actor: Self.user)
    }

    /// What clients ask for next.
    private func look(_ db: Database) throws {
        let transaction = transaction(db)
        let user = try transaction.anyUser(Self.user)
        for chat in try transaction.chats.chats(of: user, .last(100), filter: .all, withConnections: true) { try check(chat.json, chat.jsonText) }
        for known in try db.contacts.contacts(of: user) {
            let page = try transaction.chats.page(of: .direct(known.contactID), content: nil, .initial(100), search: nil)
            try check(page.json, page.jsonText)
            if let item = try db.pages.lastItem(in: .chat(.contact(known.contactID)), at: Self.now) {
                let info = try transaction.chats.itemInfo(item.id, in: .direct(known.contactID))
                try check(info.json, info.jsonText)
            }
            _ = try transaction.chats.markRead(.direct(known.contactID))
        }
        _ = try db.items.nextExpiry()
        _ = try transaction.chats.removeExpiredItems(until: UTCTimestamp(seconds: .max), limit: 100)
        for event in transaction.effects.events { try check(event.json, event.jsonText) }
    }

    /// What is printed is what is meant.
    private func check(_ value: JSONValue, _ text: String) throws {
        try FuzzFault.unless((try? JSONValue(parsing: text)) == value, "\(value) is printed as \(text)")
    }
}
