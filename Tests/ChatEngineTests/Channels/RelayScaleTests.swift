import ChatAPI
import ChatRules
import Foundation
import GRDB
import Logging
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// An agent that takes messages and counts them, or fails.
private final class CountingSender: MessageSender {
    private struct State {
        var received: [ConnectionID: [Int64]] = [:]
        var calls: [Int] = []
        var failures = 0
    }

    private let state = Mutex(State())

    var calls: [Int] { state.withLock { $0.calls } }
    /// The numbers of the messages of each connection.
    var received: [ConnectionID: [Int64]] { state.withLock { $0.received } }

    /// The next calls fail for the moment.
    func fail(next count: Int) { state.withLock { $0.failures = count } }

    func send(_ requests: [AgentSendRequest]) async -> [Result<AcceptedMessage, AgentError>] {
        state.withLock { state in
            if state.failures > 0 {
                state.failures -= 1
                return requests.map { _ in .failure(AgentError(.critical(offerRestart: true, "the disk is full"))) }
            }
            state.calls.append(requests.count)
            for request in requests { state.received[request.connection, default: []].append(request.key ?? -1) }
            return requests.map { _ in .failure(AgentError(.command(.large, context: "counted"))) }
        }
    }
}

@Suite("Relays with many subscribers")
struct RelayScaleTests {
    /// Subscribers; `RELAY_SUBSCRIBERS` for a measurement.
    private static var subscribers: Int { ProcessInfo.processInfo.environment["RELAY_SUBSCRIBERS"].flatMap { Int($0) } ?? 2_500 }

    @Test("a body goes to all subscribers in buckets, each once, and again from the same bucket after a failure")
    func buckets() async throws {
        let scene = try await ChannelScene([])
        let count = Self.subscribers
        let engine = scene["relay"].native.engine
        try await engine.transactions.transaction { transaction in
            for number in 0..<count { _ = try transaction.insertConnectedMember("subscriber \(number)", role: .observer, in: 1) }
        }
        let sender = CountingSender()
        let logger = Logger(label: "test"), backlog = RelayBacklog(limit: nil, store: engine.store, logger: logger)
        let deliverer = RelayDeliverer(transactions: engine.transactions, agent: sender, backlog: backlog, logger: logger)
        let owner = try await scene.member("owner", at: "relay")
        try await engine.transactions.store.write(isPersistent: true) { db in
            for text in ["one", "two"] {
                // Two jobs: receivers that differ are not in one body.
                let scope: RelayScope = text == "one" ? .all : .support(owner.groupMemberID)
                try db.relayWork.insertTask(group: 1, scope: scope, sender: owner.groupMemberID, element: Bytes(text.utf8), at: .current())
            }
        }
        sender.fail(next: 1)
        let began = ContinuousClock.now
        try await deliverer.start()
        try await TestSupport.eventually("all is delivered") {
            let backlog = try await engine.store.read { try $0.relayWork.backlog() }
            return backlog.tasks + backlog.jobs == 0
        }
        deliverer.stop()
        let taken = ContinuousClock.now - began
        let received = sender.received
        #expect(received.count == count)
        #expect(received.values.allSatisfy { $0.count == 1 })
        #expect(Set(received.values.flatMap(\.self)).count == 1, "one number in all connections")
        #expect(sender.calls.allSatisfy { $0 <= RelayDeliverer.bucketSize } && sender.calls.count >= count / RelayDeliverer.bucketSize)
        if count > 10_000 { print("\(count) subscribers: \(taken), \(sender.calls.count) calls") }
        await scene.close()
    }

    @Test("the next receivers, and the members with a role, are found without reading all members")
    func plans() async throws {
        let scene = try await ChannelScene([])
        let plans = try await scene["relay"].native.engine.store.read { db in
            func plan(_ body: () throws -> Void) throws -> String {
                var statements: [String] = []
                db.trace { statements.append($0.expandedDescription) }
                try body()
                db.trace(options: [])
                return try statements.flatMap { try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \($0)").map { $0["detail"] as String } }.joined(separator: "\n")
            }
            return [
                try plan { _ = try db.relayWork.targets(group: 1, after: 0, excluding: 1, limit: 10) },
                try plan { _ = try db.relayWork.targets(group: 1, support: 1, after: 0, excluding: 1, limit: 10) },
                try plan { _ = try db.members.moderators(of: 1) }, try plan { _ = try db.members.relayMembers(of: 1) },
            ]
        }
        await scene.close()
        for plan in plans { #expect(!plan.contains("group_members_by_index") && !plan.contains("SCAN m"), "\(plan)") }
    }
}
