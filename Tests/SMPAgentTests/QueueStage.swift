import SMPProtocol
import SMPSimulation
import TestSupport
import Testing

@testable import SMPAgent

/// Two parties who are connected. Alice receives through the first router, and may through a third.
struct QueueStage {
    let pair: Pair
    let third: SimulatedRouter
    let aliceID: ConnectionID
    let bobID: ConnectionID
    var alice: TestParty { pair.alice }
    var bob: TestParty { pair.bob }
    var first: SimulatedRouter { pair.routers[0] }

    init(_ configuration: AgentConfiguration = .quick) async throws {
        pair = try await Pair(configuration, configuration)
        (aliceID, bobID) = try await pair.connect()
        third = pair.internet.addRouter("three.example")
    }

    /// One on which both queues are used.
    static func withTwoQueues(_ configuration: AgentConfiguration = .quick) async throws -> QueueStage {
        let stage = try await QueueStage(configuration)
        #expect(try await stage.add().receiveQueues.map(\.server) == [stage.first.address, stage.third.address])
        await stage.bob.wait("used") { $0.queueChanges(.send) == 1 }
        await stage.alice.wait("used") { $0.queueChanges(.receive) == 1 }
        return stage
    }

    @discardableResult
    func add() async throws -> AgentConnectionStats { try await alice.agent.addQueue(to: aliceID, on: SMPServerWithAuth(third.address)) }

    func send(_ numbers: ClosedRange<Int>) async throws {
        for number in numbers { try await bob.send("\(number)", to: bobID) }
    }

    func received(_ count: Int) async {
        let aliceID = aliceID
        await alice.wait("messages") { $0.order[aliceID]?.count == count }
        #expect(alice.texts(aliceID) == (1...count).map(String.init))
        #expect(alice.seen.metadata[aliceID]?.map(\.integrity) == Array(repeating: .ok, count: count))
    }

    /// Both routers are rid of all messages.
    func empty() async throws { try await eventually("all is acknowledged") { first.messageCount + third.messageCount == 0 } }

    func close() async { await pair.close() }
}

extension TestParty.Memory {
    /// How often it was told that the queues of a connection are others.
    func queueChanges(_ direction: QueueDirection) -> Int {
        events.count { if case .queuesChanged(direction, _) = $0.event { true } else { false } }
    }
}
