import SMPProtocol
import SMPWire
import Testing

@testable import SMPAgent

/// Of which connections a queue's subscription decides whether they can be reached.
@Suite struct SubscriptionRegistryTests {
    private let registry = SubscriptionRegistry()
    private let connection = ConnectionID([1])
    private let first = Self.key("one", 1)
    private let second = Self.key("two", 2)

    private static func key(_ router: String, _ number: UInt8) -> QueueKey {
        QueueKey(
            server: SMPServerAddress(host: .domain("\(router).example"), keyHash: KeyHash(Bytes(repeating: 1, count: 32))),
            recipientID: EntityID([number]))
    }

    private func add(_ key: QueueKey, row: RowID, to connection: ConnectionID? = nil, _ status: AgentSubscriptionStatus = .pending, carries: Bool = true) {
        registry.set(key, .init(connection: connection ?? self.connection, row: row, user: 1, status: status, carries: carries))
    }

    private func told(_ status: AgentSubscriptionStatus, of keys: QueueKey...) -> [ConnectionID] {
        var told: [ConnectionID] = []
        registry.change(status, of: keys) { told += $0 }
        return told
    }

    @Test func `A connection is told of with the first of its queues that comes and with the last that goes`() {
        add(first, row: 1)
        add(second, row: 2)
        #expect(told(.active, of: second) == [connection])
        #expect(told(.pending, of: first) == [])
        #expect(told(.active, of: first) == [])
        #expect(told(.pending, of: second) == [])
        #expect(told(.pending, of: first) == [connection])
    }

    @Test func `Queues of one router that come or go together are told of once`() {
        add(first, row: 1)
        add(second, row: 2)
        #expect(told(.active, of: first, second) == [connection])
        #expect(told(.pending, of: first, second) == [connection])
    }

    @Test func `A queue that the peer does not use changes nothing`() {
        add(first, row: 1, .active)
        add(second, row: 2, .active, carries: false)
        #expect(told(.pending, of: second) == [])
        #expect(told(.active, of: second) == [])
        #expect(told(.pending, of: first) == [connection])
        #expect(told(.active, of: second) == [])
        #expect(registry.isDependent(on: first))
        #expect(!registry.isDependent(on: second))
    }

    @Test func `What is removed counts no longer, and of each connection its own queues count`() {
        let other = ConnectionID([2])
        add(first, row: 1, .active)
        add(second, row: 2, to: other, .active)
        #expect(told(.pending, of: first, second) == [connection, other])
        add(second, row: 3, .active)
        #expect(told(.active, of: first) == [])
        registry.remove(second)
        #expect(told(.active, of: first) == [connection])
        #expect(told(.pending, of: second) == [])
    }
}
