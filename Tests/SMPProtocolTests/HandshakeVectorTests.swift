import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import VectorSupport

@Suite struct HandshakeVectorTests {
    /// Keys and certificates that all recorded handshakes use.
    struct Certificates {
        let chain: [Bytes]
        let leafKey: PrivateAuthKey
        let keyHash: KeyHash
        let serviceChain: [Bytes]
        let serviceLeafKey: PrivateAuthKey
        let serviceHash: Bytes

        init() throws {
            let certificates = try #require(try Vectors.cases("smp_transport", kinds: "certificates").first)["certs"]
            func hex(_ field: String) throws -> Bytes { try #require(certificates[field].hex) }
            chain = [try hex("server_leaf_der"), try hex("server_ca_der")]
            leafKey = .ed25519(try Ed25519.PrivateKey(raw: try hex("server_leaf_private_raw")))
            keyHash = KeyHash(try hex("server_key_hash_ca_sha256"))
            serviceChain = [try hex("service_leaf_der"), try hex("service_ca_der")]
            serviceLeafKey = .ed25519(try Ed25519.PrivateKey(raw: try hex("service_leaf_private_raw")))
            serviceHash = try hex("service_cert_hash_ca_sha256")
        }
    }

    @Test func fingerprintsOfTheRecordedCertificatesAreThoseRecorded() throws {
        let certificates = try Certificates()
        #expect(CertifiedKey(certificateChain: certificates.chain, signedKey: []).identityFingerprint == certificates.keyHash)
        #expect(
            CertifiedKey(certificateChain: certificates.serviceChain, signedKey: []).identityFingerprint?.bytes
                == certificates.serviceHash)
        #expect(
            try CertifiedKey(certificateChain: certificates.chain, signedKey: []).leafKey() == certificates.leafKey.publicKey)
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "handshake"))
    func bothSidesOfAHandshakeSendTheRecordedBlocksAndAgree(_ item: VectorCase) throws {
        let certificates = try Certificates()
        let sessionID = try item.hex("session_id")
        let messages = try item["messages"].list()
        func payload(_ index: Int) throws -> Bytes { try messages[index]["payload"].bytes() }

        let server = try SMPServerHandshake(
            versions: try item["server_versions"].versionRange(), hasALPN: try item.bool("server_alpn_negotiated"),
            sessionID: sessionID,
            keyHash: certificates.keyHash, sessionKey: try X25519.PrivateKey(raw: try item.hex("server_x25519_private_raw")),
            certificateChain: certificates.chain, leafKey: certificates.leafKey)
        #expect(server.hello.wireBytes == (try payload(0)))

        var service: SMPClientService?
        if try item.bool("service_client") {
            let sessionKey = try Ed25519.PrivateKey(raw: try item.hex("service_session_ed25519_private_raw"))
            let key = try #require(
                CertifiedKey(
                    certificateChain: certificates.serviceChain, signing: sessionKey.publicKey.spki,
                    with: certificates.serviceLeafKey))
            #expect(try key.verifiedEd25519Key() == sessionKey.publicKey)
            service = SMPClientService(role: .messaging, key: key)
        }
        var client = SMPClientHandshake(
            versions: try item["client_versions"].versionRange(), keyHash: certificates.keyHash,
            sessionKey: try item.bool("client_sends_key")
                ? try X25519.PrivateKey(raw: try item.hex("client_x25519_private_raw")) : nil,
            isProxy: try item.bool("proxy_client"), service: service)
        // Recorded clients did not know version 19.
        client.serviceVersion = SMPVersion.serviceCertificates
        guard item["client_error"].isNull else {
            #expect(item["client_error"].string == "TEVersion")
            #expect(throws: TransportError.version) { try client.respond(to: server.hello.wireBytes, sessionID: sessionID) }
            return
        }
        let (hello, clientSession) = try client.respond(
            to: server.hello.wireBytes, sessionID: sessionID, leafKey: certificates.leafKey.publicKey)
        #expect(hello.wireBytes == (try payload(1)))
        let (received, serverSession) = try server.accept(hello.wireBytes)
        #expect(received.service == hello.service)

        for session in [clientSession, serverSession] {
            #expect(session.version == UInt16(try item["agreed_version"].integer()))
            #expect(session.cipher.isEncrypting == (try item.bool("block_encryption")))
            #expect(session.context.impliesSessionID == (try item.bool("implies_session_id")))
            #expect(session.context.hasServiceSignature == (try item.bool("service_auth")))
            if let secret = item["dh_secret"].hex { #expect(session.secret?.bytes == secret) }
        }
        for (index, message) in messages.enumerated() {
            var plain = BlockCipher()
            #expect(Hash.sha256(try plain.seal(try payload(index))) == message["block_sha256"].hex)
        }
        if messages.count == 3 {
            let response = try SMPServiceResponse(wireBytes: try payload(2))
            #expect(response.wireBytes == (try payload(2)))
        }
        try exchangeRecordedBlocks(item, clientSession.cipher, serverSession.cipher)
    }

    private func exchangeRecordedBlocks(_ item: VectorCase, _ client: BlockCipher, _ server: BlockCipher) throws {
        var (client, server) = (client, server)
        for block in item["encrypted_blocks"].array ?? [] {
            let clientPayload = try block["client_payload"].bytes()
            let serverPayload = try block["server_payload"].bytes()
            let clientBlock = try client.seal(clientPayload)
            let serverBlock = try server.seal(serverPayload)
            #expect(Hash.sha256(clientBlock) == block["client_block_sha256"].hex)
            #expect(Hash.sha256(serverBlock) == block["server_block_sha256"].hex)
            #expect(clientBlock.starts(with: try block["client_block"].bytes()))
            #expect(serverBlock.starts(with: try block["server_block"].bytes()))
            #expect(try server.open(clientBlock) == clientPayload)
            #expect(try client.open(serverBlock) == serverPayload)
        }
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "service-handshake-response"))
    func aServiceResponseReadsAndPrints(_ item: VectorCase) throws {
        let bytes = try item.hex("hex")
        let response = try SMPServiceResponse(wireBytes: bytes)
        #expect(response.wireBytes == bytes)
        switch item.name {
        case "service error BAD_SERVICE": #expect(response == .error(.handshake(.badService)))
        case "service error BAD_AUTH": #expect(response == .error(.handshake(.badAuth)))
        default: #expect(response == .service(EntityID(Bytes(bytes.dropFirst(2)))))
        }
    }
}

/// What must make a handshake fail.
@Suite struct HandshakeAttackTests {
    let certificates: HandshakeVectorTests.Certificates
    let sessionID = Bytes(repeating: 7, count: 32)
    let serverKey = X25519.generateKeyPair(SeededRandomSource(seed: 3)).privateKey
    let clientKey = X25519.generateKeyPair(SeededRandomSource(seed: 4)).privateKey

    init() throws { certificates = try HandshakeVectorTests.Certificates() }

    private func server(_ versions: VersionRange = SMPVersion.offered) throws -> SMPServerHandshake {
        try SMPServerHandshake(
            versions: versions, sessionID: sessionID, keyHash: certificates.keyHash, sessionKey: serverKey,
            certificateChain: certificates.chain, leafKey: certificates.leafKey)
    }

    private func client(_ versions: VersionRange = SMPVersion.offered) -> SMPClientHandshake {
        SMPClientHandshake(versions: versions, keyHash: certificates.keyHash, sessionKey: clientKey)
    }

    @Test func aClientRefusesAnotherSession() throws {
        let hello = try server().hello.wireBytes
        #expect(throws: TransportError.badSession) { try client().respond(to: hello, sessionID: Bytes(repeating: 8, count: 32)) }
    }

    @Test func aClientRefusesARouterOfAnotherIdentity() throws {
        var other = client()
        other.keyHash = KeyHash(Bytes(repeating: 1, count: 32))
        let hello = try server().hello.wireBytes
        #expect(throws: TransportError.handshake(.badAuth)) { try other.respond(to: hello, sessionID: sessionID) }
    }

    @Test func aClientRefusesAKeyThatTheRoutersCertificateDidNotSign() throws {
        let hello = try server().hello
        let impostor = Ed25519.generateKeyPair(SeededRandomSource(seed: 5)).privateKey
        let forged = CertifiedKey(
            certificateChain: certificates.chain, signing: clientKey.publicKey.spki, with: .ed25519(impostor))
        let bytes = SMPServerHello(versions: hello.versions, sessionID: sessionID, key: forged).wireBytes
        #expect(throws: TransportError.handshake(.badAuth)) { try client().respond(to: bytes, sessionID: sessionID) }
        #expect(throws: TransportError.handshake(.badAuth)) {
            try client().respond(to: hello.wireBytes, sessionID: sessionID, leafKey: .ed25519(impostor.publicKey))
        }
    }

    @Test func sidesWithoutACommonVersionPart() throws {
        let hello = try server(VersionRange(9...10)).hello.wireBytes
        #expect(throws: TransportError.version) { try client(VersionRange(11...18)).respond(to: hello, sessionID: sessionID) }
        let chosen = SMPClientHello(version: 18, keyHash: certificates.keyHash, key: clientKey.publicKey).wireBytes
        #expect(throws: TransportError.version) { try server(VersionRange(9...10)).accept(chosen) }
        #expect(throws: TransportError.version) {
            try SMPServerHandshake(
                hasALPN: false, sessionID: sessionID, keyHash: certificates.keyHash, sessionKey: serverKey,
                certificateChain: certificates.chain, leafKey: certificates.leafKey)
        }
    }

    @Test func aRouterRefusesAClientThatWantsAnother() throws {
        let hello = SMPClientHello(version: 18, keyHash: KeyHash([1]), key: nil).wireBytes
        #expect(throws: TransportError.handshake(.identity)) { try server().accept(hello) }
    }

    @Test func truncatedHellosAreRefusedAtEveryByteAndNeverTrap() throws {
        let serverHello = try server().hello.wireBytes
        for count in serverHello.indices where count != 37 {
            #expect(throws: TransportError.self) {
                try client().respond(to: Bytes(serverHello.prefix(count)), sessionID: sessionID)
            }
        }
        let (clientHello, _) = try client().respond(to: serverHello, sessionID: sessionID)
        let bytes = clientHello.wireBytes
        for count in bytes.indices {
            #expect(throws: TransportError.self) { try server().accept(Bytes(bytes.prefix(count))) }
        }
    }

    @Test func garbledHellosNeverTrap() throws {
        let random = SeededRandomSource(seed: 6)
        let hello = try server().hello.wireBytes
        for index in hello.indices {
            var garbled = hello
            garbled[index] ^= random.bytes(1)[0] | 1
            _ = try? client().respond(to: garbled, sessionID: sessionID)
        }
        for size in 0..<200 { _ = try? server().accept(random.bytes(size)) }
    }

    @Test func aReplayedReorderedOrAlteredBlockIsRefused() throws {
        let (hello, clientSession) = try client().respond(to: try server().hello.wireBytes, sessionID: sessionID)
        let (_, serverSession) = try server().accept(hello.wireBytes)
        var (sender, receiver) = (clientSession.cipher, serverSession.cipher)
        let first = try sender.seal([1])
        let second = try sender.seal([2])
        #expect(try receiver.open(first) == [1])
        var again = receiver
        #expect(throws: TransportError.badBlock) { try again.open(first) }
        var skipping = serverSession.cipher
        #expect(throws: TransportError.badBlock) { try skipping.open(second) }
        var altered = second
        altered[500] ^= 1
        var careful = receiver
        #expect(throws: TransportError.badBlock) { try careful.open(altered) }
        #expect(try receiver.open(second) == [2])
        #expect(throws: TransportError.badBlock) { try receiver.open(Bytes(second.dropLast())) }
        #expect(throws: TransportError.largeMessage) { try sender.seal(Bytes(repeating: 0, count: 16_367)) }
        #expect(throws: Never.self) { try sender.seal(Bytes(repeating: 0, count: 16_366)) }
    }
}
