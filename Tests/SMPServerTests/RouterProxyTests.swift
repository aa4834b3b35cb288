import SMPCrypto
import SMPProtocol
import SMPServer
import SMPWire
import Testing

/// Commands that come through another router's proxy, and those that ask this router to be one.
@Suite struct RouterProxyTests {
    /// Plays both the client and the proxy.
    struct Proxied {
        let proxy: TestClient

        func request(_ command: SMPCommand, _ entity: EntityID, _ key: PrivateAuthKey?, version: UInt16 = 17) async throws
            -> SMPBrokerMessage
        {
            let random = SystemRandomSource()
            let context = TransmissionContext(version: version, sessionID: proxy.session.context.sessionID)
            let serverKey = try #require(proxy.session.peerKey)
            let (id, proxyID) = (CorrelationID.random(random), CorrelationID.random(random))
            let encoded = context.encode(command, correlationID: id, entity: entity)
            let authorization = try key.map {
                try CommandAuthorizer($0, serverKey: serverKey).authorize(encoded.authorizedData, correlationID: id)
            }
            let batch = try #require(TransmissionBatcher.pack(one: context.authorized(encoded, authorization ?? .none)))
            let commandKey = X25519.generateKeyPair(random).privateKey
            let secret = try BoxSecret(commandKey, with: serverKey)
            let sessionSecret = try BoxSecret(try #require(proxy.session.secret))
            let forwarded = ForwardedTransmission(
                correlationID: id,
                command: ForwardedCommand(
                    version: version, key: commandKey.publicKey,
                    encryptedTransmission: try ProxyEncryption.sealTransmission(batch, correlationID: id, secret: secret)))
            let sealed = try forwarded.seal(correlationID: proxyID, sessionSecret: sessionSecret)
            let response = try await proxy.request([Request(.rfwd(sealed), correlationID: proxyID)])[0]
            guard case .rres(let encrypted) = response else { return response }
            let opened = try ForwardedResponse(opening: encrypted, correlationID: proxyID, sessionSecret: sessionSecret)
            #expect(opened.correlationID == id)
            let content = try ProxyEncryption.openResponse(opened.encryptedResponse, correlationID: id, secret: secret)
            let answers = context.decode(block: content, as: SMPBrokerMessage.self)
            #expect(answers.count == 1 && answers[0].correlationID == id)
            return try answers[0].message.get()
        }
    }

    @Test(arguments: [9, 11, 15, 17] as [UInt16])
    func sendersCommandsComeThroughAProxy(_ version: UInt16) async throws {
        try await withRouter { router in
            let recipient = try await TestClient(router.address)
            let proxied = Proxied(proxy: try await TestClient(router.address, isProxy: true))
            #expect(!proxied.proxy.session.cipher.isEncrypting)
            let queue = try await TestQueue.create(recipient)
            #expect(
                try await proxied.request(.skey(queue.senderKey.publicKey), queue.sender, queue.senderKey, version: version)
                    == .ok)
            let body = Bytes(repeating: 5, count: ReceivedMessageBody.maximumBody(version: 11))
            let send = SMPCommand.send(MessageFlags(), body)
            #expect(try await proxied.request(send, queue.sender, queue.senderKey, version: version) == .ok)
            #expect(try queue.body(try await recipient.event().message) == body)
            #expect(try await proxied.request(send, queue.sender, TestQueue.key(), version: version) == .err(.auth))
            #expect(
                try await proxied.request(.sub, queue.recipient, queue.recipientKey, version: version)
                    == .err(.command(.prohibited)))
            #expect(router.statistics.counters.commandsForwarded == 2)
        }
    }

    @Test func linksAreOpenedThroughAProxy() async throws {
        try await withRouter { router in
            let owner = try await TestClient(router.address)
            let proxied = Proxied(proxy: try await TestClient(router.address, isProxy: true))
            let id = CorrelationID.random(SystemRandomSource())
            let data = QueueLinkData(fixedData: [1], userData: Bytes(repeating: 2, count: 13_824))
            let queue = try await TestQueue.create(
                owner, mode: .messaging(link: .init(senderID: SenderID(QueueIDs.senderID(correlationID: id.bytes)), data: data)),
                correlationID: id)
            let link = try #require(queue.ids.linkID)
            #expect(
                try await proxied.request(.lkey(queue.senderKey.publicKey), link, queue.senderKey) == .lnk(queue.sender, data))
        }
    }

    @Test func whatAProxyForwardsInAWrongWayIsAnsweredWithAnError() async throws {
        try await withRouter { router in
            let client = try await TestClient(router.address)
            let random = SystemRandomSource()
            #expect(try await client.request(.rfwd(random.bytes(16_000))) == .err(.crypto))
            #expect(try await client.request(.rfwd([])) == .err(.crypto))
            let secret = try BoxSecret(try #require(client.session.secret))
            let id = CorrelationID.random(random)
            let garbage = secret.seal(random.bytes(100), nonce: try #require(id.nonce))
            #expect(try await client.request([Request(.rfwd(garbage), correlationID: id)]) == [.err(.command(.syntax))])
            for version: UInt16 in [5, 18, 999] {
                let forwarded = ForwardedTransmission(
                    correlationID: id,
                    command: ForwardedCommand(
                        version: version, key: X25519.generateKeyPair(random).publicKey, encryptedTransmission: []))
                let sealed = try forwarded.seal(correlationID: id, sessionSecret: secret)
                #expect(
                    try await client.request([Request(.rfwd(sealed), correlationID: id)])
                        == [.err(.proxy(.broker(.transport(.version))))])
            }
        }
    }

    @Test func theRouterIsNoProxyAndSaysSo() async throws {
        try await withRouter { router in
            let client = try await TestClient(router.address)
            #expect(try await client.request(.prxy(router.address, nil)) == .err(.proxy(.basicAuth)))
            let forwarded = ForwardedCommand(version: 17, key: try #require(client.session.peerKey), encryptedTransmission: [1])
            #expect(try await client.request(.pfwd(forwarded), EntityID([1])) == .err(.proxy(.noSession)))
            #expect(try await client.request(.subs, EntityID([1]), TestQueue.key()) == .err(.service))
            #expect(try await client.request(.nsubs, EntityID([1]), TestQueue.key()) == .err(.service))
        }
    }
}
