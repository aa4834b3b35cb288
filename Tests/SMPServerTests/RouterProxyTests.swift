import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPServer
import SMPWire
import TestSupport
import Testing

/// Commands that come through another router's proxy, and those that ask this router to be one.
@Suite struct RouterProxyTests {
    /// Plays both the client and the proxy.
    struct Proxied {
        let proxy: TestClient

        /// A command in its layers, and the way to read the answer.
        struct Forwarded {
            let request: Request
            let open: (SMPBrokerMessage) throws -> SMPBrokerMessage
        }

        func request(_ command: SMPCommand, _ entity: EntityID, _ key: PrivateAuthKey?, version: UInt16 = 20) async throws
            -> SMPBrokerMessage
        {
            let forwarded = try forward(command, entity, key, version: version)
            return try forwarded.open(try await proxy.request([forwarded.request])[0])
        }

        func forward(_ command: SMPCommand, _ entity: EntityID = .none, _ key: PrivateAuthKey? = nil, version: UInt16 = 20) throws -> Forwarded {
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
            return Forwarded(request: Request(.rfwd(sealed), correlationID: proxyID)) { response in
                guard case .rres(let encrypted) = response else { return response }
                let opened = try ForwardedResponse(opening: encrypted, correlationID: proxyID, sessionSecret: sessionSecret)
                #expect(opened.correlationID == id)
                let content = try ProxyEncryption.openResponse(opened.encryptedResponse, correlationID: id, secret: secret)
                let answers = context.decode(block: content, as: SMPBrokerMessage.self)
                #expect(answers.count == 1 && answers[0].correlationID == id)
                return try answers[0].message.get()
            }
        }
    }

    @Test(arguments: [9, 11, 15, 17, 20] as [UInt16])
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
            for version: UInt16 in [5, 21, 999] {
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

    @Test func aRouterThatIsNoProxySaysSo() async throws {
        try await withRouter(.memory, { $0.allowsProxying = false }) { router in
            let client = try await TestClient(router.address)
            #expect(try await client.request(.prxy(router.address, nil)) == .err(.proxy(.basicAuth)))
            let forwarded = ForwardedCommand(version: 17, key: try #require(client.session.peerKey), encryptedTransmission: [1])
            #expect(try await client.request(.pfwd(forwarded), EntityID([1])) == .err(.proxy(.noSession)))
            #expect(try await client.request(.subs(.unknown), EntityID([1]), TestQueue.key()) == .err(.service))
            #expect(try await client.request(.nsubs(.unknown), EntityID([1]), TestQueue.key()) == .err(.service))
        }
    }

    // MARK: As a proxy

    /// A sender that goes through a router to another.
    private struct Sender {
        let client: TestClient
        let relay: RelaySession
        let key: X25519.PublicKey

        init(_ proxy: SMPRouter, to server: SMPServerAddress, auth: BasicAuth? = nil) async throws {
            client = try await TestClient(proxy.address)
            guard case .pkey(let relay) = try await client.request(.prxy(server, auth)) else {
                throw TestClientError.unexpected(.ok)
            }
            self.relay = relay
            key = try relay.key.verifiedX25519Key()
        }

        /// The command as `PFWD`, and what reads its answer.
        func forwarded(
            _ command: SMPCommand, _ entity: EntityID, _ authKey: PrivateAuthKey?
        ) throws -> (request: Request, open: (SMPBrokerMessage) throws -> SMPBrokerMessage) {
            let random = SystemRandomSource()
            let context = TransmissionContext(version: relay.versions.max, sessionID: relay.sessionID)
            let id = CorrelationID.random(random)
            let encoded = context.encode(command, correlationID: id, entity: entity)
            let authorization = try authKey.map {
                try CommandAuthorizer($0, serverKey: key).authorize(encoded.authorizedData, correlationID: id)
            }
            let batch = try #require(TransmissionBatcher.pack(one: context.authorized(encoded, authorization ?? .none)))
            let pair = X25519.generateKeyPair(random)
            let secret = try BoxSecret(pair.privateKey, with: key)
            let inner = ForwardedCommand(
                version: context.version, key: pair.publicKey,
                encryptedTransmission: try ProxyEncryption.sealTransmission(batch, correlationID: id, secret: secret))
            return (
                Request(.pfwd(inner), EntityID(relay.sessionID), correlationID: id),
                { response in
                    guard case .pres(let encrypted) = response else { return response }
                    let content = try ProxyEncryption.openResponse(encrypted, correlationID: id, secret: secret)
                    return try #require(context.decode(block: content, as: SMPBrokerMessage.self).first).message.get()
                }
            )
        }

        func request(_ command: SMPCommand, _ entity: EntityID, _ authKey: PrivateAuthKey?) async throws -> SMPBrokerMessage {
            let (request, open) = try forwarded(command, entity, authKey)
            return try open(try await client.request([request])[0])
        }
    }

    @Test func aSenderReachesAnotherRouterThroughThisOne() async throws {
        try await withRouter { destination in
            try await withRouter { proxy in
                let recipient = try await TestClient(destination.address)
                let queue = try await TestQueue.create(recipient)
                let sender = try await Sender(proxy, to: destination.address)
                #expect(sender.relay.key.identityFingerprint == destination.address.keyHash)
                #expect(try await sender.request(.skey(queue.senderKey.publicKey), queue.sender, queue.senderKey) == .ok)
                let body = Bytes(repeating: 5, count: ReceivedMessageBody.maximumBody(version: 11))
                #expect(try await sender.request(.send(MessageFlags(), body), queue.sender, queue.senderKey) == .ok)
                #expect(try queue.body(try await recipient.event().message) == body)
                // What the other router refuses is its own affair: the proxy cannot read it.
                #expect(try await sender.request(.send(MessageFlags(), body), queue.sender, TestQueue.key()) == .err(.auth))
                #expect(try await sender.request(.sub, queue.recipient, queue.recipientKey) == .err(.command(.prohibited)))
                #expect(destination.statistics.counters.commandsForwarded == 2)
            }
        }
    }

    @Test func allSendersShareOneConnectionToARouterAndManyCommandsAtOnceGetTheirOwnAnswers() async throws {
        try await withRouter { destination in
            try await withRouter { proxy in
                let recipient = try await TestClient(destination.address)
                let queue = try await TestQueue.create(recipient)
                let senders = [try await Sender(proxy, to: destination.address), try await Sender(proxy, to: destination.address)]
                #expect(senders[0].relay == senders[1].relay)
                #expect(try await senders[0].request(.skey(queue.senderKey.publicKey), queue.sender, queue.senderKey) == .ok)
                for sender in senders {
                    let wrong = TestQueue.key()
                    let commands = try (0..<10).map { number in
                        try sender.forwarded(
                            .send(MessageFlags(), [UInt8(number)]), queue.sender, number.isMultiple(of: 2) ? queue.senderKey : wrong)
                    }
                    let responses = try await sender.client.request(commands.map(\.request))
                    for (number, response) in responses.enumerated() {
                        #expect(try commands[number].open(response) == (number.isMultiple(of: 2) ? .ok : .err(.auth)))
                    }
                }
            }
        }
    }

    @Test func whatCannotBeReachedIsAnsweredWithTheReason() async throws {
        try await withRouter { proxy in
            let client = try await TestClient(proxy.address)
            let nobody = SMPServerAddress(hosts: [try TransportHost(parsing: "127.0.0.1")], port: 1, keyHash: proxy.address.keyHash)
            guard case .err(.proxy(.broker(.network))) = try await client.request(.prxy(try #require(nobody), nil)) else {
                throw TestClientError.unexpected(.ok)
            }
            var impostor = proxy.address
            impostor = try #require(
                SMPServerAddress(hosts: impostor.hosts, port: impostor.port, keyHash: KeyHash(Bytes(repeating: 1, count: 32))))
            // Which fault of the network it is does not go over the wire.
            guard case .err(.proxy(.broker(.network))) = try await client.request(.prxy(impostor, nil)) else {
                throw TestClientError.unexpected(.ok)
            }
            let onion = try SMPServerAddress(
                wireString: "smp://AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=@aaaaaaaaaaaaaaaa.onion")
            #expect(try await client.request(.prxy(onion, nil)) == .err(.proxy(.broker(.host))))
        }
    }

    @Test func theProxyAsksForThePasswordOfTheRouter() async throws {
        let password = try BasicAuth(wireString: "secret")
        try await withRouter(.memory, { $0.basicAuth = password }) { proxy in
            let client = try await TestClient(proxy.address)
            #expect(try await client.request(.prxy(proxy.address, nil)) == .err(.proxy(.basicAuth)))
            #expect(try await client.request(.prxy(proxy.address, try BasicAuth(wireString: "other"))) == .err(.proxy(.basicAuth)))
            _ = try await Sender(proxy, to: proxy.address, auth: password)
        }
    }

    @Test func aProxyConnectsToNoMoreRoutersThanAllowed() async throws {
        try await withRouter { destination in
            try await withRouter(.memory, { $0.maximumRelays = 1 }) { proxy in
                let sender = try await Sender(proxy, to: destination.address)
                guard case .pkey = try await sender.client.request(.prxy(proxy.address, nil)) else { throw TestClientError.closed }
                #expect(proxy.statistics.relays == 1)
                _ = try await Sender(proxy, to: destination.address)
                #expect(proxy.statistics.relays == 1)
            }
        }
    }

    @Test func whenTheOtherRouterGoesItsSessionIsGoneAndMadeAnewWhenItIsBack() async throws {
        try await withRouter { proxy in
            var configuration = RouterConfiguration(storage: .memory)
            configuration.port = 0
            let destination = try await SMPRouter.start(configuration)
            let sender = try await Sender(proxy, to: destination.address)
            await destination.stop()
            // The proxy learns of it when it sends, or before.
            try await eventually("the session has gone") {
                let response = try await sender.request(.ping, EntityID([1]), nil)
                if case .err(.proxy(.broker)) = response { return false }
                #expect(response == .err(.proxy(.noSession)))
                return true
            }
        }
    }

    @Test func garbageForAnotherRouterIsPassedOnAndRefusedThere() async throws {
        try await withRouter { destination in
            try await withRouter { proxy in
                let sender = try await Sender(proxy, to: destination.address)
                let session = EntityID(sender.relay.sessionID)
                let random = SystemRandomSource()
                for (bytes, version) in [(random.bytes(16_000), 17), ([], 17), ([1], 5), (random.bytes(100), 999)] as [(Bytes, UInt16)] {
                    let command = ForwardedCommand(version: version, key: sender.key, encryptedTransmission: bytes)
                    guard case .err(.proxy(.protocol)) = try await sender.client.request(.pfwd(command), session) else {
                        throw TestClientError.unexpected(.ok)
                    }
                }
                // The connection between the routers has survived it.
                let recipient = try await TestClient(destination.address)
                let queue = try await TestQueue.create(recipient)
                #expect(try await sender.request(.skey(queue.senderKey.publicKey), queue.sender, queue.senderKey) == .ok)
            }
        }
    }
}
