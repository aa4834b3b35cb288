import ChatAPI
import ChatRules
import ChatStore
import GRDB
import Logging
import SMPAgent
import Synchronization

/// A message that a router has.
struct SentDelivery: Sendable {
    var message: AgentMessageID
    var viaProxy: Bool
    /// Called once with whether the state is stored, or there is nothing to store.
    var completion: @Sendable (_ isStored: Bool) -> Void
}

/// Stores what becomes of messages that the agent has: the numbers under which the agent knows them, and which of them routers have.
///
/// No command waits for either, and there are two for each message: what has come in is stored in one batch, with the next transaction. What a
/// crash takes away is found again: messages without a number are given to the agent again, which knows them by their keys, and the agent
/// repeats its reports until they are confirmed.
final class DeliveryTracker: OutboxDelegate {
    /// The delay before states are stored again that the disk could not take.
    private static let retryDelay = Duration.seconds(1)

    private struct Batch: Sendable {
        var accepted: [AcceptedDelivery] = []
        /// By connection, in the order in which they came.
        var sent: [(connection: ConnectionID, messages: [SentDelivery])] = []
        /// The positions of connections in `sent`, of which a relay has very many.
        private var positions: [ConnectionID: Int] = [:]
        var isSubmitted = false

        mutating func add(_ later: Batch) {
            accepted += later.accepted
            for (connection, messages) in later.sent { for message in messages { add(message, of: connection) } }
        }

        mutating func add(_ sent: SentDelivery, of connection: ConnectionID) {
            if let index = positions[connection] {
                self.sent[index].messages.append(sent)
            } else {
                positions[connection] = self.sent.count
                self.sent.append((connection, [sent]))
            }
        }
    }

    private struct Outcome: Sendable {
        var effects = Effects()
        /// Messages of which the store does not know yet that the agent has them.
        var premature: [(connection: ConnectionID, messages: [SentDelivery])] = []
    }

    private let transactions: TransactionRunner
    private let outbox: OutboxDispatcher
    private let lifecycle: EngineLifecycle
    private let logger: Logger
    private let pending = Mutex(Batch())

    init(transactions: TransactionRunner, outbox: OutboxDispatcher, lifecycle: EngineLifecycle, logger: Logger) {
        self.transactions = transactions
        self.outbox = outbox
        self.lifecycle = lifecycle
        self.logger = logger
    }

    func outboxDidHandOver(_ accepted: [AcceptedDelivery]) { record { $0.accepted += accepted } }

    func outboxDidFail(_ delivery: Delivery, _ fault: AgentError) async {
        do {
            try await transactions.transaction(isPersistent: true) { try $0.deliveryStatuses.abandon(delivery, fault) }
        } catch {
            logger.error("a message that could not be sent could not be marked", metadata: ["error": "\(error.code)"])
        }
    }

    /// Records that a router has a message.
    func record(_ sent: SentDelivery, of connection: ConnectionID) { record { $0.add(sent, of: connection) } }

    private func record(_ change: (inout Batch) -> Void) {
        let submits = pending.withLock { pending in
            change(&pending)
            defer { pending.isSubmitted = true }
            return !pending.isSubmitted
        }
        if submits { submit() }
    }

    private func submit() {
        let time = transactions.clock.time
        let stored = Mutex(Batch())
        let handOvers = Mutex(0)
        transactions.store.submitLater(
            { [self] db -> Outcome in
                handOvers.withLock { $0 = outbox.handOvers }
                // It may run again, and then includes later reports.
                let batch = stored.withLock { stored in
                    stored.add(take())
                    return stored
                }
                let (premature, effects) = try transactions.perform(on: db, at: time) { try $0.deliveryStatuses.store(batch.accepted, batch.sent) }
                return Outcome(effects: effects, premature: premature)
            },
            completion: { [self] result in
                let batch = stored.withLock { $0 }
                switch result {
                case .success(let outcome): finish(batch, outcome, handOvers: handOvers.withLock(\.self))
                case .failure(let error): fail(batch, error)
                }
            })
    }

    private func take() -> Batch {
        pending.withLock { pending in
            defer { pending = Batch() }
            return pending
        }
    }

    /// - Parameter handOvers: The outbox's count from before the store was asked.
    private func finish(_ batch: Batch, _ outcome: Outcome, handOvers: Int) {
        transactions.dispatch(outcome.effects)
        for (connection, messages) in outcome.premature {
            // The outbox will say that the agent has them; if it does not, they are of no item.
            let wait = outbox.afterHandingOver(connection.bytes) { [self] in
                for message in messages { record(message, of: connection) }
            }
            switch wait {
            case .waits: continue
            case .isClosed: for message in messages { message.completion(false) }
            case .nothingWaits:
                // They may have been handed over since the store was asked.
                let mayBeKnown = handOvers != outbox.handOvers
                for message in messages {
                    if mayBeKnown { record(message, of: connection) } else { message.completion(true) }
                }
            }
        }
        let premature = Dictionary(outcome.premature.map { ($0.connection, Set($0.messages.map(\.message))) }) { $0.union($1) }
        for (connection, messages) in batch.sent {
            for message in messages where !(premature[connection]?.contains(message.message) ?? false) { message.completion(true) }
        }
    }

    private func fail(_ batch: Batch, _ error: any Error) {
        guard !lifecycle.isClosed, (error as? GRDB.DatabaseError)?.isTemporary ?? false else {
            if !lifecycle.isClosed { logger.error("states of messages could not be stored", metadata: ["error": "\(error)"]) }
            for (_, messages) in batch.sent { for message in messages { message.completion(false) } }
            return
        }
        Task { [self] in
            try? await transactions.clock.sleep(for: Self.retryDelay)
            record { current in
                var all = batch
                all.add(current)
                all.isSubmitted = current.isSubmitted
                current = all
            }
        }
    }
}

extension DeliveryStatuses {
    /// Stores the agent's numbers of messages, and that routers have them.
    ///
    /// - Returns: Messages that the store does not know.
    fileprivate func store(
        _ accepted: [AcceptedDelivery], _ sent: [(connection: ConnectionID, messages: [SentDelivery])]
    ) throws -> [(connection: ConnectionID, messages: [SentDelivery])] {
        for entry in accepted { try db.deliveries.mark(entry.delivery.id, agentMessageID: entry.message.messageID) }
        try db.deliveries.deleteUnusedBodies(Set(accepted.map(\.delivery.bodyID)))
        try noteSendEncryption(accepted)
        var unknown: [(connection: ConnectionID, messages: [SentDelivery])] = []
        var atMembers = SentGroupItems()
        for (connection, messages) in sent {
            let premature = try receiveSent(messages, of: connection, atMembers: &atMembers)
            if !premature.isEmpty { unknown.append((connection, premature)) }
        }
        try updateStatuses(of: atMembers)
        return unknown
    }

    /// Marks the items of a message that the agent does not take.
    fileprivate func abandon(_ delivery: Delivery, _ fault: AgentError) throws {
        let items = try db.deliveries.items(ofDelivery: delivery.id)
        try db.deliveries.abandon(delivery.id)
        try db.deliveries.deleteUnusedBodies([delivery.bodyID])
        guard let record = try db.connections.find(delivery.connectionID), let user = try db.users.find(record.userID) else { return }
        let context = try transaction.connectionEvents.context(of: record, user: user)
        if case .member(let group, let member) = context.peer {
            let changed = try transaction.outbox.updateStatus(of: items, at: member, to: .error(error: fault.sendError), viaProxy: nil, in: group)
            try announce(statusesOf: changed, in: group, of: user)
            return
        }
        guard let contact = context.contact else { return }
        let changed = try items.compactMap { item in
            try changeStatus(of: item, to: .sendError(error: fault.sendError), viaProxy: nil, contact: contact)
        }
        if !changed.isEmpty {
            let items = changed.map { ItemInChat(chatInfo: .direct(contact: contact), chatItem: $0) }
            emit(.chatItemsStatusesUpdated(user: user, chatItems: items))
        }
        transaction.connectionEvents.report(fault, in: context)
    }

    /// Stores whether the last sent message is protected by post-quantum encryption; a change is shown.
    private func noteSendEncryption(_ isPQ: Bool, connection id: ChatConnectionID) throws {
        guard let record = try db.connections.find(id) else { return }
        let before = record.connection.pqSendEnabled
        guard before != isPQ, before != nil || isPQ else { return }
        try db.connections.update(id, pqSending: isPQ)
        guard let user = try db.users.find(record.userID), let contactID = record.contactID, var contact = try db.contacts.find(contactID, of: user)
        else { return }
        let receives = record.connection.pqReceiveEnabled == true
        guard (before == true && receives) != (isPQ && receives) else { return }
        let content: ItemContent =
            before == nil
            ? .sentDirectEncryption(info: EncryptionInfo(pqEnabled: isPQ)) : .sentConnectionEvent(event: .pqEnabled(enabled: isPQ))
        try transaction.items.addInternal([content], isSent: true, to: &contact, of: user)
        emit(.contactPQEnabled(user: user, contact: contact, pqEnabled: isPQ))
    }
}

extension DeliveryStatuses {
    /// Tells of items whose statuses have changed.
    func announce(statusesOf items: [StoredItem], in group: GroupInfo, of user: User) throws {
        guard let first = items.first else { return }
        let chat = try transaction.conversations.groupConversation(group.groupID, scope: first.scope, of: user)
        emit(.chatItemsStatusesUpdated(user: user, chatItems: items.map { chat.containing($0.item) }))
    }

    /// Records that routers have messages.
    ///
    /// - Parameter atMembers: Receives the items of groups that they are about.
    /// - Returns: Those that the store does not know.
    func receiveSent(_ messages: [SentDelivery], of connection: ConnectionID, atMembers: inout SentGroupItems) throws -> [SentDelivery] {
        if let origin = try db.members.memberConnection(agentID: connection.bytes) { return try receiveSent(messages, over: origin, &atMembers) }
        guard let record = try db.connections.find(agentID: connection.bytes), let user = try db.users.find(record.userID) else { return [] }
        guard let contact = try record.contactID.flatMap({ try db.contacts.find($0, of: user) }) else { return [] }
        var changed: [ItemInChat] = []
        var unknown: [SentDelivery] = []
        for sent in messages {
            guard let delivery = try db.deliveries.find(connection: record.id, agentMessageID: sent.message) else {
                unknown.append(sent)
                continue
            }
            // A delivery about no item may be the description of a file.
            if delivery.items.isEmpty { try transaction.sentFiles.receiveSent(descriptionDelivery: delivery.id, of: user) }
            for id in delivery.items {
                guard let item = try changeStatus(of: id, to: .sent(progress: .complete), viaProxy: sent.viaProxy, contact: contact) else { continue }
                changed.append(ItemInChat(chatInfo: .direct(contact: contact), chatItem: item))
            }
        }
        if !changed.isEmpty { emit(.chatItemsStatusesUpdated(user: user, chatItems: changed)) }
        return unknown
    }

    /// Stores whether the last message of each connection is protected by post-quantum encryption; a change is shown.
    fileprivate func noteSendEncryption(_ accepted: [AcceptedDelivery]) throws {
        var last: [ChatConnectionID: Bool] = [:]
        for entry in accepted { last[entry.delivery.connectionID] = entry.message.pqEncryption }
        // A post to a group goes over many connections: one query for all of them.
        let changed = try db.connections.connections(Array(last.keys)) { id, before in (before ?? false) != last[id] ? id : nil }
        for id in changed { if let isPQ = last[id] { try noteSendEncryption(isPQ, connection: id) } }
    }
}
