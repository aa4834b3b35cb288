import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

/// Hosts and addresses of routers in the forms that people type.
@Suite struct AddressTextTests {
    private static let hash = "rarsnwRATKB5LE6boQiLo5bKObzjlLIFCUomY0F4oe0="

    private func server(_ rest: String, hash: String = hash) throws -> SMPServerAddress { try SMPServerAddress(wireString: "smp://\(hash)@\(rest)") }

    @Test(arguments: [
        ("0.0.0.0", TransportHost.ipv4(0, 0, 0, 0)), ("255.255.255.255", .ipv4(255, 255, 255, 255)), ("1.2.3.4", .ipv4(1, 2, 3, 4)),
        ("::", .ipv6(Bytes(repeating: 0, count: 16))), ("[::]", .ipv6(Bytes(repeating: 0, count: 16))),
        ("[FE80::A]", .ipv6([0xFE, 0x80] + Bytes(repeating: 0, count: 13) + [10])),
        ("a.onion", .onion("a.onion")), (".onion", .onion(".onion")), ("localhost", .domain("localhost")), ("a_b", .domain("a_b")),
        ("xn--80ak6aa92e.com", .domain("xn--80ak6aa92e.com")),
        // Not addresses but names, however odd.
        ("1.2.3", .domain("1.2.3")), ("1.2.3.4.5", .domain("1.2.3.4.5")), ("1.2.3.256", .domain("1.2.3.256")), ("1.2.3.-4", .domain("1.2.3.-4")),
        ("onion", .domain("onion")),
        ("a.onion.example", .domain("a.onion.example")), ("1..2.3", .domain("1..2.3")),
    ])
    func aHostIsAnAddressAnOnionServiceOrAName(_ text: String, _ host: TransportHost) throws {
        #expect(try TransportHost(parsing: text) == host)
        #expect(try TransportHost(wireBytes: host.wireBytes) == host)
    }

    @Test(arguments: [
        "[::1]x", "[::1", "[]", "[1.2.3.4]", "[::g]", "[1:2:3:4:5:6:7:8:9]", "A.onion", "a-b.onion", "a.b.onion", "é.onion", "a\tb", "a\rb", "a;b", "a#b",
        "a,b", "a/b",
    ])
    func whatIsNoHostIsRefused(_ text: String) { #expect(throws: WireError.self) { try TransportHost(parsing: text) } }

    @Test(arguments: [255, 256])
    func aNameHasAtMost255Bytes(_ length: Int) throws {
        for name in [String(repeating: "a", count: length), String(repeating: "é", count: length / 2) + String(repeating: "a", count: length % 2)] {
            let host = try? TransportHost(parsing: name)
            #expect((host != nil) == (length <= TransportHost.maximumLength))
            if let host { #expect(try TransportHost(wireBytes: host.wireBytes) == host) }
        }
    }

    @Test(
        arguments: [("h", nil), ("h:0", 0), ("h:5223", 5223), ("h:65535", .max), ("h:00443", 443), ("[::1]:443", 443), ("h,[::1]:1", 1)] as [(String, UInt16?)])
    func thePortStandsBehindTheLastHost(_ text: String, _ port: UInt16?) throws { #expect(try server(text).port == port) }

    @Test(arguments: ["", ":1", "h:", "h: 1", "h:-1", "h:+1", "h:1:2", "h:1,g", "h:1/", "h,", ",h", "h,,g", "h g", "h#a"])
    func anAddressInAnotherFormIsRefused(_ rest: String) { #expect(throws: WireError.self) { try server(rest) } }

    @Test(arguments: ["", "=", "A", "AB", "AAAA=", "AAA!", "+AAA", "/AAA"])
    func aFingerprintThatIsNoBase64IsRefused(_ hash: String) { #expect(throws: WireError.self) { try server("h", hash: hash) } }

    @Test func fingerprintsAreReadUpTo255Bytes() throws {
        for (count, isRead) in [(1, true), (32, true), (255, true), (256, false)] {
            let hash = Base64URL.encode(Bytes(repeating: 0x5A, count: count))
            #expect(((try? server("h", hash: hash)) != nil) == isRead, "\(count)")
        }
    }

    @Test func anAddressHasFrom1To255Hosts() throws {
        for (count, isRead) in [(1, true), (255, true), (256, false)] {
            let hosts = (0..<count).map { "h\($0)" }
            let read = try? server(hosts.joined(separator: ","))
            #expect((read != nil) == isRead)
            #expect(read?.hosts.map(\.description) ?? hosts == hosts)
            if let read { #expect(try SMPServerAddress(wireBytes: read.wireBytes) == read) }
        }
        #expect(SMPServerAddress(hosts: [], keyHash: .none) == nil)
    }

    @Test(arguments: ["a", "!\"#$%&'()*+,-.;<=>?[\\]^_`{|}~", String(repeating: "p", count: 255)])
    func aPasswordOfPrintableCharactersComesBack(_ password: String) throws {
        let text = "smp://\(Self.hash):\(password)@h:1"
        let read = try SMPServerWithAuth(wireString: text)
        #expect(read.basicAuth?.bytes == Bytes(password.utf8) && read.server.port == 1)
        #expect(read.wireString == text)
        // A password is never part of what is shown of an address, nor of an address that others are given.
        #expect(!read.server.wireString.contains(password) || password.count == 1)
        #expect(throws: WireError.self) { try SMPServerAddress(wireString: text) }
    }

    @Test(arguments: ["", "a b", "a:b", "a/b", "\u{7F}", "\u{1F}", "é", String(repeating: "p", count: 256)])
    func aPasswordOfOtherCharactersIsRefused(_ password: String) {
        #expect(throws: WireError.self) { try SMPServerWithAuth(wireString: "smp://\(Self.hash):\(password)@h") }
        #expect(BasicAuth(Bytes(password.utf8)) == nil || password.isEmpty)
    }

    @Test(arguments: ["smp", "xftp", "ntf"])
    func anAddressOfOneKindOfServerIsNotTakenForAnother(_ scheme: String) {
        let text = "\(scheme)://\(Self.hash)@h"
        #expect(((try? SMPServerAddress(wireString: text)) != nil) == (scheme == "smp"))
        #expect(((try? XFTPServerAddress(wireString: text)) != nil) == (scheme == "xftp"))
        #expect(((try? NotificationServerAddress(wireString: text)) != nil) == (scheme == "ntf"))
    }

    @Test func portsInTheBinaryFormAreNumbersOf16BitsOrNothing() throws {
        let host = TransportHost.domain("h")
        func bytes(_ port: String) -> Bytes { [1] + host.wireBytes + ShortBytes(Bytes(port.utf8)).wireBytes + KeyHash([1]).wireBytes }
        for (text, port) in [("", nil), ("0", 0), ("00443", 443), ("65535", UInt16.max)] as [(String, UInt16?)] {
            #expect(try SMPServerAddress(wireBytes: bytes(text)).port == port)
        }
        for text in ["65536", "-1", "+1", "+443", "-0", "+", "1_0", "٣", " 1", "1 ", "0x1", "é", "1\0"] {
            #expect(throws: WireError.self, "\(text)") { try SMPServerAddress(wireBytes: bytes(text)) }
        }
    }
}
