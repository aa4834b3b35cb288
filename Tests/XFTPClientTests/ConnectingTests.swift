import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import XFTPClient
import XFTPProtocol
import XFTPTransport

/// The handshake of a client with routers that do it wrong, and the choice among their hosts.
@Suite struct ConnectingTests {
    private static let answering: ScriptedFileRouter.Script = { request, _, outbound in
        try await outbound.send(try request.block(.pong, entity: EntityID.none), isEnd: true)
    }

    /// The error of connecting to a router whose handshake is this.
    private static func error(_ handshake: ScriptedFileRouter.Handshake) async throws -> XFTPClientError? {
        let router = try await ScriptedFileRouter.start(handshake: handshake, answering)
        let error = await clientError { try await XFTPConnector().connect(try router.address()).close() }
        // The client leaves: nothing else ends the connection.
        if error != nil { for await _ in router.firstEnd { break } }
        await router.stop()
        return error
    }

    /// A change of a router's hello, and the error that it gives.
    struct Change: Sendable, CustomStringConvertible {
        let description: String
        let error: TransportError
        let change: @Sendable (inout XFTPServerHello) throws -> Void
    }

    static let changes: [Change] = [
        Change(description: "the id of another session", error: .badSession) { $0.sessionID[31] ^= 1 },
        Change(description: "no id of a session", error: .badSession) { $0.sessionID = [] },
        Change(description: "later versions", error: .version) { $0.versions = VersionRange(4...9) },
        Change(description: "the certificate of the identity alone", error: .handshake(.badAuth)) {
            $0.key = CertifiedKey(certificateChain: [$0.key.certificateChain[1]], signedKey: $0.key.signedKey)
        },
        Change(description: "a third certificate", error: .handshake(.badAuth)) {
            $0.key = CertifiedKey(certificateChain: $0.key.certificateChain + [$0.key.certificateChain[1]], signedKey: $0.key.signedKey)
        },
        Change(description: "the certificates in the other order", error: .handshake(.badAuth)) {
            $0.key = CertifiedKey(certificateChain: $0.key.certificateChain.reversed(), signedKey: $0.key.signedKey)
        },
        Change(description: "a key that another has signed", error: .handshake(.badAuth)) {
            let random = SystemRandomSource()
            let other = PrivateAuthKey.ed25519(Ed25519.generateKeyPair(random).privateKey)
            let key = CertifiedKey(
                certificateChain: $0.key.certificateChain, signing: X25519.generateKeyPair(random).publicKey.spki, with: other)
            if let key { $0.key = key }
        },
        Change(description: "no signed key", error: .handshake(.badAuth)) {
            $0.key = CertifiedKey(certificateChain: $0.key.certificateChain, signedKey: [])
        },
    ]

    @Test(arguments: changes) func aRouterWhoseHelloIsNotItsOwnIsLeft(_ item: Change) async throws {
        let error = try await Self.error(
            .init(hello: { block in
                var hello = try XFTPServerHello(wireBytes: try XFTPBlock.unpad(block))
                try item.change(&hello)
                return try XFTPBlock.pad(hello.wireBytes)
            }))
        #expect(error?.code == .transport(item.error))
        #expect(error?.isTemporary == false && error?.endsSession == true)
    }

    @Test(arguments: [0, 1, 16_383]) func aHelloThatIsCutOffIsABadBlock(_ count: Int) async throws {
        let error = try await Self.error(.init(hello: { Bytes($0.prefix(count)) }))
        #expect(error?.code == .transport(.badBlock))
    }

    @Test func aHelloOfNothingCannotBeRead() async throws {
        let error = try await Self.error(.init(hello: { _ in try XFTPBlock.pad([]) }))
        #expect(error?.code == .transport(.handshake(.parse)))
    }

    @Test func whatLaterVersionsAppendToAHelloIsPassedOver() async throws {
        let error = try await Self.error(.init(hello: { try XFTPBlock.pad(try XFTPBlock.unpad($0) + [1, 2, 3]) }))
        #expect(error == nil)
    }

    @Test func aRouterThatDoesNotConsentIsLeft() async throws {
        let refused = try await Self.error(.init(consent: { try XFTPBlock.pad(XFTPErrorType.handshake.wireBytes) }))
        #expect(refused?.code == .protocol(.handshake) && refused?.endsSession == true)
        for answer in [[0], Bytes(repeating: 0xFF, count: XFTPLimits.blockSize), Bytes("HANDSHAKE".utf8)] as [Bytes] {
            let error = try await Self.error(.init(consent: { answer }))
            #expect(error?.code == .transport(.badBlock))
        }
    }

    @Test func theNextHostIsTriedWhenOneCannotBeReached() async throws {
        let router = try await ScriptedFileRouter.start(Self.answering)
        let hosts: [TransportHost] = [.ipv4(127, 0, 0, 9), .ipv4(127, 0, 0, 1)]
        let session = try await XFTPConnector().connect(try router.address(hosts: hosts))
        try await session.ping()
        await session.close()
        await router.stop()
    }

    @Test func noOtherHostIsTriedWhenOneIsNotTheRouterOfTheAddress() async throws {
        let router = try await ScriptedFileRouter.start(Self.answering)
        let other = KeyHash(Bytes(repeating: 1, count: 32))
        for hosts in [[.ipv4(127, 0, 0, 1), .ipv4(127, 0, 0, 9)], [.ipv4(127, 0, 0, 9), .ipv4(127, 0, 0, 1)]] as [[TransportHost]] {
            let error = await clientError { _ = try await XFTPConnector().connect(try router.address(hosts: hosts, keyHash: other)) }
            #expect(error?.code == .network(.unknownCA) && error?.isTemporary == false)
        }
        await router.stop()
    }

    @Test func aRouterOfAnonymousHostsOnlyIsNotReachedWithoutAProxy() async throws {
        let address = XFTPServerAddress(host: .onion("abc.onion"), keyHash: KeyHash(Bytes(repeating: 1, count: 32)))
        let error = await clientError { _ = try await XFTPConnector().connect(address) }
        #expect(error?.code == .incompatibleHost && error?.isTemporary == false)
    }
}
