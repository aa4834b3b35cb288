import Foundation
import SMPProtocol
import SMPWire
import Testing

/// Every error of a router in its three forms: on the wire, as text and as JSON.
@Suite struct ErrorGrammarTests {
    private static let transport: [TransportError] =
        [.badBlock, .version, .largeMessage, .badSession, .noServerAuth] + HandshakeError.allCases.map { .handshake($0) }
    private static let network: [NetworkError] = [.connect("a b"), .tls(""), .unknownCA, .failed, .timeout, .subscribe("é")]
    private static let brokers: [BrokerErrorType] =
        [.response("r"), .unexpected("u v"), .host, .noService, .timeout] + transport.map { .transport($0) }
    private static let blocks: [BlockingInfo] = BlockingInfo.Reason.allCases.flatMap { reason in
        [nil, ClientNotice(), ClientNotice(ttl: 0), ClientNotice(ttl: .max), ClientNotice(ttl: .min)].map { BlockingInfo(reason: reason, notice: $0) }
    }
    private static let plain: [SMPErrorType] =
        [.block, .session, .auth, .service, .crypto, .quota, .noMessage, .largeMessage, .expired, .internal, .duplicate, .store("a b c")]
        + [.noResolver, .notFound, .resolver(""), .resolver("HTTP 502 \u{e9}")].map { .name($0) }
        + SMPCommandError.allCases.map { .command($0) } + blocks.map { .blocked($0) }

    static let errors: [SMPErrorType] =
        plain + brokers.map { .proxy(.broker($0)) } + plain.map { .proxy(.protocol($0)) }
        + [.proxy(.basicAuth), .proxy(.noSession), .proxy(.protocol(.proxy(.protocol(.proxy(.broker(.response("deep")))))))]

    @Test func everyErrorComesBackFromEveryForm() throws {
        var wires: Set<Bytes> = [], texts: Set<String> = []
        for error in Self.errors {
            #expect(try SMPErrorType(wireBytes: error.wireBytes) == error)
            #expect(try SMPErrorType(wireString: error.wireString) == error)
            #expect(try JSONDecoder().decode(SMPErrorType.self, from: try JSONEncoder().encode(error)) == error)
            wires.insert(error.wireBytes)
            texts.insert(error.wireString)
        }
        #expect(wires.count == Self.errors.count && texts.count == Self.errors.count, "no two errors look the same")
    }

    /// Of a network error only that it is one is sent; whoever reads knows all of them.
    @Test func networkErrorsAreReadWithTheirDetailAndSentWithout() throws {
        for error in Self.network {
            let broker = BrokerErrorType.network(error)
            #expect(try SMPErrorType(wireBytes: SMPErrorType.proxy(.broker(broker)).wireBytes) == .proxy(.broker(.network(.failed))))
            #expect(try JSONDecoder().decode(BrokerErrorType.self, from: try JSONEncoder().encode(broker)) == broker)
        }
        let details: [(String, NetworkError)] = [
            ("CONNECT a b", .connect("a b")), ("TLS x", .tls("x")), ("UNKNOWNCA", .unknownCA), ("FAILED", .failed), ("TIMEOUT", .timeout),
            ("SUBSCRIBE s", .subscribe("s")),
        ]
        for (text, error) in details { #expect(try BrokerErrorType(wireString: "NETWORK " + text) == .network(error)) }
    }

    @Test(arguments: [
        "", " ", "auth", "AUTH ", "AUTH x", "CMD", "CMD ", "CMD  SYNTAX", "CMD syntax", "CMD SYNTAX ", "PROXY", "PROXY ", "PROXY AUTH", "PROXY PROTOCOL",
        "PROXY PROTOCOL ", "PROXY PROTOCOL X",
        "PROXY BROKER", "PROXY BROKER X", "PROXY BROKER NETWORK ", "PROXY BROKER NETWORK X", "PROXY BROKER TRANSPORT", "PROXY BROKER TRANSPORT X",
        "PROXY BROKER TRANSPORT HANDSHAKE",
        "PROXY BROKER TRANSPORT HANDSHAKE X", "PROXY BROKER RESPONSE", "PROXY NO_SESSION x", "STORE", "BLOCKED", "BLOCKED ", "BLOCKED spam", "BLOCKED reason=",
        "BLOCKED reason=Spam",
        "BLOCKED reason=spam,", "BLOCKED reason=spam,x=1", "BLOCKED reason=spam,notice=", "BLOCKED reason=spam,notice=[]", "BLOCKED reason=spam,notice={",
        "BLOCKED reason=spam,notice={\"ttl\":\"1\"}",
        "BLOCKED reason=spam,notice={\"ttl\":1.5}", "BLOCKED reason=spam,notice={\"ttl\":9223372036854775808}", "DUPLICATE", "QUOTA\n", "NAME", "NAME ",
        "NAME X", "NAME NO_RESOLVER ", "NAME NOT_FOUND x",
        "NAME RESOLVER", "NAME RESOLVE x", "PROXY NAME NOT_FOUND",
    ])
    func aTextThatIsNoErrorIsRefused(_ text: String) { #expect(throws: WireError.self) { try SMPErrorType(wireString: text) } }

    /// How deep errors of proxies may be inside each other.
    @Test(arguments: [(0, true), (1, true), (8, true), (9, false), (50, false)])
    func errorsOfProxiesNestUpToALimit(_ depth: Int, _ isRead: Bool) {
        let text = String(repeating: "PROXY PROTOCOL ", count: depth) + "AUTH"
        #expect(((try? SMPErrorType(wireString: text)) != nil) == isRead)
        #expect(((try? SMPErrorType(wireBytes: Bytes(text.utf8))) != nil) == isRead)
    }

    /// Free text on the wire has a length of one byte.
    @Test(arguments: [0, 1, 254, 255, 256, 300])
    func freeTextIsCutAtItsLimitInWholeCharacters(_ length: Int) throws {
        for unit in ["a", "é", "\u{1F680}"] {
            let text = String(repeating: unit, count: length)
            for error in [SMPErrorType.proxy(.broker(.response(text))), .proxy(.broker(.unexpected(text)))] {
                guard case .proxy(.broker(let broker)) = try SMPErrorType(wireBytes: error.wireBytes) else { continue }
                let expected = String(repeating: unit, count: min(length, 255 / unit.utf8.count))
                #expect(broker == .response(expected) || broker == .unexpected(expected))
            }
        }
    }

    @Test func freeTextThatIsCutOffOrNoTextIsReadAsFarAsItGoes() throws {
        let prefix = Bytes("PROXY BROKER RESPONSE ".utf8)
        for (length, body) in [(2, [0x61]), (255, []), (1, [])] as [(UInt8, Bytes)] {
            #expect(throws: WireError.self) { try SMPErrorType(wireBytes: prefix + [length] + body) }
        }
        #expect(throws: WireError.self) { try SMPErrorType(wireBytes: prefix + [1, 0x61, 0x62]) }
        // What is no UTF-8 becomes longer, and can still be written.
        let error = try SMPErrorType(wireBytes: prefix + [255] + Bytes(repeating: 0xFF, count: 255))
        #expect(try SMPErrorType(wireBytes: error.wireBytes) == error)
    }

    @Test(arguments: [
        "{}", "[]", "\"AUTH\"", "{\"type\":1}", "{\"type\":\"CMD\"}", "{\"type\":\"CMD\",\"cmdErr\":{\"type\":\"X\"}}", "{\"type\":\"X\"}",
        "{\"type\":\"PROXY\"}",
        "{\"type\":\"NAME\"}", "{\"type\":\"NAME\",\"nameErr\":{\"type\":\"X\"}}", "{\"type\":\"NAME\",\"nameErr\":{\"type\":\"RESOLVER\"}}",
        "{\"type\":\"PROXY\",\"proxyErr\":{\"type\":\"BROKER\"}}", "{\"type\":\"PROXY\",\"proxyErr\":{\"type\":\"X\"}}", "{\"type\":\"STORE\"}",
        "{\"type\":\"BLOCKED\"}",
        "{\"type\":\"BLOCKED\",\"blockInfo\":{\"reason\":\"x\"}}",
        "{\"type\":\"PROXY\",\"proxyErr\":{\"type\":\"BROKER\",\"brokerErr\":{\"type\":\"TRANSPORT\",\"transportErr\":{\"type\":\"handshake\"}}}}",
    ])
    func jsonThatIsNoErrorIsRefused(_ json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(SMPErrorType.self, from: Data(json.utf8)) }
    }

    @Test(arguments: (6...20) as ClosedRange<UInt16>)
    func aBlockIsToldAsAVersionKnowsIt(_ version: UInt16) {
        for info in Self.blocks {
            let expected: SMPErrorType = version < 12 ? .auth : version < 18 ? .blocked(BlockingInfo(reason: info.reason)) : .blocked(info)
            #expect(SMPErrorType.blocked(info).adapted(to: version) == expected)
        }
        for error in Self.errors { if case .blocked = error { continue } else { #expect(error.adapted(to: version) == error) } }
    }
}
