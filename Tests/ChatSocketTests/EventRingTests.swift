import ChatAPI
import Testing

@testable import ChatSocket

@Suite("The ring of recent events") struct EventRingTests {
    private static func event(_ name: String) -> ChatEvent { .hostConnected(protocolName: "smp", transportHost: name) }

    /// The steps for a client that comes back after `number`: the events by their hosts, and the gaps as `lost 7`.
    private func told(_ ring: EventRing, after number: Int64) -> [String] {
        var position = number, told: [String] = []
        while let step = ring.next(after: position) {
            switch step {
            case .event(let number, .hostConnected(_, let host)):
                told.append("\(number) \(host)")
                position = number
            case .event: told.append("another event")
            case .lost(let last):
                told.append("lost \(last)")
                position = last
            }
        }
        return told
    }

    @Test("A client gets what followed the last event that it has")
    func resuming() {
        var ring = EventRing(after: 100, countLimit: 10, byteLimit: 1000)
        #expect(told(ring, after: 100) == [])
        for name in ["a", "b", "c"] { ring.append(Self.event(name), size: 1) }
        #expect(told(ring, after: 100) == ["101 a", "102 b", "103 c"])
        #expect(told(ring, after: 102) == ["103 c"])
        #expect(told(ring, after: 103) == [])
    }

    @Test("Events above the count are lost, and the client is told so")
    func count() {
        var ring = EventRing(after: 0, countLimit: 2, byteLimit: 1000)
        for name in ["a", "b", "c", "d"] { ring.append(Self.event(name), size: 1) }
        #expect(told(ring, after: 1) == ["lost 2", "3 c", "4 d"])
        #expect(told(ring, after: 2) == ["3 c", "4 d"])
    }

    @Test("Events above the size are lost, but never the newest")
    func size() {
        var ring = EventRing(after: 0, countLimit: 100, byteLimit: 10)
        ring.append(Self.event("a"), size: 6)
        ring.append(Self.event("b"), size: 4)
        #expect(told(ring, after: 0) == ["1 a", "2 b"])
        ring.append(Self.event("c"), size: 1)
        #expect(told(ring, after: 1) == ["2 b", "3 c"] && ring.start == 1)
        ring.append(Self.event("d"), size: 50)
        #expect(told(ring, after: 0) == ["lost 3", "4 d"])
    }

    @Test("A number of another process is answered with all that is there", arguments: [3, 99, 104, Int64.max])
    func foreignNumbers(_ number: Int64) {
        var ring = EventRing(after: 100, countLimit: 10, byteLimit: 1000)
        for name in ["a", "b", "c"] { ring.append(Self.event(name), size: 1) }
        #expect(told(ring, after: number) == ["lost 100", "101 a", "102 b", "103 c"])
    }

    @Test("Events that the core has lost are a gap for those behind it")
    func gaps() {
        var ring = EventRing(after: 0, countLimit: 10, byteLimit: 1000)
        ring.append(Self.event("a"), size: 1)
        ring.append(nil, size: 0)
        ring.append(Self.event("b"), size: 1)
        #expect(told(ring, after: 0) == ["1 a", "lost 2", "3 b"])
        #expect(told(ring, after: 2) == ["3 b"])
    }
}
