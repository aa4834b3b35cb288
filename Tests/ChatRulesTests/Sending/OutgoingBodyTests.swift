import ChatAPI
import ChatProtocol
import SMPWire
import TestSupport
import Testing

@testable import ChatRules

@Suite("Bodies for many peers")
struct OutgoingBodyTests {
    private func message(_ number: UInt8, bytes: Int = 100, item: Int64? = nil) -> OutgoingMessage {
        OutgoingMessage(
            encoded: Bytes(#"{"event":"x.msg.new","number":\#(number),"text":""#.utf8) + Bytes(repeating: UInt8(ascii: "a"), count: bytes) + Bytes(#""}"#.utf8),
            id: SharedMessageID(Bytes(repeating: number, count: 12)), itemID: item.map { ChatItemID($0) })
    }

    private func connection(version: Int = 16, postQuantum: Bool = false) -> Connection {
        var connection = RuleFixtures.connection(version: version)
        connection.pqSupport = postQuantum
        return connection
    }

    /// A store that numbers the bodies.
    private struct Store {
        var bodies: [Bytes] = []

        mutating func add(_ body: Bytes) -> DeliveryBody {
            bodies.append(body)
            return DeliveryBody(id: Int64(bodies.count), bytes: body)
        }
    }

    @Test("peers with the same version and encryption share the bodies, which are stored once")
    func sharing() throws {
        var encoder = OutgoingBodyEncoder([message(1, item: 7), message(2, item: 8)]), store = Store()
        let first = try encoder.bodies(for: connection()) { store.add($0) }
        #expect(first.count == 1 && first[0].items == [7, 8])
        for version in [9, 16, 17, 19] { #expect(try encoder.bodies(for: connection(version: version)) { store.add($0) }.map(\.stored.id) == [1]) }
        #expect(store.bodies.count == 1)
        _ = try encoder.bodies(for: connection(postQuantum: true)) { store.add($0) }
        #expect(store.bodies.count == 2, "post-quantum keys leave less room")
    }

    @Test("each message has a body of its own where the peer reads no batches, and the items follow it")
    func single() throws {
        var encoder = OutgoingBodyEncoder([message(1, item: 7), message(2), message(3, item: 9)]), store = Store()
        let bodies = try encoder.bodies(for: connection(version: 8)) { store.add($0) }
        #expect(bodies.map(\.items) == [[7], [], [9]])
        #expect(bodies.map(\.stored.bytes) == [message(1).body, message(2).body, message(3).body])
        #expect(try encoder.bodies(for: connection(version: 8), isBatched: true) { store.add($0) }.count == 1, "a group batches from an earlier version on")
        #expect(try encoder.bodies(for: connection(version: 16), isBatched: false) { store.add($0) }.count == 3)
    }

    @Test("a body takes as many messages as fit, in their order, and what fits none is refused")
    func limits() throws {
        var store = Store()
        var encoder = OutgoingBodyEncoder((1...4).map { message($0, bytes: 6_000, item: Int64($0)) })
        let bodies = try encoder.bodies(for: connection()) { store.add($0) }
        #expect(bodies.map(\.items) == [[1, 2], [3, 4]])
        #expect(store.bodies.allSatisfy { $0.count <= ChatLimits.encodedMessage })
        var large = OutgoingBodyEncoder([message(1), message(2, bytes: ChatLimits.encodedMessage)])
        #expect(throws: Refusal.store(.largeMessage)) { _ = try large.bodies(for: connection()) { store.add($0) } }
    }

    @Test("a body that post-quantum keys leave no room for is compressed, and refused if that does not help")
    func compression() throws {
        var store = Store()
        var even = OutgoingBodyEncoder([message(1, bytes: ChatLimits.compressedMessage + 500)])
        let body = try #require(try even.bodies(for: connection(postQuantum: true)) { store.add($0) }.first)
        #expect(body.stored.bytes.count < 1_000)
        var random = SplitMix64(seed: 1)
        let noise = Bytes((0..<ChatLimits.compressedMessage + 1_000).map { _ in UInt8.random(in: 0...255, using: &random) })
        var odd = OutgoingBodyEncoder([OutgoingMessage(encoded: noise, id: SharedMessageID(Bytes(repeating: 1, count: 12)), itemID: nil)])
        #expect(throws: Refusal.self) { _ = try odd.bodies(for: connection(postQuantum: true)) { store.add($0) } }
    }

    @Test("a body that cannot be stored is not taken for stored")
    func failure() throws {
        struct Full: Error {}
        var encoder = OutgoingBodyEncoder([message(1)]), store = Store()
        #expect(throws: Full.self) { try encoder.bodies(for: connection()) { _ in throw Full() } }
        #expect(try encoder.bodies(for: connection()) { store.add($0) }.map(\.stored.id) == [1])
    }
}
