import ListenerSupport
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import TestSupport
import Testing

@testable import RouterSupport
@testable import SMPServer

/// What one client can have a router do, and hold, for nothing.
@Suite struct RouterLimitsTests {
    private static func key(_ kind: Int = 0) -> PrivateAuthKey {
        let random = SystemRandomSource()
        return switch kind % 3 {
        case 0: .ed25519(Ed25519.generateKeyPair(random).privateKey)
        case 1: .ed448(Ed448.generateKeyPair(random).privateKey)
        default: .x25519(X25519.generateKeyPair(random).privateKey)
        }
    }

    // MARK: Wrong signatures

    /// What a client of a session sends, and what the router's side of the session makes of it.
    private struct Exchange {
        let session = X25519.generateKeyPair(SystemRandomSource())
        let context = TransmissionContext(version: 18, sessionID: Bytes(repeating: 1, count: 32))
        var authorizer: SessionAuthorizer

        init() { authorizer = SessionAuthorizer(sessionKey: session.privateKey) }

        /// - Returns: keys that were tried in vain.
        mutating func send(signedBy key: PrivateAuthKey, to keys: [PrivateAuthKey], isForwarded: Bool = false) throws -> (isAccepted: Bool, failures: Int) {
            let id = CorrelationID.random(SystemRandomSource())
            let encoded = context.encode(SMPCommand.sub, correlationID: id, entity: EntityID(Bytes(repeating: 2, count: 24)))
            let authorization = try CommandAuthorizer(key, serverKey: session.publicKey).authorize(encoded.authorizedData, correlationID: id)
            let batch = try #require(TransmissionBatcher.pack(one: context.authorized(encoded, authorization)))
            let transmission = context.decode(block: batch, as: SMPCommand.self)[0]
            authorizer.failures = 0
            let accepted = try? authorizer.authorize(transmission, .keys(keys.map(\.publicKey)), isForwarded: isForwarded)
            return (accepted != nil, authorizer.failures)
        }
    }

    @Test func aWrongSignatureCostsAsManyTriesAsThereAreKeysOfItsKind() throws {
        var exchange = Exchange()
        let keys = (0..<12).map { Self.key($0) }
        for kind in 0..<3 {
            #expect(try exchange.send(signedBy: Self.key(kind), to: keys) == (false, 4))
            #expect(try exchange.send(signedBy: Self.key(kind), to: []) == (false, 1))
            #expect(try exchange.send(signedBy: Self.key(kind), to: [Self.key(kind + 1)]) == (false, 1))
            #expect(try exchange.send(signedBy: Self.key(kind), to: keys, isForwarded: true) == (false, 0))
        }
    }

    @Test func aKeyThatWasRightIsTriedFirstTheNextTime() throws {
        var exchange = Exchange()
        let keys = (0..<33).map { Self.key($0) }
        for last in keys.suffix(3) {
            #expect(try exchange.send(signedBy: last, to: keys) == (true, 10))
            #expect(try exchange.send(signedBy: last, to: keys) == (true, 0))
        }
        // Of several that were right, one goes before the other.
        #expect(try exchange.send(signedBy: keys[0], to: keys).failures <= 1)
        #expect(try exchange.send(signedBy: keys[30], to: keys).failures <= 1)
    }

    @Test func aBlockOfWrongSignaturesForManyKeysEndsItsSessionAndNoOther() async throws {
        try await withRouter { router in
            let (owner, attacker) = (try await TestClient(router.address), try await TestClient(router.address))
            let keys = (0..<32).map { _ in Self.key() }
            let queue = try await TestQueue.create(owner, mode: .contact(link: nil), recipientKey: keys[0])
            #expect(try await owner.request(.rkey(keys.map(\.publicKey)), queue.recipient, keys[0]) == .ok)
            // A few are answered.
            let few = try await attacker.request((0..<20).map { _ in Request(.sub, queue.recipient, Self.key()) })
            #expect(few == Array(repeating: .err(.auth), count: 20))
            _ = try await attacker.send((0..<80).map { _ in Request(.sub, queue.recipient, Self.key()) })
            await #expect(throws: (any Error).self) { try await attacker.request(.ping) }
            // Each of the keys works as before.
            for key in keys { #expect(try await owner.request([Request(.que, queue.recipient, key)])[0].isInfo) }
        }
    }

    @Test func betweenWrongSignaturesOfABlockItsEventLoopServesOthers() async throws {
        try await withRouter { router in
            let (owner, attacker) = (try await TestClient(router.address), try await TestClient(router.address))
            let keys = (0..<32).map { _ in Self.key() }
            let queue = try await TestQueue.create(owner, mode: .contact(link: nil), recipientKey: keys[0])
            #expect(try await owner.request(.rkey(keys.map(\.publicKey)), queue.recipient, keys[0]) == .ok)
            // All fits one block. After each command the session waits, and what it has answered is sent meanwhile.
            let answers = try await attacker.request((0..<10).map { _ in Request(.sub, queue.recipient, Self.key()) } + [Request(.ping)])
            #expect(answers == Array(repeating: .err(.auth), count: 10) + [.pong])
            #expect(attacker.blockCount == 11)
            // What comes during such a pause is executed after it, in its order.
            let first = try await attacker.send([Request(.sub, queue.recipient, Self.key())])
            var rest: [CorrelationID] = []
            for _ in 0..<5 { rest += try await attacker.send([Request(.que, queue.recipient, keys[31])]) }
            #expect(try await attacker.response(to: first[0]) == .err(.auth))
            for id in rest { #expect(try await attacker.response(to: id).isInfo) }
            #expect(attacker.blockCount <= 17)
        }
    }

    @Test func aClientThatHasLostManyQueuesIsAnsweredForAllOfThem() async throws {
        try await withRouter { router in
            let client = try await TestClient(router.address)
            let key = Self.key()
            let random = SystemRandomSource()
            let count = 2 * Int(AddressLimits.verifications.capacity) / 8
            for _ in 0..<8 {
                let answers = try await client.request((0..<count).map { _ in Request(.sub, EntityID(random.bytes(24)), key) })
                #expect(answers.allSatisfy { $0 == .err(.auth) } && answers.count == count)
            }
        }
    }

    @Test func aGuessedPasswordIsCountedAsManyWrongSignatures() async throws {
        let password = try BasicAuth(wireString: "right")
        try await withRouter(.memory, { $0.basicAuth = password }) { router in
            let client = try await TestClient(router.address)
            let key = Self.key()
            let guess = SMPCommand.new(
                NewQueueRequest(
                    recipientKey: key.publicKey, encryptionKey: X25519.generateKeyPair(SystemRandomSource()).publicKey,
                    basicAuth: try BasicAuth(wireString: "wrong"), subscription: .onlyCreate, mode: .messaging(link: nil)))
            #expect(try await client.request(guess, .none, key) == .err(.auth))
            _ = try await client.send((0..<60).map { _ in Request(guess, .none, key) })
            await #expect(throws: (any Error).self) { try await client.request(.ping) }
            _ = try await TestQueue.create(try await TestClient(router.address), basicAuth: password)
        }
    }

    @Test func passwordsAreEqualIfAllOfThemIs() throws {
        let one = try BasicAuth(wireString: "password")
        #expect(try one == BasicAuth(wireString: "password"))
        for other in ["passwore", "qassword", "passwor", "passwordd", "p"] { #expect(try one != BasicAuth(wireString: other)) }
        #expect(try Set([one, BasicAuth(wireString: "password"), BasicAuth(wireString: "other")]).count == 2)
    }

    @Test func theRoutersOwnMachineHasNoLimitsForOneAddress() async throws {
        try await withRouter(.memory) {
            $0.maximumConnectionsPerAddress = 1
            $0.queuesPerAddressAndHour = 1
        } _: { router in
            let (first, second) = (try await TestClient(router.address), try await TestClient(router.address))
            for client in [first, second, first, second] { _ = try await TestQueue.create(client) }
        }
    }

    // MARK: Who does not read

    /// Asks for much and reads nothing.
    ///
    /// - Parameter times: batches of 200 commands.
    /// - Returns: what to ask the answers by.
    @discardableResult private func askForMuch(_ client: TestClient, times: Int = 10) async throws -> [CorrelationID] {
        let id = CorrelationID.random(SystemRandomSource())
        let link = LinkID(SystemRandomSource().bytes(24))
        let data = QueueLinkData(fixedData: [1], userData: Bytes(repeating: 2, count: 13_824))
        _ = try await TestQueue.create(
            client, mode: .contact(link: .init(linkID: link, senderID: SenderID(QueueIDs.senderID(correlationID: id.bytes)), data: data)),
            correlationID: id)
        // Each answer fills a block.
        var ids: [CorrelationID] = []
        for _ in 0..<times { ids += try await client.send((0..<200).map { _ in Request(.lget, link) }) }
        return ids
    }

    @Test func whatAClientDoesNotReadStaysWhereItTakesLittleMemory() async throws {
        try await withRouter { router in
            let (deaf, other) = (try await TestClient(router.address), try await TestClient(router.address))
            let session = try #require(router.core.sessionReports.first?.number)
            // The kernel takes its part of the 94 MiB of answers. How much that is is its own affair; the commands are read no further then.
            let ids = try await askForMuch(deaf, times: 30)
            // Blocks wait up to where the connection takes no more and what one turn of flushing adds, with what TLS adds to each.
            let unsentLimit = (SMPConnection.acceptedWriteLimit + RouterSession.flushLimit) * 17 / 16
            // Answers wait up to where commands are no more read, and those to the blocks that had arrived then. A block has some 150 commands.
            let waitingLimit = RouterSession.outboxLimit + 4 * 150
            try await eventually("nothing more is read") {
                let load = try await router.core.session(numbered: session)?.load()
                guard let load else { return false }
                #expect(load.unsent <= unsentLimit)
                #expect(router.core.sessionReports.allSatisfy { $0.waiting <= waitingLimit })
                return load.unsent > 0 && !load.isReading
            }
            #expect(try await other.request(.ping) == .pong)
            for id in ids { guard case .lnk = try await deaf.response(to: id) else { throw TestClientError.closed } }
            try await eventually("nothing waits") { router.core.sessionReports.allSatisfy { $0.waiting == 0 } }
        }
    }

    @Test func aClientThatTakesNothingIsDisconnectedAfterAWhile() async throws {
        try await withRouter(.memory, { $0.stallTimeout = .milliseconds(200) }) { router in
            let deaf = try await TestClient(router.address)
            try await askForMuch(deaf)
            try await eventually("it is gone") { router.statistics.sessions == 0 }
        }
    }

    @Test func bodiesAreNotKeptForWhoDoesNotRead() {
        var outbox = Outbox()
        func delivery() -> RouterOutput {
            let position = LogRange(start: 0, end: 1)
            let id = Identifier(prefix: Bytes(repeating: 1, count: 24))
            let message = StoredMessage(id: id, timestamp: 1, flags: MessageFlags(), kind: .message, bodyLength: 1, position: position)
            let secret = StoredSecret(bytes: SecretBytes(Bytes(repeating: 1, count: 32)))
            return RouterOutput(Delivery(queue: id, sequence: 0, message: message, secret: secret, body: [1]), to: .none, entity: .none)
        }
        func bodies(_ outbox: inout Outbox) -> Int {
            outbox.take(.max) { _ in true }.count { if case .delivery(let delivery) = $0.output.content { delivery.body != nil } else { false } }
        }
        for _ in 0..<200 { outbox.append(delivery()) }
        #expect(bodies(&outbox) == Outbox.bodyLimit)
        for _ in 0..<10 { outbox.append(delivery()) }
        outbox.keepsBodies = false
        for _ in 0..<10 { outbox.append(delivery()) }
        #expect(outbox.count == 20 && bodies(&outbox) == 0)
        outbox.keepsBodies = true
        outbox.append(delivery())
        #expect(bodies(&outbox) == 1)
    }

    @Test func notificationsThatNobodyReadsAreBounded() throws {
        var outbox = Outbox()
        let notification = SMPBrokerMessage.nmsg(.random(SystemRandomSource()), [1])
        for _ in 0..<5_000 { outbox.append(RouterOutput(notification, to: .none, entity: .none)) }
        #expect(outbox.count == Outbox.notificationLimit)
        // Answers are not dropped, whatever waits.
        for _ in 0..<10 { outbox.append(RouterOutput(.ok, to: .none, entity: .none)) }
        #expect(outbox.count == Outbox.notificationLimit + 10)
        _ = outbox.take(.max) { _ in true }
        outbox.append(RouterOutput(notification, to: .none, entity: .none))
        #expect(outbox.count == 1)
    }
}

extension SMPBrokerMessage {
    fileprivate var isInfo: Bool { if case .info = self { true } else { false } }
}
