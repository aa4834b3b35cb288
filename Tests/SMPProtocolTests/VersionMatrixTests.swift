import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

/// Handshakes between sides of all versions.
@Suite struct VersionMatrixTests {
    private let certificates: HandshakeVectorTests.Certificates
    private let sessionID = Bytes(repeating: 7, count: 32)
    private let keys = (X25519.generateKeyPair(SeededRandomSource(seed: 81)).privateKey, X25519.generateKeyPair(SeededRandomSource(seed: 82)).privateKey)

    init() throws { certificates = try HandshakeVectorTests.Certificates() }

    private func server(_ versions: VersionRange) throws -> SMPServerHandshake {
        try SMPServerHandshake(
            versions: versions, sessionID: sessionID, keyHash: certificates.keyHash, sessionKey: keys.0, certificateChain: certificates.chain,
            leafKey: certificates.leafKey)
    }

    private func client(_ versions: VersionRange, isProxy: Bool = false, hasKey: Bool = true) -> SMPClientHandshake {
        SMPClientHandshake(versions: versions, keyHash: certificates.keyHash, sessionKey: hasKey ? keys.1 : nil, isProxy: isProxy)
    }

    private static let ranges: [VersionRange] = [6, 9, 10, 11, 13, 14, 18, 20].flatMap { low in
        [low, 10, 14, 18, 20].filter { $0 >= low }.compactMap { VersionRange(low, $0) }
    }

    @Test(arguments: ranges)
    func bothSidesSpeakTheHighestVersionThatBothKnowOrNone(_ offered: VersionRange) throws {
        let server = try server(offered)
        for supported in Self.ranges {
            // What is possible, counted one by one.
            let common = (6...20).filter { offered.contains($0) && supported.contains($0) } as [UInt16]
            guard let highest = common.max() else {
                #expect(throws: TransportError.version) { try client(supported).respond(to: server.hello.wireBytes, sessionID: sessionID) }
                continue
            }
            let (hello, atClient) = try client(supported).respond(to: server.hello.wireBytes, sessionID: sessionID)
            let (_, atServer) = try server.accept(hello.wireBytes)
            #expect(atClient.version == highest && atServer.version == highest, "\(offered) and \(supported)")
            #expect(atClient.serverVersions.max == highest && atClient.serverVersions.min == common.min())
            #expect(atServer.cipher.isEncrypting == atClient.cipher.isEncrypting)
            #expect(atClient.cipher.isEncrypting == (highest >= 11))
        }
    }

    @Test(arguments: (0...20) as ClosedRange<UInt16>)
    func aRouterTakesNoVersionThatItHasNotOffered(_ chosen: UInt16) throws {
        let server = try server(VersionRange(9...17))
        let hello = SMPClientHello(version: chosen, keyHash: certificates.keyHash, key: keys.1.publicKey)
        if (9...17).contains(chosen) {
            #expect(try server.accept(hello.wireBytes).session.version == chosen)
        } else {
            #expect(throws: TransportError.version) { try server.accept(hello.wireBytes) }
        }
    }

    /// Blocks of a proxy's session are not encrypted, on either side; towards a router that does not know proxies, no version is used that would.
    @Test(arguments: (9...20) as ClosedRange<UInt16>)
    func aProxyAndARouterAgreeThatBlocksAreNotEncrypted(_ newest: UInt16) throws {
        let server = try server(VersionRange(9...newest))
        let (hello, atProxy) = try client(VersionRange(9...20), isProxy: true).respond(to: server.hello.wireBytes, sessionID: sessionID)
        let (_, atRouter) = try server.accept(hello.wireBytes)
        #expect(!atProxy.cipher.isEncrypting && !atRouter.cipher.isEncrypting)
        #expect(atProxy.version == (newest < 14 ? min(newest, 10) : newest))
        #expect(atRouter.isProxy == (newest >= 14))
        #expect(atProxy.secret == atRouter.secret && atProxy.secret != nil)
    }

    /// A recipient's service is offered to routers that subscribe to all of its queues at once, and no others; one of notifications earlier.
    @Test(arguments: (9...20) as ClosedRange<UInt16>)
    func aServiceIsOfferedFromTheVersionOnThatItsRoleNeeds(_ version: UInt16) throws {
        let server = try server(VersionRange(version))
        let pair = Ed25519.generateKeyPair(SeededRandomSource(seed: 83))
        let key = try #require(
            CertifiedKey(certificateChain: certificates.serviceChain, signing: pair.publicKey.spki, with: certificates.serviceLeafKey))
        for (role, first) in [(SMPClientService.Role.messaging, 19), (.notifier, 16), (.proxy, 16)] as [(SMPClientService.Role, UInt16)] {
            let client = SMPClientHandshake(
                versions: VersionRange(9...20), keyHash: certificates.keyHash, sessionKey: keys.1, service: SMPClientService(role: role, key: key))
            let (hello, _) = try client.respond(to: server.hello.wireBytes, sessionID: sessionID)
            #expect((hello.service != nil) == (version >= first), "\(role)")
            #expect(try server.accept(hello.wireBytes).hello.service == hello.service)
        }
    }

    @Test(arguments: (9...20) as ClosedRange<UInt16>)
    func aClientWithoutAKeyHasASessionWithoutEncryption(_ version: UInt16) throws {
        let server = try server(VersionRange(version))
        let (hello, atClient) = try client(VersionRange(version), hasKey: false).respond(to: server.hello.wireBytes, sessionID: sessionID)
        let (read, atServer) = try server.accept(hello.wireBytes)
        #expect(read.key == nil && !read.isProxy && read.service == nil)
        #expect(atClient.secret == nil && atServer.secret == nil)
        #expect(!atClient.cipher.isEncrypting && !atServer.cipher.isEncrypting)
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 255])
    func aRouterIsKnownByTheCertificateBehindItsLeaf(_ count: Int) throws {
        let chain = (0..<count).map { $0 < 2 ? certificates.chain[$0] : Bytes([UInt8($0 % 256)]) }
        let key = try #require(CertifiedKey(certificateChain: chain, signing: keys.0.publicKey.spki, with: certificates.leafKey))
        let hello = SMPServerHello(versions: VersionRange(9...18), sessionID: sessionID, key: key)
        if (2...4).contains(count) {
            #expect(try client(VersionRange(18)).respond(to: hello.wireBytes, sessionID: sessionID).session.peerKey == keys.0.publicKey)
        } else {
            let error: TransportError = count == 0 ? .handshake(.parse) : .handshake(.badAuth)
            #expect(throws: error) { try client(VersionRange(18)).respond(to: hello.wireBytes, sessionID: sessionID) }
        }
    }

    /// Keys that are signed, and are not keys of the session.
    @Test func aSignedKeyOfAnotherKindIsRefused() throws {
        let others = [
            Ed25519.generateKeyPair(SeededRandomSource(seed: 83)).publicKey.spki, X448.generateKeyPair(SeededRandomSource(seed: 84)).publicKey.spki,
            keys.0.publicKey.spki + [0], Bytes(keys.0.publicKey.spki.dropLast()), [],
        ]
        for spki in others {
            let key = try #require(CertifiedKey(certificateChain: certificates.chain, signing: spki, with: certificates.leafKey))
            let hello = SMPServerHello(versions: VersionRange(9...18), sessionID: sessionID, key: key)
            // One byte too much stands behind the key in its sequence, where nothing is looked for.
            if spki.count == keys.0.publicKey.spki.count + 1 {
                #expect(throws: Never.self) { try client(VersionRange(18)).respond(to: hello.wireBytes, sessionID: sessionID) }
            } else {
                #expect(throws: TransportError.handshake(.badAuth)) { try client(VersionRange(18)).respond(to: hello.wireBytes, sessionID: sessionID) }
            }
        }
        let small = try X25519.PublicKey(raw: Bytes(repeating: 0, count: 32))
        let key = try #require(CertifiedKey(certificateChain: certificates.chain, signing: small.spki, with: certificates.leafKey))
        let hello = SMPServerHello(versions: VersionRange(9...18), sessionID: sessionID, key: key)
        #expect(throws: TransportError.handshake(.badAuth)) { try client(VersionRange(18)).respond(to: hello.wireBytes, sessionID: sessionID) }
    }

    @Test func noBitOfASignedKeyCanBeChanged() throws {
        let key = try #require(CertifiedKey(certificateChain: certificates.chain, signing: keys.0.publicKey.spki, with: certificates.leafKey))
        #expect(try key.verifiedX25519Key() == keys.0.publicKey)
        for index in key.signedKey.indices {
            for bit: UInt8 in [1, 0x80] {
                var changed = key.signedKey
                changed[index] ^= bit
                let read = try? CertifiedKey(certificateChain: certificates.chain, signedKey: changed).verifiedX25519Key()
                // The name of the signature's algorithm says nothing that the leaf's key does not.
                #expect(read == nil || read == keys.0.publicKey)
            }
        }
        for count in key.signedKey.indices {
            let short = CertifiedKey(certificateChain: certificates.chain, signedKey: Bytes(key.signedKey.prefix(count)))
            #expect(throws: HandshakeError.badAuth) { try short.verifiedX25519Key() }
        }
        let long = CertifiedKey(certificateChain: certificates.chain, signedKey: key.signedKey + [0])
        #expect(throws: HandshakeError.badAuth) { try long.verifiedX25519Key() }
    }
}
