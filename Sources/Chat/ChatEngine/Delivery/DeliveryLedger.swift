import ChatAPI
import ChatProtocol
import GRDB
import Logging
import SMPAgent
import SMPWire
import Synchronization

/// Writes down what becomes of messages that the agent has: under which numbers it knows them, and which of them routers have.
///
/// Nobody waits for either, and there are two for each message: what has come in is written in one go, with the next transaction. What
/// a crash takes away is found again: messages without a number are given to the agent again, which knows them by their keys, and the
/// agent tells again of messages that routers have until this is confirmed.
final class DeliveryLedger: Sendable {
    /// A message that the agent has taken.
    struct Accepted: Sendable {
        var delivery: Delivery
        var message: AcceptedMessage
    }

    /// A message that a router has, with what must be done once that is written down.
    struct Sent: Sendable {
        var message: AgentMessageID
        var viaProxy: Bool
        /// Called with whether it is written down, or there is nothing to write.
        var done: @Sendable (_ isWritten: Bool) -> Void
    }

    private struct Pages: Sendable {
        var accepted: [Accepted] = []
        /// By connection, in the order in which they came.
        var sent: [(connection: ConnectionID, messages: [Sent])] = []
        var isSubmitted = false

        mutating func add(_ later: Pages) {
            accepted += later.accepted
            for (connection, messages) in later.sent { for message in messages { add(message, of: connection) } }
        }

        mutating func add(_ sent: Sent, of connection: ConnectionID) {
            if let index = self.sent.lastIndex(where: { $0.connection == connection }) {
                self.sent[index].messages.append(sent)
            } else {
                self.sent.append((connection, [sent]))
            }
        }
    }

    private struct Outcome: Sendable {
        var effects = Effects()
        /// Messages of which the store does not know yet that the agent has them.
        var premature: [(connection: ConnectionID, messages: [Sent])] = []
    }

    private let core: EngineCore
    private let pages = Mutex(Pages())

    init(core: EngineCore) {
        self.core = core
    }

    /// The agent has messages.
    func enter(_ accepted: [Accepted]) {
        enter { $0.accepted += accepted }
    }

    /// A router has a message.
    func enter(_ sent: Sent, of connection: ConnectionID) {
        enter { $0.add(sent, of: connection) }
    }

    private func enter(_ change: (inout Pages) -> Void) {
        let submits = pages.withLock { pages in
            change(&pages)
            defer { pages.isSubmitted = true }
            return !pages.isSubmitted
        }
        if submits { submit() }
    }

    private func submit() {
        let core = core
        let moment = core.moment
        let written = Mutex(Pages())
        let handOvers = Mutex(0)
        core.store.submitLater(
            { [self] db -> Outcome in
                handOvers.withLock { $0 = core.courier.handOvers }
                // It may run again, and then with what has come since.
                let pages = written.withLock { written in
                    written.add(take())
                    return written
                }
                let transaction = ChatTransaction(db, at: moment, random: core.random)
                for accepted in pages.accepted {
                    try db.markDelivery(accepted.delivery.id, agentMessageID: accepted.message.messageID)
                }
                try transaction.noteSendEncryption(pages.accepted)
                var outcome = Outcome()
                for (connection, messages) in pages.sent {
                    let premature = try transaction.receiveSent(messages, of: connection)
                    if !premature.isEmpty { outcome.premature.append((connection, premature)) }
                }
                outcome.effects = transaction.effects
                return outcome
            },
            completion: { [self] result in
                let pages = written.withLock { $0 }
                switch result {
                case .success(let outcome): finish(pages, outcome, handOvers: handOvers.withLock(\.self))
                case .failure(let error): failed(pages, error)
                }
            })
    }

    private func take() -> Pages {
        pages.withLock { pages in
            defer { pages = Pages() }
            return pages
        }
    }

    /// - Parameter handOvers: the courier's count from before the store was asked.
    private func finish(_ pages: Pages, _ outcome: Outcome, handOvers: Int) {
        core.publish(outcome.effects)
        for (connection, messages) in outcome.premature {
            // The courier will say that the agent has them; if it does not, they are of no item.
            let isHandedOver = core.courier.afterHandingOver(connection.bytes) { [self] in
                for message in messages { enter(message, of: connection) }
            }
            guard !isHandedOver else { continue }
            // They may have been handed over since the store was asked.
            let mayBeKnown = handOvers != core.courier.handOvers
            for message in messages {
                if mayBeKnown { enter(message, of: connection) } else { message.done(true) }
            }
        }
        let premature = Dictionary(outcome.premature.map { ($0.connection, Set($0.messages.map(\.message))) }) { $0.union($1) }
        for (connection, messages) in pages.sent {
            for message in messages where !(premature[connection]?.contains(message.message) ?? false) { message.done(true) }
        }
    }

    private func failed(_ pages: Pages, _ error: any Error) {
        let core = core
        guard !core.isClosed, (error as? GRDB.DatabaseError)?.isTemporary ?? false else {
            if !core.isClosed { core.logger.error("what became of messages could not be written", metadata: ["error": "\(error)"]) }
            for (_, messages) in pages.sent { for message in messages { message.done(false) } }
            return
        }
        Task { [self] in
            try? await core.clock.sleep(for: .seconds(1))
            enter { current in
                var all = pages
                all.add(current)
                all.isSubmitted = current.isSubmitted
                current = all
            }
        }
    }
}

extension ChatTransaction {
    /// Shows that routers have messages.
    ///
    /// - Returns: those that the store does not know.
    func receiveSent(_ messages: [DeliveryLedger.Sent], of connection: ConnectionID) throws -> [DeliveryLedger.Sent] {
        guard let record = try db.connection(agentID: connection.bytes), let user = try db.user(record.userID),
            let contact = try record.contactID.flatMap({ try db.contact($0, of: user) })
        else { return [] }
        var changed: [ItemInChat] = []
        var unknown: [DeliveryLedger.Sent] = []
        for sent in messages {
            guard let delivery = try db.delivery(connection: record.id, agentMessageID: sent.message) else {
                unknown.append(sent)
                continue
            }
            for id in delivery.items {
                guard let item = try changeStatus(of: id, to: .sent(progress: .complete), viaProxy: sent.viaProxy, contact: contact) else { continue }
                changed.append(ItemInChat(chatInfo: .direct(contact: contact), chatItem: item))
            }
        }
        if !changed.isEmpty { emit(.chatItemsStatusesUpdated(user: user, chatItems: changed)) }
        return unknown
    }

    /// Whether the last message of each connection is protected by post-quantum encryption; a change is shown.
    fileprivate func noteSendEncryption(_ accepted: [DeliveryLedger.Accepted]) throws {
        var last: [Int64: Bool] = [:]
        for entry in accepted { last[entry.delivery.connectionID] = entry.message.pqEncryption }
        for (connection, isPQ) in last where try (db.sendEncryption(connection: connection) ?? false) != isPQ {
            try noteSendEncryption(isPQ, connection: connection)
        }
    }
}
