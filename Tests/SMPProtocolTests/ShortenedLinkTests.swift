import SMPProtocol
import SMPWire
import Testing

/// Which links lose the address of their router, and which routers may give it back.
@Suite struct ShortenedLinkTests {
    private static let hash = KeyHash(Bytes(repeating: 1, count: 32))
    private static let other = KeyHash(Bytes(repeating: 2, count: 32))
    private static let (a, b, onion) = (TransportHost.domain("a.example"), TransportHost.domain("b.example"), TransportHost.onion("c.onion"))

    private static func server(_ hosts: [TransportHost], _ port: UInt16? = nil, _ hash: KeyHash = hash) -> SMPServerAddress? {
        SMPServerAddress(hosts: hosts, port: port, keyHash: hash)
    }

    private static func link(_ server: SMPServerAddress) -> ConnectionShortLink {
        .contact(scheme: .server, type: .contact, server: server, key: LinkKey([1, 2, 3]))
    }

    /// The router of a link, and whether it is left out for clients that come with the routers `a`, with an onion service, and `b`, on a port.
    struct Case: Sendable, CustomStringConvertible {
        let server: SMPServerAddress?
        let isShortened: Bool
        var description: String { server?.description ?? "none" }
    }

    static let cases: [Case] = [
        Case(server: server([a, onion]), isShortened: true), Case(server: server([a]), isShortened: true),
        Case(server: server([a, onion], 443), isShortened: true), Case(server: server([a, onion], 5223), isShortened: true),
        Case(server: server([a, onion], 5224), isShortened: false), Case(server: server([a, onion], 0), isShortened: false),
        Case(server: server([a, onion], nil, other), isShortened: false), Case(server: server([a, b]), isShortened: false),
        Case(server: server([a, onion, b]), isShortened: false), Case(server: server([onion, a]), isShortened: false),
        Case(server: server([b], 7000), isShortened: true), Case(server: server([b]), isShortened: false),
        Case(server: server([b], 443), isShortened: false), Case(server: server([.domain("A.example")]), isShortened: false),
        Case(server: server([.domain("elsewhere.example")]), isShortened: false),
    ]

    private func known() throws -> [SMPServerAddress] {
        [try #require(Self.server([Self.a, Self.onion])), try #require(Self.server([Self.b], 7000))]
    }

    @Test(arguments: cases) func aRouterThatClientsComeWithIsLeftOutAndNoOther(_ item: Case) throws {
        let (link, known) = (Self.link(try #require(item.server)), try known())
        let short = link.shortened(for: known)
        #expect(short == (item.isShortened ? Self.link(SMPServerAddress(host: link.server.hosts[0], keyHash: .none)) : link))
        // Whoever opens it finds the router that it is on.
        let restored = short.restored(for: known)
        #expect(restored.server.keyHash == link.server.keyHash && restored.server.hosts[0] == link.server.hosts[0])
        #expect(Set(restored.server.hosts).isSuperset(of: link.server.hosts))
        #expect(link.shortened(for: []) == link)
    }

    @Test func aLinkThatNamesMoreThanAHostIsNotChanged() throws {
        let known = try known()
        for server in [
            Self.server([Self.a], nil, Self.other), Self.server([Self.a], 443, .none), Self.server([Self.a, Self.b], nil, .none),
            Self.server([.domain("elsewhere.example")], nil, .none),
        ] {
            let link = Self.link(try #require(server))
            #expect(link.restored(for: known) == link)
        }
    }

    @Test func aContactIsTheSameWhateverTheSchemeAndTheFingerprint() throws {
        let server = try #require(Self.server([Self.a], 443)), key = LinkKey([1, 2, 3])
        let link = Self.link(server)
        let onOtherPort = try #require(Self.server([Self.a], 444)), onOtherHost = try #require(Self.server([Self.b], 443))
        let untrusted = try #require(Self.server([Self.a], 443, Self.other))
        for (other, isSame) in [
            (link, true), (link.with(scheme: .simplex), true), (link.with(server: untrusted), true), (link.with(server: onOtherPort), false),
            (link.with(server: onOtherHost), false), (.contact(scheme: .server, type: .group, server: server, key: key), false),
            (.contact(scheme: .server, type: .contact, server: server, key: LinkKey([1, 2])), false),
            (.invitation(scheme: .server, server: server, linkID: LinkID([1]), key: key), false),
        ] as [(ConnectionShortLink, Bool)] {
            #expect(link.isSameContact(as: other) == isSame && other.isSameContact(as: link) == isSame, "\(other)")
        }
        let invitation = ConnectionShortLink.invitation(scheme: .server, server: server, linkID: LinkID([1]), key: key)
        #expect(!invitation.isSameContact(as: invitation))
    }
}
