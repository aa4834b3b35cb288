import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Testing

@testable import SMPClient

/// A session machine and the router's end of its connection, without anything between them.
struct Replay {
    var machine: SMPSessionMachine<Int>
    private var cipher: BlockCipher
    let context: TransmissionContext

    static let credential = Result { try ServerCredential.generate(algorithm: .ed25519) }

    init(version: UInt16 = 20, _ change: (inout SMPSessionLimits) -> Void = { _ in }) throws {
        let credential = try Self.credential.get()
        let random = SeededRandomSource(seed: UInt64(version))
        let keyHash = KeyHash(credential.fingerprint)
        let server = try SMPServerHandshake(
            sessionID: Bytes(repeating: 9, count: 32), keyHash: keyHash,
            sessionKey: X25519.generateKeyPair(random).privateKey, certificateChain: credential.chain,
            leafKey: credential.leafKey())
        let client = SMPClientHandshake(
            versions: VersionRange(version), keyHash: keyHash, sessionKey: X25519.generateKeyPair(random).privateKey)
        let (hello, session) = try client.respond(to: server.hello.wireBytes, sessionID: server.sessionID)
        let (_, router) = try server.accept(hello.wireBytes)
        var limits = SMPSessionLimits(SMPClientConfiguration())
        change(&limits)
        machine = SMPSessionMachine(session, limits: limits, now: .zero)
        cipher = router.cipher
        context = router.context
    }

    func request(
        _ number: UInt8, _ command: SMPCommand = .ping, entity: EntityID = .none, deadline: Duration = .seconds(30), isProbe: Bool = false
    ) -> SMPSessionMachine<Int>.Request {
        let encoded = context.encode(command, correlationID: correlationID(number), entity: entity)
        return SMPSessionMachine<Int>.Request(
            correlationID: correlationID(number), entity: entity, command: command,
            transmission: context.authorized(encoded, .none), deadline: deadline, handle: isProbe ? nil : Int(number))
    }

    /// Submits and sends; returns what is told to callers.
    mutating func send(_ requests: SMPSessionMachine<Int>.Request...) -> [String] {
        var actions = machine.submit(requests)
        while machine.hasOutgoing {
            let (blocks, more) = machine.nextBlocks()
            actions += more
            for block in blocks { _ = try? cipher.open(block) }
        }
        return actions.map(describe)
    }

    /// The correlation ids in each of the client's blocks.
    mutating func open(_ blocks: [Bytes]) throws -> [[CorrelationID]] {
        try blocks.map { block in
            context.decode(block: try cipher.open(block), as: SMPCommand.self).map(\.correlationID)
        }
    }

    /// A block of the router.
    mutating func block(_ answers: (EntityID, CorrelationID, SMPBrokerMessage)...) throws -> Bytes {
        let packed = TransmissionBatcher.pack(
            answers.map { context.unauthorized($0.2, correlationID: $0.1, entity: $0.0) })
        return try cipher.seal(packed.batches[0].content)
    }

    mutating func sealed(_ content: Bytes) throws -> Bytes { try cipher.seal(content) }

    mutating func receive(_ block: Bytes, at now: Duration = .zero) -> [String] {
        machine.receive(block, now: now).map(describe)
    }

    mutating func answer(
        _ number: UInt8, _ message: SMPBrokerMessage, entity: EntityID = .none, at now: Duration = .zero
    ) throws -> [String] {
        receive(try block((entity, correlationID(number), message)), at: now)
    }

    mutating func tick(_ now: Duration) -> (actions: [String], ping: Bool) {
        let (actions, ping) = machine.tick(now: now)
        return (actions.map(describe), ping)
    }

    func describe(_ action: SMPSessionMachine<Int>.Action) -> String {
        switch action {
        case .complete(let number, .success(let message)): "\(number): \(message.name)"
        case .complete(let number, .failure(let error)): "\(number): \(error.label)"
        case .close(let error): "close \(error.label)"
        case .event(.message(let queue, let message)):
            "message \(queue.bytes.first ?? 0) \(message.id.bytes.first ?? 0)"
        case .event(.ended(let queue)): "ended \(queue.bytes.first ?? 0)"
        case .event(.serviceEnded): "service ended"
        case .event(.serviceDelivered): "service delivered"
        case .event(.notification(let notifier, _, _)): "notification \(notifier.bytes.first ?? 0)"
        case .event(.deleted(let queue)): "deleted \(queue.bytes.first ?? 0)"
        case .event(.lateSubscription(let queue)): "late \(queue.bytes.first ?? 0)"
        case .event(.unexpected(.success(let name))): "unexpected \(name)"
        case .event(.unexpected(.failure(let error))): "unreadable \(error)"
        }
    }
}

@Suite("A router session replayed")
struct SessionMachineTests {
    @Test("Responses reach who waits for them, in whatever order they come", arguments: 9...20 as ClosedRange<UInt16>)
    func correlation(_ version: UInt16) throws {
        var replay = try Replay(version: version)
        let queue = queueID(5)
        #expect(replay.send(replay.request(1), replay.request(2, .sub, entity: queue), replay.request(3)) == [])
        #expect(replay.machine.pendingCount == 3)
        let block = try replay.block(
            (.none, correlationID(3), .pong), (queue, correlationID(2), .ok), (.none, correlationID(1), .pong))
        #expect(replay.receive(block) == ["3: PONG", "2: OK", "1: PONG"])
        #expect(replay.machine.pendingCount == 0)
    }

    @Test("An error of the router is the command's error")
    func routerError() throws {
        var replay = try Replay()
        _ = replay.send(replay.request(1, .sub, entity: queueID(5)))
        #expect(try replay.answer(1, .err(.auth), entity: queueID(5)) == ["1: protocol"])
    }

    @Test("A response is taken once: what repeats it answers nothing")
    func duplicate() throws {
        var replay = try Replay()
        _ = replay.send(replay.request(1))
        #expect(try replay.answer(1, .pong) == ["1: PONG"])
        #expect(try replay.answer(1, .pong) == ["unexpected PONG"])
    }

    @Test("Responses to nothing that was asked are reported and harm nobody")
    func unknownCorrelation() throws {
        var replay = try Replay()
        _ = replay.send(replay.request(1))
        #expect(try replay.answer(77, .ok, entity: queueID(1)) == ["unexpected OK"])
        let odd = try replay.block((queueID(1), CorrelationID([1, 2, 3]), .ok))
        #expect(replay.receive(odd) == ["unexpected OK"])
        #expect(try replay.answer(1, .pong) == ["1: PONG"])
    }

    @Test("A response about another entity is not accepted")
    func wrongEntity() throws {
        var replay = try Replay()
        _ = replay.send(replay.request(1, .sub, entity: queueID(5)))
        #expect(try replay.answer(1, .ok, entity: queueID(6)) == ["1: unexpectedResponse"])
    }

    @Test("A response that does not belong to the command is not accepted")
    func wrongResponse() throws {
        var replay = try Replay()
        _ = replay.send(replay.request(1, .sub, entity: queueID(5)), replay.request(2, .get, entity: queueID(5)))
        #expect(try replay.answer(1, .soks(ServiceQueues(count: 1)), entity: queueID(5)) == ["1: unexpectedResponse"])
        #expect(try replay.answer(2, .end, entity: queueID(5)) == ["2: unexpectedResponse"])
    }

    @Test("A message in response to SUB and ACK is an event and an OK; to GET it is the response only")
    func messagesAsResponses() throws {
        var replay = try Replay()
        let id = MessageID(Bytes(repeating: 8, count: 24))
        _ = replay.send(
            replay.request(1, .sub, entity: queueID(5)), replay.request(2, .ack(id), entity: queueID(6)),
            replay.request(3, .get, entity: queueID(7)))
        #expect(try replay.answer(1, message(1), entity: queueID(5)) == ["message 5 1", "1: OK"])
        #expect(try replay.answer(2, message(2), entity: queueID(6)) == ["message 6 2", "2: OK"])
        #expect(try replay.answer(3, message(3), entity: queueID(7)) == ["3: MSG"])
    }

    @Test("What the router sends by itself is told as it is")
    func events() throws {
        var replay = try Replay()
        for number in 1...3 as ClosedRange<UInt8> {
            _ = replay.send(replay.request(number, .sub, entity: queueID(number)))
            _ = try replay.answer(number, .ok, entity: queueID(number))
        }
        let block = try replay.block(
            (queueID(1), .none, message(4)), (queueID(2), .none, .end), (queueID(3), .none, .deld),
            (.none, .none, .err(.internal)), (queueID(1), .none, .ok))
        #expect(
            replay.receive(block)
                == ["message 1 4", "ended 2", "deleted 3", "unexpected ERR", "unexpected OK"])
    }

    @Test("A command whose time is over fails; a late message or subscription still counts")
    func lateResponses() throws {
        var replay = try Replay()
        let id = MessageID(Bytes(repeating: 8, count: 24))
        _ = replay.send(
            replay.request(1, .sub, entity: queueID(5)), replay.request(2, .sub, entity: queueID(6)),
            replay.request(3, .ack(id), entity: queueID(7)), replay.request(4), replay.request(5, .sub, entity: queueID(8)))
        #expect(replay.machine.nextTick == .seconds(30))
        #expect(replay.tick(.seconds(29)).actions == [])
        #expect(Set(replay.tick(.seconds(30)).actions) == Set((1...5).map { "\($0): timeout" }))
        #expect(replay.machine.pendingCount == 0)
        #expect(try replay.answer(1, .ok, entity: queueID(5)) == ["late 5"])
        #expect(try replay.answer(2, message(1), entity: queueID(6)) == ["message 6 1", "late 6"])
        #expect(try replay.answer(3, message(2), entity: queueID(7)) == ["message 7 2"])
        #expect(try replay.answer(4, .pong) == [])
        #expect(try replay.answer(5, .err(.auth), entity: queueID(8)) == [])
        #expect(try replay.answer(1, .ok, entity: queueID(5)) == ["unexpected OK"])
    }

    @Test("A cancelled command is answered at once, and not sent if it was not yet")
    func cancellation() throws {
        var replay = try Replay()
        _ = replay.machine.submit([replay.request(1), replay.request(2)])
        #expect(replay.machine.abandon([correlationID(1)]).map(replay.describe) == ["1: cancelled"])
        #expect(replay.machine.abandon([correlationID(1), correlationID(9)]).isEmpty)
        let (blocks, _) = replay.machine.nextBlocks()
        #expect(blocks.count == 1)
        // What was never sent is not waited for: the same id can be used again.
        #expect(replay.machine.submit([replay.request(1)]).isEmpty)
        #expect(replay.machine.pendingCount == 2)
    }

    @Test("A correlation id that is in use is refused")
    func correlationInUse() throws {
        var replay = try Replay()
        _ = replay.send(replay.request(1))
        #expect(replay.send(replay.request(1)) == ["1: invalidRequest"])
        #expect(try replay.answer(1, .pong) == ["1: PONG"])
    }

    @Test("No more commands than allowed wait for responses, whatever became of earlier ones")
    func overload() throws {
        var replay = try Replay { $0.maximumPendingRequests = 3 }
        #expect(replay.send(replay.request(1), replay.request(2), replay.request(3), replay.request(4)) == ["4: overloaded"])
        #expect(replay.tick(.seconds(30)).actions.count == 3)
        for round in 1...10 as ClosedRange<UInt8> {
            #expect(replay.send(replay.request(round * 10, deadline: .seconds(60))) == [])
            #expect(try replay.answer(round * 10, .pong) == ["\(round * 10): PONG"])
        }
        for round in 1...10 as ClosedRange<UInt8> {
            _ = replay.send(replay.request(round * 10 + 1, deadline: .seconds(60)))
            _ = replay.machine.abandon([correlationID(round * 10 + 1)])
        }
        #expect(replay.machine.pendingCount == 0)
        #expect(replay.send(replay.request(200)) == [])
    }

    @Test("No more bytes than allowed wait for a router that does not read, and there is room again when it has")
    func unreadBytes() throws {
        var replay = try Replay { $0.maximumOutgoingBytes = 40_000 }
        let requests = (0..<4 as Range<UInt8>).map {
            replay.request($0, .send(MessageFlags(notification: false), Bytes(repeating: 7, count: 15_000)), entity: queueID($0))
        }
        #expect(replay.machine.submit(requests).map(replay.describe) == ["2: overloaded", "3: overloaded"])
        #expect(replay.machine.nextBlocks().blocks.count == 2)
        #expect(replay.machine.submit(Array(requests[2...])).isEmpty)
        _ = replay.machine.abandon([correlationID(2), correlationID(3)])
        #expect(replay.machine.nextBlocks().blocks.isEmpty)
        #expect(replay.machine.submit(Array(requests[2...])).isEmpty)
    }

    @Test("A block that cannot be decrypted ends the session", arguments: [11, 18, 20] as [UInt16])
    func garbledBlock(_ version: UInt16) throws {
        var replay = try Replay(version: version)
        _ = replay.send(replay.request(1))
        var block = try replay.block((.none, correlationID(1), .pong))
        block[700] ^= 1
        #expect(replay.receive(block) == ["close transport"])
        #expect(replay.machine.end(SMPClientError(.network(.failed), "gone")).map(replay.describe) == ["1: network"])
        #expect(replay.machine.hasEnded)
        #expect(replay.receive(try replay.block((.none, correlationID(1), .pong))) == [])
        #expect(replay.send(replay.request(2)) == ["2: network"])
        #expect(replay.machine.nextTick == nil)
    }

    @Test("A repeated block, or one out of order, ends the session")
    func replayedBlock() throws {
        var replay = try Replay()
        _ = replay.send(replay.request(1, .sub, entity: queueID(1)))
        let first = try replay.block((queueID(1), .none, .end))
        let second = try replay.block((queueID(2), .none, .end))
        var reordered = replay
        #expect(replay.receive(first) == ["ended 1"])
        #expect(replay.receive(first) == ["close transport"])
        #expect(reordered.receive(second) == ["close transport"])
    }

    @Test("Blocks of the wrong size end the session")
    func wrongSize() throws {
        for size in [0, 1, 16_383, 16_385] {
            var replay = try Replay()
            #expect(replay.receive(Bytes(repeating: 0, count: size)) == ["close transport"])
        }
    }

    @Test("Contents that are no batch, and transmissions that cannot be read, are reported and passed over")
    func garbledContent() throws {
        var replay = try Replay()
        _ = replay.send(replay.request(1))
        for content in [[], [0], [1], [1, 0xFF, 0xFF], [255], [1, 0, 1, 0], Bytes("hello".utf8)] as [Bytes] {
            #expect(replay.receive(try replay.sealed(content)).allSatisfy { $0.hasPrefix("unreadable") })
        }
        let unreadable = replay.context.unauthorized(SMPBrokerMessage.pong, correlationID: correlationID(1), entity: .none)
        let tail = Bytes([1]) + [0, UInt8(unreadable.count + 1)] + unreadable + [0]
        #expect(replay.receive(try replay.sealed(tail)) == ["1: response"])
    }

    @Test("Commands that wait are packed into as few blocks as hold them")
    func packing() throws {
        var replay = try Replay()
        let requests = (0..<200 as Range<UInt8>).map { replay.request($0, .sub, entity: queueID($0)) }
        #expect(replay.machine.submit(requests).isEmpty)
        let total = requests.reduce(0) { $0 + $1.transmission.count + 2 }
        let (blocks, actions) = replay.machine.nextBlocks()
        #expect(actions.isEmpty)
        #expect(blocks.count == (total + TransmissionBatcher.contentLimit - 1) / TransmissionBatcher.contentLimit)
        #expect(!replay.machine.hasOutgoing)
    }

    @Test("Commands about one entity never share a block, and keep their order")
    func oneEntityPerBlock() throws {
        var replay = try Replay()
        // Official routers carry out what a block holds from the last to the first.
        let entities: [UInt8] = [1, 1, 2, 1, 3, 3, 0, 0, 4]
        let requests = entities.enumerated().map { index, entity in
            entity == 0
                ? replay.request(UInt8(index)) : replay.request(UInt8(index), .sub, entity: queueID(entity))
        }
        _ = replay.machine.submit(requests)
        let contents = try replay.open(replay.machine.nextBlocks().blocks)
        #expect(contents.map { $0.map { $0.bytes[0] } } == [[0], [1, 2], [3, 4], [5, 6, 7, 8]])
        #expect(!replay.machine.hasOutgoing)
    }

    @Test("A turn gives no more blocks than the socket should take, and the rest later, in order")
    func blocksAtOnce() throws {
        var replay = try Replay { $0.blocksAtOnce = 2 }
        let body = Bytes(repeating: 7, count: 15_000)
        let requests = (0..<5 as Range<UInt8>).map {
            replay.request($0, .send(MessageFlags(notification: false), body), entity: queueID($0))
        }
        _ = replay.machine.submit(requests)
        var counts: [Int] = []
        while replay.machine.hasOutgoing { counts.append(replay.machine.nextBlocks().blocks.count) }
        #expect(counts == [2, 2, 1])
    }

    @Test("A command that fits into no block fails alone")
    func oversized() throws {
        var replay = try Replay()
        let large = replay.request(
            2, .send(MessageFlags(notification: false), Bytes(repeating: 1, count: 16_400)), entity: queueID(1))
        #expect(replay.send(replay.request(1), large, replay.request(3)) == ["2: transport"])
        #expect(try replay.answer(1, .pong) == ["1: PONG"])
        #expect(try replay.answer(3, .pong) == ["3: PONG"])
    }

    @Test("A lost connection fails every command that waits, once")
    func lostConnection() throws {
        var replay = try Replay()
        _ = replay.send(replay.request(1), replay.request(2))
        _ = replay.machine.submit([replay.request(3)])
        let error = SMPClientError(.network(.failed), "gone")
        #expect(Set(replay.machine.end(error).map(replay.describe)) == ["1: network", "2: network", "3: network"])
        #expect(replay.machine.end(error).isEmpty)
        #expect(!replay.machine.hasOutgoing)
    }

    @Test("Silence is probed only while there are subscriptions, one probe at a time")
    func probing() throws {
        var replay = try Replay()
        #expect(replay.machine.nextTick == nil)
        #expect(replay.tick(.seconds(10_000)).ping == false)
        _ = replay.send(replay.request(1, .sub, entity: queueID(1)))
        _ = try replay.answer(1, .ok, entity: queueID(1), at: .seconds(100))
        // The deadline of a command that was answered wakes once for nothing.
        #expect(replay.tick(.seconds(30)).actions == [])
        #expect(replay.machine.nextTick == .seconds(700))
        #expect(replay.tick(.seconds(699)).ping == false)
        #expect(replay.tick(.seconds(700)).ping)
        #expect(replay.tick(.seconds(701)).ping == false)
        _ = replay.send(replay.request(2, .ping, deadline: .seconds(730)))
        _ = try replay.answer(2, .pong, at: .seconds(705))
        _ = replay.tick(.seconds(730))
        #expect(replay.machine.nextTick == .seconds(1_305))
    }

    @Test("Three unanswered commands end a session that has been silent for a quarter of an hour")
    func deadRouter() throws {
        var replay = try Replay()
        _ = replay.send(replay.request(1, .sub, entity: queueID(1)))
        #expect(replay.tick(.seconds(30)).actions == ["1: timeout"])
        _ = replay.send(replay.request(2, deadline: .seconds(60)))
        #expect(replay.tick(.seconds(60)).actions == ["2: timeout"])
        _ = replay.send(replay.request(3, deadline: .seconds(899)))
        #expect(replay.tick(.seconds(899)).actions == ["3: timeout"])
        #expect(replay.tick(.seconds(900)).actions == ["close network"])
    }

    @Test("Anything that arrives makes unanswered commands forgotten")
    func aliveRouter() throws {
        var replay = try Replay()
        for number in 1...5 as ClosedRange<UInt8> {
            _ = replay.send(replay.request(number, deadline: .seconds(30)))
        }
        #expect(replay.tick(.seconds(30)).actions.count == 5)
        _ = replay.receive(try replay.block((queueID(1), .none, .end)), at: .seconds(31))
        #expect(replay.tick(.seconds(2_000)).actions == [])
    }

    @Test("Any sequence of bytes as a block's content is survived")
    func fuzz() throws {
        let random = SeededRandomSource(seed: 5)
        var replay = try Replay()
        _ = replay.send(replay.request(1, .sub, entity: queueID(1)))
        let good = try Replay().context.unauthorized(message(1), correlationID: correlationID(1), entity: queueID(1))
        for round in 0..<150 {
            var content: Bytes = [1, UInt8(good.count >> 8), UInt8(good.count & 0xFF)] + good
            for _ in 0...(round % 4) {
                let noise = random.bytes(3)
                content[(Int(noise[0]) << 8 | Int(noise[1])) % content.count] = noise[2]
            }
            _ = replay.receive(try replay.sealed(content))
        }
        #expect(!replay.machine.hasEnded)
    }
}
