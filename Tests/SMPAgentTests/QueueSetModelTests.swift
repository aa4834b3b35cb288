import SMPCrypto
import SMPProtocol
import SMPWire
import TestSupport
import Testing

@testable import SMPAgent

/// Rules that hold for the queues that we send to, whatever the peer says about them and in whatever order.
@Suite struct QueueSetModelTests {
    private static func faults(_ state: ConnectionState) -> [String] {
        let queues = state.sendQueues, places = queues.compactMap(\.replaces)
        let rules: [(String, Bool)] = [
            ("one is the primary queue", queues.count(where: \.isPrimary) == 1), ("the primary queue is first", queues[0].isPrimary),
            ("it takes the place of none", queues[0].replaces == nil),
            ("no more are used than the limit", queues.count { $0.replaces == nil } <= AgentLimits.maximumQueues),
            ("no more are offered than the limit", places.count <= AgentLimits.maximumReplacements),
            ("no queue is there twice", Set(queues.map(\.row)).count == queues.count && Set(queues.map(\.address)).count == queues.count),
            ("one takes the place of one", Set(places).count == places.count),
            ("whose place is taken is there", places.allSatisfy { state.sendQueue($0) != nil }),
            ("messages go to queues that are there", Set(state.deliveryQueues).isSubset(of: queues.map(\.row))),
            ("messages go to the primary queue first", state.deliveryQueues.first == queues[0].row),
        ]
        return rules.filter { !$0.1 }.map(\.0)
    }

    @Test(arguments: 1...40) func `Whatever is offered, used, tested and lost, there is one primary queue and no more than the limit`(seed: UInt64) throws {
        let fixture = try QueueSetFixture(seed: seed)
        var random = SplitMix64(seed: seed)
        var state = fixture.state(receive: [try fixture.receiveQueue(1, primary: true)], send: [try fixture.sendQueue(10, primary: true)])
        var next: RowID = 11
        for step in 0..<200 {
            var transition = Transition(state)
            var name = "\(seed)/\(step) "
            /// A queue that is there, or one that is not.
            func known() -> QueueAddress {
                Int.random(in: 0..<10, using: &random) == 0
                    ? fixture.address(9) : state.sendQueues[Int.random(in: 0..<state.sendQueues.count, using: &random)].address
            }
            do throws(AgentError) {
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    let offers = (0...Int.random(in: 0...1, using: &random)).map { _ in
                        next += 1
                        return fixture.offer(next % 250, replacing: Int.random(in: 0..<3, using: &random) == 0 ? nil : known())
                    }
                    name += "QADD \(offers.map { $0.replaced?.senderID.description ?? "-" })"
                    try transition.receiveQueueAdd(offers, fixture.context)
                case 2, 3:
                    name += "QUSE"
                    try transition.receiveQueueUse(
                        (0...Int.random(in: 0...1, using: &random)).map { _ in QueueUse(queue: known(), isPrimary: true) }, fixture.context)
                case 4:
                    let queue = state.sendQueues[Int.random(in: 0..<state.sendQueues.count, using: &random)]
                    name += "QTEST is in \(queue.address.senderID)"
                    if queue.isActive { transition.delivered(fixture.message(.queueTest), to: queue.row, fixture.context) }
                default:
                    let row = state.sendQueues[Int.random(in: 0..<state.sendQueues.count, using: &random)].row
                    name += "gone: \(row)"
                    if transition.isDispensable(row) { transition.leave(sendQueue: row, because: .peer(.message)) }
                }
            } catch {
                Issue.record("\(name): \(error)")
            }
            state = transition.state
            let faults = Self.faults(state)
            #expect(faults == [], "\(name)")
            if !faults.isEmpty { return }
        }
    }
}
