import ChatAPI
import ChatRules
import EncryptedSQLite
import Foundation
import GRDB
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// What a body cost its receiver.
struct HostileCost: Sendable {
    /// Rows written, also those that were rolled back.
    var rows = 0
    var events = 0
    var jobs = 0
    /// Bodies handed to the agent: a block of 16 KB each, and for a relay one for each subscriber.
    var blocks = 0
    /// Bytes by which the bodies that wait to be sent and the items grew.
    var useless = 0
    /// Processor time of the transaction.
    var processor = Duration.zero
}

/// The step of a connection that carries a body.
enum HostileEnvelope: String, CaseIterable, Sendable {
    /// A message of a connection, whatever state it is in.
    case message
    /// The first message of the party that has joined by a link of the victim.
    case confirmation
    /// The first message of the party whose link the victim has joined by.
    case information
    /// A request to an address, or to join by a link.
    case request
}

/// What a body changed without a right, and what it cost.
struct HostileOutcome: Sendable {
    var violations: [String] = []
    var costs: [HostileCost] = []
    /// What the victim passes on to the bystander.
    fileprivate var passedOn: [Bytes] = []
}

extension HostilePlace {
    private struct RolledBack: Error {}

    /// The victim receives bodies one after the other in a state; then everything is as before.
    ///
    /// - Parameters:
    ///   - checksRights: False for bodies that only their cost is asked of.
    ///   - defect: A statement that is run with each body, as if receiving it had that effect, too.
    func receive(
        _ bodies: [HostileBody], in state: HostileState, by envelope: HostileEnvelope = .message, checksRights: Bool = true, defect: String? = nil
    ) async throws -> HostileOutcome {
        var outcome = try await core.native.engine.store.write { [self] db in
            try Self.rollingBack(db) { try receive(bodies, in: state, by: envelope, checksRights: checksRights, defect: defect, db) }
        }
        guard let bystander, !outcome.passedOn.isEmpty else { return outcome }
        let passedOn = outcome.passedOn
        outcome.violations += try await bystander.core.native.engine.store.write { [self] db in
            try Self.rollingBack(db) { try passOn(passedOn, of: attacker, in: state, to: bystander, db) }
        }
        return outcome
    }

    /// What the oracle of rights says to a change that is made by a statement of SQL.
    func violations(of sql: String, in state: HostileState) async throws -> [String] {
        try await core.native.engine.store.write { [self] db in
            try Self.rollingBack(db) {
                if let record = try db.connections.find(agentID: connection) { try state.apply(Self.transaction(db), to: record, early: Self.early) }
                let before = try StoreFacts(db), sender = try sender(db)
                try db.run(sql)
                return RightsOracle(sender: sender, before: before, after: try StoreFacts(db)).violations
            }
        }
    }

    private static func rollingBack<T>(_ db: Database, _ body: () throws -> T) throws -> T {
        var value: T?
        do {
            try db.savepoint {
                value = try body()
                throw RolledBack()
            }
        } catch is RolledBack {}
        guard let value else { throw RolledBack() }
        return value
    }

    private static func transaction(_ db: Database) -> ChatTransaction {
        ChatTransaction(db, at: TransactionTime(now: .current(), steady: .current()), random: SystemRandomSource())
    }

    /// The numbers of messages are above all that came before.
    private static func incoming(_ body: Bytes, number: Int, over connection: Bytes, by envelope: HostileEnvelope = .message) -> Incoming {
        let event: AgentEvent
        switch envelope {
        case .message: event = .message(metadata(number), MessageFlags(notification: true), body)
        case .confirmation: event = .confirmation(ConfirmationID([UInt8(truncatingIfNeeded: number)]), pqSupport: false, servers: [], info: body)
        case .information: event = .information(pqSupport: false, info: body)
        case .request: event = .request(InvitationID([UInt8(truncatingIfNeeded: number)]), pqSupport: false, servers: [], info: body)
        }
        return Incoming(AgentNotification(connection: ConnectionID(connection), event: event))
    }

    private static func metadata(_ number: Int) -> MessageMetadata {
        let now = UTCTimestamp.current().seconds * 1_000
        return MessageMetadata(
            integrity: .ok, messageID: Int64(1_000_000 + number), receivedAt: now, brokerID: [], brokerTime: now, senderMessageID: Int64(1_000_000 + number),
            pqEncryption: false)
    }

    private func receive(
        _ bodies: [HostileBody], in state: HostileState, by envelope: HostileEnvelope, checksRights: Bool, defect: String?, _ db: Database
    ) throws -> HostileOutcome {
        let connection = envelope == .request ? door ?? connection : connection
        var outcome = HostileOutcome()
        if let record = try db.connections.find(agentID: self.connection) { try state.apply(Self.transaction(db), to: record, early: Self.early) }
        if [.confirmation, .information].contains(envelope), let record = try db.connections.find(agentID: self.connection) {
            try state.connecting(db, record, envelope == .confirmation ? .new : .joined)
        }
        var facts = checksRights ? try StoreFacts(db) : nil
        for (number, body) in bodies.enumerated() {
            let sender = envelope == .request ? .stranger : try sender(db)
            let transaction = Self.transaction(db), rows = db.totalChangesCount, started = ThreadTime.now
            try transaction.incomingEvents.receive(Self.incoming(body.bytes, number: number, over: connection, by: envelope))
            if let defect { try db.run(defect) }
            var cost = HostileCost()
            cost.processor = ThreadTime.now - started
            cost.rows = db.totalChangesCount - rows
            let effects = transaction.effects
            (cost.events, cost.jobs, cost.blocks, cost.useless) = (
                effects.events.count, effects.jobs.count, effects.deliveries.count, effects.uselessMessages
            )
            let passed = try passedOn(effects, db)
            if victim == .relay { cost.blocks += passed.count }
            outcome.costs.append(cost)
            outcome.passedOn += passed
            guard let before = facts else { continue }
            let after = try StoreFacts(db)
            outcome.violations += RightsOracle(sender: sender, before: before, after: after).violations.map {
                "\(victim.rawValue), \(state), \(envelope.rawValue) \(body): \($0)"
            }
            facts = after
        }
        return outcome
    }

    private func sender(_ db: Database) throws -> RightsOracle.Sender {
        guard let record = try db.connections.find(agentID: connection), record.connection.status != .deleted else { return .nobody }
        if let id = record.memberID, let member = try db.members.find(id), let group = try db.groups.find(member.groupID, user: record.userID) {
            return .member(member, group)
        }
        return record.contactID.map(RightsOracle.Sender.contact) ?? .nobody
    }

    /// The bodies that the bystander gets.
    private func passedOn(_ effects: Effects, _ db: Database) throws -> [Bytes] {
        guard let bystander else { return [] }
        var bodies: [Bytes] = []
        for delivery in effects.deliveries {
            let id = try db.first(
                "SELECT m.member_id FROM connections cn JOIN group_members m USING (group_member_id) WHERE cn.connection_id = ?", [delivery.connectionID]
            ) { $0.bytes() }
            if id == bystander.memberID.bytes { bodies.append(delivery.body) }
        }
        for group in effects.relayedGroups {
            let relay = Self.transaction(db)
            while case .made = try relay.relayWork.makeJob(group: group, policy: RelayPolicy()) {
                guard let job = try db.relayWork.job(group: group) else { break }
                bodies.append(job.body)
                try db.relayWork.deleteJob(job.id)
            }
        }
        return bodies
    }

    /// The bystander receives what the victim passes on, knowing of the attacker what the victim knows.
    private func passOn(
        _ bodies: [Bytes], of attacker: MemberID, in state: HostileState, to bystander: Bystander, _ db: Database
    ) throws -> [String] {
        var violations: [String] = []
        guard let record = try db.connections.find(agentID: bystander.connection), let id = record.memberID, let passing = try db.members.find(id) else {
            return []
        }
        if let known = try db.members.find(attacker, group: passing.groupID), case .member(let role, let status, let isBlocked, _, _) = state {
            let transaction = Self.transaction(db)
            try db.members.update(known.groupMemberID, role: role, at: transaction.now)
            try db.members.update(known.groupMemberID, status: status, at: transaction.now)
            try db.members.update(known.groupMemberID, isBlocked: isBlocked, at: transaction.now)
        }
        for (number, body) in bodies.enumerated() {
            let before = try StoreFacts(db), known = try db.members.find(attacker, group: passing.groupID)
            let transaction = Self.transaction(db)
            try transaction.incomingEvents.receive(Self.incoming(body, number: number, over: bystander.connection))
            guard let group = try db.groups.find(passing.groupID, user: record.userID),
                let member = try known ?? db.members.find(attacker, group: passing.groupID)
            else {
                continue
            }
            violations += RightsOracle(sender: .member(member, group), before: before, after: try StoreFacts(db), isPassedOn: true).violations.map {
                "bystander of \(victim.rawValue), \(state): \($0)"
            }
        }
        return violations
    }
}

/// The processor time of this thread.
enum ThreadTime {
    static var now: Duration { time(CLOCK_THREAD_CPUTIME_ID) }
    /// The processor time of the process.
    static var ofProcess: Duration { time(CLOCK_PROCESS_CPUTIME_ID) }

    private static func time(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
}
