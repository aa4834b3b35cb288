import SMPProtocol
import Testing

@testable import SMPClient

/// Whether a router has subscribed all queues of a service, by what it counts.
@Suite("The queues that a router has too much")
struct ServiceSurplusTests {
    private let a = queueID(1), b = queueID(2), x = queueID(3), y = queueID(4)
    private var surplus = ServiceSurplus()

    private func complete(_ counted: [RecipientID], _ ours: [RecipientID], _ connection: Int?) -> (inout ServiceSurplus) -> Bool {
        { $0.isComplete(ServiceQueues(counted), for: ours, in: connection) }
    }

    @Test("Count once each of ours has been subscribed to by itself in the same connection")
    func confirmed() {
        var surplus = surplus
        #expect(!complete([a, b, x], [a, b], 1)(&surplus))
        surplus.confirm([a], in: 1)
        #expect(surplus.known == .none)
        surplus.confirm([b], in: 1)
        #expect(surplus.known == ServiceQueues([x]))
        #expect(complete([a, b, x], [a, b], 2)(&surplus))
        #expect(complete([a, b], [a, b], 3)(&surplus), "the other is gone")
        #expect(complete([b, x], [b], 4)(&surplus), "one of ours is gone on both sides")
        #expect(!complete([a, x], [a, b], 5)(&surplus), "one of ours is gone on the other side")
    }

    @Test("Are forgotten with the connection in which they were counted")
    func interrupted() {
        for confirmed in [[], [a]] as [[RecipientID]] {
            var surplus = surplus
            // The router lacks one of ours, and has two others.
            #expect(!complete([a, x, y], [a, b], 1)(&surplus))
            surplus.confirm(confirmed, in: 1)
            #expect(!complete([a, x, y], [a, b], 2)(&surplus), "the same count is no better than before")
            // What comes late belongs to another count.
            surplus.confirm([a, b], in: 1)
            #expect(surplus.known == .none)
            surplus.confirm([a, b], in: 2)
            #expect(!complete([a, b, x, y], [a, b], 3)(&surplus))
            surplus.confirm([a, b], in: 3)
            #expect(complete([a, b, x, y], [a, b], 4)(&surplus))
        }
    }

    @Test("Do not count if the connection ended before the answer was read, and need no queue that is gone")
    func ended() {
        var surplus = surplus
        #expect(!complete([a, x], [a], nil)(&surplus))
        surplus.confirm([a], in: 1)
        #expect(surplus.known == .none)
        #expect(!complete([a, x], [a, b], 2)(&surplus), "as many, but others")
        surplus.confirm([a, b], in: 2)
        #expect(surplus.known == .none)
        #expect(!complete([a, b, x], [a, b], 3)(&surplus))
        surplus.confirm([a], in: 3)
        surplus.forget([b])
        #expect(surplus.known == ServiceQueues([x]))
    }
}
