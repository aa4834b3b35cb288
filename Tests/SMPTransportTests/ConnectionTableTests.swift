import SMPWire
import Testing

@testable import SMPTransport

/// Which connections a listener takes.
@Suite struct ConnectionTableTests {
    private func prefix(_ text: String) throws -> NetworkPrefix? { try #require(IPAddress(parsing: text)).limitedPrefix }

    private func table(connections: Int = 100, perAddress: Int? = nil, handshakes: Int = 100) -> ConnectionTable<Int> {
        ConnectionTable(.init(connections: connections, connectionsPerAddress: perAddress, handshakes: handshakes))
    }

    @Test func oneAddressHasNoMoreConnectionsThanItsShareAndOthersHaveTheirs() throws {
        var table = table(perAddress: 2)
        let (first, second) = (try prefix("192.0.2.1"), try prefix("192.0.2.2"))
        for id in 0..<2 {
            #expect(table.add(id, from: first, at: 0) == .accept)
            table.finishHandshake(id)
        }
        #expect(table.add(2, from: first, at: 0) == .refuse)
        #expect(table.add(3, from: second, at: 0) == .accept)
        table.remove(0)
        #expect(table.add(4, from: first, at: 60_000_000_000) == .accept)
        #expect(table.count == 3)
    }

    @Test func addressesOfOneNetworkOfIPv6AreOne() throws {
        var table = table(perAddress: 1)
        #expect(table.add(1, from: try prefix("2001:db8:1:2::1"), at: 0) == .accept)
        #expect(table.add(2, from: try prefix("2001:db8:1:2:ffff::9"), at: 0) == .refuse)
        #expect(table.add(3, from: try prefix("2001:db8:1:3::1"), at: 0) == .accept)
        #expect(table.add(4, from: try prefix("::ffff:192.0.2.1"), at: 0) == .accept)
        #expect(table.add(5, from: try prefix("192.0.2.1"), at: 0) == .refuse)
    }

    @Test func thisMachineItselfIsBoundedByTheTotalOnly() throws {
        var table = table(connections: 50, perAddress: 1, handshakes: 1_000)
        #expect(try prefix("127.0.0.1") == nil && prefix("::1") == nil && prefix("::ffff:127.0.0.1") == nil)
        for id in 0..<50 { #expect(table.add(id, from: nil, at: 0) == .accept) }
        #expect(table.add(50, from: nil, at: 0) == .refuse)
    }

    @Test func whoSaysNothingMakesRoomForWhoComesNext() throws {
        var table = table(handshakes: 16)
        for id in 0..<16 { #expect(table.add(id, from: try prefix("192.0.2.\(id)"), at: 0) == .accept) }
        // Who has shaken hands stays.
        table.finishHandshake(0)
        #expect(table.add(16, from: try prefix("192.0.2.16"), at: 0) == .accept)
        #expect(table.add(17, from: try prefix("192.0.2.17"), at: 0) == .acceptInsteadOf(1))
        #expect(table.add(18, from: try prefix("192.0.2.18"), at: 0) == .acceptInsteadOf(2))
        #expect(table.handshakeCount == 16 && table.count == 17)
        // The place of one that was closed is given back once.
        table.remove(1)
        #expect(table.count == 17)
    }

    @Test func oneAddressHasAnEighthOfTheHandshakes() throws {
        var table = table(handshakes: 16)
        let one = try prefix("192.0.2.1")
        #expect(table.add(1, from: one, at: 0) == .accept && table.add(2, from: one, at: 0) == .accept && table.add(3, from: one, at: 0) == .refuse)
        table.finishHandshake(1)
        #expect(table.add(4, from: one, at: 0) == .accept)
        table.remove(2)
        table.remove(2)
        #expect(table.add(5, from: one, at: 0) == .accept && table.add(6, from: one, at: 0) == .refuse)
    }

    @Test func oneAddressMakesSoManyConnectionsInAMinuteHoweverSoonItClosesThem() throws {
        var table = table(perAddress: 6)
        let (one, other) = (try prefix("192.0.2.1"), try prefix("192.0.2.2"))
        let minute: Int64 = 60_000_000_000
        /// Connects, shakes hands and leaves.
        func visit(_ prefix: NetworkPrefix?, at now: Int64) -> Bool {
            guard table.add(1, from: prefix, at: now) == .accept else { return false }
            table.finishHandshake(1)
            table.remove(1)
            return true
        }
        for _ in 0..<6 { #expect(visit(one, at: 0)) }
        #expect(!visit(one, at: 0) && visit(other, at: 0) && table.count == 0)
        // One comes back in a sixth of a minute, and what was refused does not count.
        #expect(!visit(one, at: minute / 6 - 1) && visit(one, at: minute / 6) && !visit(one, at: minute / 6))
        for _ in 0..<6 { #expect(visit(one, at: 2 * minute)) }
        #expect(!visit(one, at: 2 * minute))
        for _ in 0..<1_000 { #expect(visit(nil, at: 0)) }
        var open = self.table()
        for id in 0..<100 {
            #expect(open.add(id, from: one, at: 0) == .accept)
            open.finishHandshake(id)
        }
    }

    @Test(arguments: [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.0.9", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8",
        "192.168.0.1", "198.18.0.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fec0::1", "fc00::1",
        "fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::10.0.0.1",
        "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:c0a8:1::1", "2001:db8::1", "2001::1", "3fff::1", "4000::1",
    ])
    func anAddressThatTheInternetDoesNotReachIsNotPublic(_ text: String) throws {
        #expect(try #require(IPAddress(parsing: text)).isPublic == false)
    }

    @Test(arguments: [
        "1.1.1.1", "100.63.255.255", "100.128.0.1", "126.1.1.1", "172.15.0.1", "172.32.0.1", "192.167.0.1", "198.20.0.1", "223.255.255.1",
        "2606:4700::1111", "2a00:1450::1", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "2002:101:101::1", "2001:4860::8888",
    ])
    func anAddressOfTheInternetIsPublic(_ text: String) throws {
        #expect(try #require(IPAddress(parsing: text)).isPublic)
    }

    @Test func aNameIsNoAddress() {
        for text in ["localhost", "1.2.3", "1.2.3.4.5", "", "0x7f.1", "::1::"] { #expect(IPAddress(parsing: text) == nil) }
        #expect(IPAddress(Bytes(repeating: 0, count: 5)) == nil)
        #expect(IPAddress(parsing: "fe80::1%eth0")?.description == "fe80::1")
    }
}
