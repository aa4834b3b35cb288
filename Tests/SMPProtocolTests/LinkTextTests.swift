import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import VectorSupport

/// Links and addresses as people paste them: what is in them survives, in whatever order and form it stands.
@Suite struct LinkTextTests {
    private static let keyText = String(repeating: "A", count: 43)
    private static let hash = KeyHash(Bytes(repeating: 0xFB, count: 32))

    private func shortLink(_ text: String) throws -> ConnectionShortLink { try ConnectionShortLink(wireString: text) }

    /// A number below a bound, from a seed.
    private func number(_ random: SeededRandomSource, below bound: Int) -> Int { Int(random.bytes(1)[0]) % bound }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func aShortLinkOfAnyPartsComesBackFromItsTextAndItsBytes(_ seed: UInt64) throws {
        let random = SeededRandomSource(seed: seed)
        let someHosts: [TransportHost] = [
            .domain("a"), .domain("xn--mnchen-3ya.example"), .domain(String(repeating: "d", count: 255)), .ipv4(0, 0, 0, 0), .ipv4(255, 255, 255, 255),
            .onion(String(repeating: "2", count: 56) + ".onion"),
        ]
        for _ in 0..<60 {
            let hosts = (0...number(random, below: 4)).map { _ in someHosts[number(random, below: someHosts.count)] }
            let port = [nil, 0, 443, 5223, .max][number(random, below: 5)] as UInt16?
            let hash = [KeyHash.none, Self.hash, KeyHash(random.bytes(1)), KeyHash(random.bytes(255))][number(random, below: 4)]
            let server = try #require(SMPServerAddress(hosts: hosts, port: port, keyHash: hash))
            let key = LinkKey(random.bytes(1 + number(random, below: 64)))
            let scheme: ShortLinkScheme = number(random, below: 2) == 0 ? .simplex : .server
            let type = ContactLinkType.allCases[number(random, below: ContactLinkType.allCases.count)]
            for link in [
                ConnectionShortLink.contact(scheme: scheme, type: type, server: server, key: key),
                .invitation(scheme: scheme, server: server, linkID: LinkID(random.bytes(1 + number(random, below: 40))), key: key),
            ] {
                #expect(try ConnectionShortLink(wireString: link.wireString) == link, "seed \(seed): \(link.wireString)")
                #expect(try ConnectionShortLink(wireBytes: link.wireBytes).with(scheme: scheme) == link, "seed \(seed): \(link.wireString)")
                #expect(try ConnectionLink(wireString: link.wireString) == .short(link))
            }
        }
    }

    @Test(arguments: [
        "h=b&p=1&c=_A", "c=_A&p=1&h=b", "x=1&h=b&p=1&c=_A&y", "h=b&h=z&p=1&p=2&c=_A&c=AA", "%68=b&%70=1&%63=_A", "h=%62&p=%31&c=%5FA", "&&h=b&&p=1&c=_A&",
        "h=b&p=1&c=_A%3D%3D", "h=b&p=0001&c=_A",
    ])
    func parametersOfALinkAreReadInAnyOrderAndTheFirstOfRepeatedOnesCounts(_ query: String) throws {
        let link = try shortLink("https://a/g#\(Self.keyText)?\(query)")
        let server = try #require(SMPServerAddress(hosts: [.domain("a"), .domain("b")], port: 1, keyHash: KeyHash([0xFC])))
        #expect(link == .contact(scheme: .server, type: .group, server: server, key: LinkKey(Bytes(repeating: 0, count: 32))))
    }

    @Test(arguments: [
        "p=", "p=-1", "p=65536", "p=1x", "p=1%20", "p=+1", "p=0x1", "p=99999999999999999999", "h=", "h=b,", "h=,b", "h=b;c", "h=b/", "h=b:1", "h=b%2F",
        "h=B.onion",
        "c=", "c=A", "c=!", "c=AAAA=", "c=%00", "p", "h", "c",
    ])
    func aParameterThatIsNotWhollyAValueIsRefused(_ query: String) {
        #expect(throws: WireError.self) { try shortLink("https://a/c#\(Self.keyText)?\(query)") }
        #expect(throws: WireError.self) { try shortLink("https://a/i#AAAA/\(Self.keyText)?\(query)") }
    }

    @Test(arguments: [
        "", "https", "https:/a/c#K", "https://a", "https://a/", "https://a/c", "https://a/c#", "https://a//c#K", "https://a/cc#K", "https://a/c?h=b#K",
        "https://a/c##K",
        "https://a/c#K#", "https://a/c#K/", "https://a/c#K/K", "https://a/c#K ", " https://a/c#K", "https://a/c#K\n", "https://a:443/c#K", "https://u@a/i#K",
        "HTTPS://a/c#K", "http://a/c#K", "simplex://a/c#K?h=a", "simplex:c#K?h=a", "simplex:/c#K", "https://a/i#K", "https://a/i#/K", "https://a/i#K/",
        "https://a/I#K/K", "https://a/i#K/K/K",
        "https://[::1/c#K", "https://,a/c#K", "https://a,b/c#K", "https://a/b#K", "https://a/0#K", "https://a/%63#K", "https://a/c#K&h=b",
    ])
    func aShortLinkInAnotherFormIsRefused(_ form: String) {
        #expect(throws: WireError.self) { try shortLink(form.replacing("K", with: Self.keyText)) }
    }

    /// The recorded link, its query taken apart.
    private func fullLink() throws -> (prefix: String, items: [Substring]) {
        let item = try #require(try Vectors.cases("links", kinds: "connection-request").first { $0.name == "contact simplex:" })
        let text = try item.text("str")
        let parts = text.split(separator: "?", maxSplits: 1)
        return (String(parts[0]), parts[1].split(separator: "&"))
    }

    @Test func parametersOfAFullLinkStandInAnyOrderAndUnknownOnesArePassedOver() throws {
        let (prefix, items) = try fullLink()
        let link = try ConnectionRequestURI(wireString: prefix + "?" + items.joined(separator: "&"))
        let orders: [[Substring]] = [items.reversed(), ["new=1"] + items + ["other"], items + items.map { Substring("\($0.prefix { $0 != "=" })=wrong") }]
        for order in orders { #expect(try ConnectionRequestURI(wireString: prefix + "?" + order.joined(separator: "&")) == link) }
        for left in items.indices {
            var fewer = items
            fewer.remove(at: left)
            #expect(throws: WireError.self, "without \(items[left].prefix(3))") {
                try ConnectionRequestURI(wireString: prefix + "?" + fewer.joined(separator: "&"))
            }
        }
    }

    @Test(arguments: ["v=", "v=2-", "v=-7", "v=7-2", "v=2-7-8", "v=2,7", "v=65536", "v=2%20", "v=2-65536"])
    func versionsOfAFullLinkThatAreNoRangeAreRefused(_ versions: String) throws {
        let (prefix, items) = try fullLink()
        let others = items.filter { !$0.hasPrefix("v=") }
        #expect(throws: WireError.self) { try ConnectionRequestURI(wireString: prefix + "?" + versions + "&" + others.joined(separator: "&")) }
    }

    @Test func aFullLinkHasFrom1To255Queues() throws {
        let (prefix, items) = try fullLink()
        let queue = try #require(items.first { $0.hasPrefix("smp=") }).dropFirst(4)
        func read(_ queues: [Substring]) throws -> ConnectionRequestURI {
            try ConnectionRequestURI(wireString: prefix + "?v=2-7&smp=" + queues.joined(separator: "%3B"))
        }
        for count in [1, 2, 255] {
            let link = try read(Array(repeating: queue, count: count))
            #expect(link.request.queues.count == count)
            #expect(try ConnectionRequestURI(wireBytes: link.wireBytes).request.queues.count == count)
        }
        #expect(throws: WireError.self) { try read(Array(repeating: queue, count: 256)) }
        #expect(throws: WireError.self) { try read([queue, ""]) }
        #expect(throws: WireError.self) { try read([""]) }
    }

    /// Client data is the only free text of a link.
    @Test(arguments: [
        "", " ", "a&b=c#d?e/f+g%h;i", "\u{0}\u{1F}\u{7F}", "é\u{1F469}\u{200D}\u{1F680}", "%41", "{\"a\":[1,\"\\n\"]}", String(repeating: "&", count: 1_000),
    ])
    func anyClientDataComesBackFromTheTextAndTheBytes(_ data: String) throws {
        let (prefix, items) = try fullLink()
        var link = try ConnectionRequestURI(wireString: prefix + "?" + items.joined(separator: "&"))
        var request = link.request
        request.clientData = data
        link = .contact(request)
        #expect(try ConnectionRequestURI(wireString: link.wireString) == link)
        #expect(try ConnectionRequestURI(wireBytes: link.wireBytes) == link)
    }
}
