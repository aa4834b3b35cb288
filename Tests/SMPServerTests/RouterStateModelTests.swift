import RouterFaults
import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import RouterSupport
@testable import SMPServer

/// Random histories against the simplest thing that could be right, with the process killed in between.
@Suite struct RouterStateModelTests {
    /// What a queue should hold.
    struct Expected {
        var record: QueueRecord
        var recipientKey: PublicAuthKey
        var senderKey: PublicAuthKey?
        var isOff = false
        /// Bodies in order; nil stands for the notice of a full queue.
        var messages: [(id: Identifier, body: Bytes?)] = []
        var subscriber: SessionID?
        var delivered: Identifier?
        var link: Bytes?
    }

    struct Sink: RecordSink {
        let journal: Journal
        mutating func append(_ record: JournalRecord, body: Bytes) -> LogRange { journal.append(record, body: body) }
    }

    final class History {
        let random: SeededRandomSource
        let storage = FaultyStorage()
        var journal: Journal
        var state: RouterState
        var expected: [Identifier: Expected] = [:]
        let limits = RouterState.Limits(messageQuota: 4, messageLifetime: nil)
        var outputs: [RoutedOutput] = []
        var nextSession: UInt64 = 1
        var sessions: [SessionID] = []

        init(seed: UInt64) throws {
            random = SeededRandomSource(seed: seed)
            (journal, _) = try Journal.open(storage, durability: .always, segmentSize: 4_000)
            state = RouterState(limits: limits)
        }

        func number(_ bound: Int) -> Int { Int(UInt16(random.bytes(1)[0]) << 8 | UInt16(random.bytes(1)[0])) % max(1, bound) }
        func queue() -> Expected? {
            expected.isEmpty
                ? nil
                : expected.values.sorted { $0.record.recipientID.bytes.lexicographicallyPrecedes($1.record.recipientID.bytes) }[
                    number(expected.count)]
        }

        func run(
            _ command: SMPCommand, _ entity: EntityID, _ key: PublicAuthKey?, _ material: PreparedCommand.Material = .none,
            from session: SessionID
        ) -> RouterOutput? {
            let prepared = PreparedCommand(
                correlationID: CorrelationID(random.bytes(24)), entity: entity, command: command, version: 18, key: key,
                material: material)
            var sink = Sink(journal: journal)
            outputs = []
            state.execute(prepared, from: session, now: 1_000, sink: &sink, outputs: &outputs)
            return outputs.first?.output
        }

        func answer(_ output: RouterOutput?) -> SMPBrokerMessage? {
            if case .message(let message)? = output?.content { message } else { nil }
        }

        func session() -> SessionID {
            if sessions.isEmpty || number(10) == 0 {
                let session = SessionID(number: nextSession)
                nextSession += 1
                state.open(session)
                sessions.append(session)
            }
            return sessions[number(sessions.count)]
        }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func aRandomHistoryWithKillsInBetweenLosesNothingThatWasDurable(_ seed: UInt64) throws {
        let history = try History(seed: seed)
        for step in 0..<700 {
            switch history.number(20) {
            case 0, 1: try create(history)
            case 2...8: try send(history)
            case 9...11: try subscribe(history)
            case 12...15: try acknowledge(history)
            case 16: try delete(history)
            case 17: try changeLink(history)
            case 18: disconnect(history)
            default:
                try history.journal.commit()
                if history.number(4) == 0 { try clear(history) }
                if history.number(3) == 0 { try restart(history) }
            }
            // Idle queues become bytes meanwhile, and queues again.
            if step % 3 == 0 { history.state.store.restSome() }
            #expect(history.state.store.count == history.expected.count, "step \(step)")
        }
        try history.journal.commit()
        try restart(history)
        try compare(history)
    }

    private func create(_ history: History) throws {
        let key = X25519.generateKeyPair(history.random).publicKey
        let request = NewQueueRequest(
            recipientKey: .x25519(key), encryptionKey: key, subscription: .onlyCreate, mode: .messaging(link: nil))
        let material = try NewQueueMaterial(request, random: history.random)
        let output = history.run(.new(request), .none, .x25519(key), .queue(material), from: history.session())
        guard case .ids(let ids) = history.answer(output) else { throw TestClientError.closed }
        let record = try #require(history.state.store.slot(recipient: ids.recipientID).flatMap(history.state.store.queue)?.record)
        history.expected[record.recipientID] = Expected(record: record, recipientKey: .x25519(key))
    }

    private func send(_ history: History) throws {
        guard var queue = history.queue() else { return }
        let body = history.random.bytes(history.number(200))
        let id = Identifier(history.random.bytes(24))!
        let isFull = queue.messages.last.map { $0.body == nil } ?? false
        let output = history.run(
            .send(MessageFlags(), body), queue.record.senderID.entity, queue.senderKey, .message(id, notification: nil),
            from: history.session())
        if isFull {
            #expect(history.answer(output) == .err(.quota))
        } else if queue.messages.count == history.limits.messageQuota {
            #expect(history.answer(output) == .err(.quota))
            queue.messages.append((id, nil))
        } else {
            #expect(history.answer(output) == .ok)
            queue.messages.append((id, body))
            let deliveries = history.outputs.dropFirst()
            if queue.messages.count == 1, let subscriber = queue.subscriber, queue.delivered == nil {
                #expect(deliveries.map(\.session) == [subscriber])
                queue.delivered = id
            } else {
                #expect(deliveries.isEmpty)
            }
        }
        history.expected[queue.record.recipientID] = queue
    }

    private func subscribe(_ history: History) throws {
        guard var queue = history.queue() else { return }
        let session = history.session()
        let former = queue.subscriber
        let output = history.run(.sub, queue.record.recipientID.entity, queue.recipientKey, from: session)
        #expect(history.answer(output) == .sok(nil))
        let ends = history.outputs.filter { if case .message(.end) = $0.output.content { true } else { false } }
        #expect(ends.map(\.session) == (former.map { $0 == session ? [] : [$0] } ?? []))
        let deliveries = history.outputs.compactMap {
            if case .delivery(let delivery) = $0.output.content { delivery } else { nil }
        }
        #expect(deliveries.map(\.message.id) == (queue.messages.first.map { [$0.id] } ?? []))
        queue.subscriber = session
        queue.delivered = queue.messages.first?.id
        history.expected[queue.record.recipientID] = queue
    }

    private func acknowledge(_ history: History) throws {
        guard var queue = history.queue() else { return }
        let session = queue.subscriber ?? history.session()
        let id = history.number(5) == 0 ? Identifier(history.random.bytes(24)) : queue.delivered
        let output = history.run(
            .ack(MessageID(id?.bytes ?? [])), queue.record.recipientID.entity, queue.recipientKey, from: session)
        guard let delivered = queue.delivered, queue.subscriber == session, id == delivered else {
            #expect(history.answer(output) == .err(.noMessage))
            return
        }
        #expect(queue.messages.first?.id == delivered)
        queue.messages.removeFirst()
        queue.delivered = queue.messages.first?.id
        if let next = queue.delivered {
            guard case .delivery(let delivery)? = output?.content else { throw TestClientError.closed }
            #expect(delivery.message.id == next)
        } else {
            #expect(history.answer(output) == .ok)
        }
        history.expected[queue.record.recipientID] = queue
    }

    private func delete(_ history: History) throws {
        guard let queue = history.queue(), history.number(3) == 0 else { return }
        let output = history.run(.del, queue.record.recipientID.entity, queue.recipientKey, from: history.session())
        #expect(history.answer(output) == .ok)
        history.expected[queue.record.recipientID] = nil
    }

    private func changeLink(_ history: History) throws {
        guard var queue = history.queue() else { return }
        if queue.link == nil || history.number(2) == 0 {
            let id = queue.record.link?.id ?? Identifier(history.random.bytes(24))!
            let data = QueueLinkData(fixedData: [1], userData: history.random.bytes(100))
            let output = history.run(
                .lset(id.entity, data), queue.record.recipientID.entity, queue.recipientKey, from: history.session())
            #expect(history.answer(output) == .ok)
            queue.link = data.wireBytes
        } else {
            let output = history.run(.ldel, queue.record.recipientID.entity, queue.recipientKey, from: history.session())
            #expect(history.answer(output) == .ok)
            queue.link = nil
        }
        queue.record = try #require(
            history.state.store.slot(recipient: queue.record.recipientID).flatMap(history.state.store.queue)?.record)
        history.expected[queue.record.recipientID] = queue
    }

    private func disconnect(_ history: History) {
        guard !history.sessions.isEmpty else { return }
        let session = history.sessions.remove(at: history.number(history.sessions.count))
        history.state.close(session)
        for (id, queue) in history.expected where queue.subscriber == session {
            history.expected[id]?.subscriber = nil
            history.expected[id]?.delivered = nil
        }
    }

    /// Everything committed comes back; sessions do not.
    private func restart(_ history: History) throws {
        let queues: [JournalReplay.Queue]
        (history.journal, queues) = try Journal.open(history.storage, durability: .always, segmentSize: 4_000)
        history.state = RouterState(limits: history.limits, queues: queues)
        history.sessions = []
        for id in history.expected.keys {
            history.expected[id]?.subscriber = nil
            history.expected[id]?.delivered = nil
        }
        try compare(history)
    }

    private func compare(_ history: History) throws {
        #expect(history.state.store.count == history.expected.count)
        var live = 0
        for (id, expected) in history.expected {
            let queue = try #require(history.state.store.slot(recipient: id).flatMap(history.state.store.queue))
            #expect(queue.record.senderID == expected.record.senderID)
            #expect(queue.record.link?.id == expected.record.link?.id)
            #expect(queue.messages.map(\.id) == expected.messages.map(\.id))
            for (message, content) in zip(queue.messages, expected.messages) {
                #expect(message.kind == (content.body == nil ? .quota : .message))
                #expect(try history.journal.body(at: message.position) == content.body ?? [])
                live += message.position.count
            }
            #expect(try queue.linkPosition.map { try history.journal.body(at: $0) } == expected.link)
            live += queue.position.count + (queue.linkPosition?.count ?? 0)
        }
        #expect(history.state.store.liveBytes == live)
        #expect(history.state.store.messageCount == history.expected.values.reduce(0) { $0 + $1.messages.count })
    }

    /// What the worker does, with a kill before the old segment is removed now and then.
    private func clear(_ history: History) throws {
        guard var scanner = try history.journal.oldestSegment() else { return }
        var sink = Sink(journal: history.journal)
        while !scanner.isAtEnd {
            let item = try #require(try scanner.next())
            guard history.state.store.needs(item) else { continue }
            #expect(!history.state.store.keep(item, body: try scanner.body(of: item), sink: &sink))
        }
        try history.journal.commit()
        if history.number(3) == 0 { return try restart(history) }
        try history.journal.removeOldestSegment()
        for (_, expected) in history.expected {
            let queue = history.state.store.slot(recipient: expected.record.recipientID).flatMap(history.state.store.queue)
            for (message, content) in zip(queue?.messages ?? [], expected.messages) {
                if content.body != nil { #expect(try history.journal.body(at: message.position) == content.body) }
            }
        }
    }

    @Test func aLossOfPowerLosesNothingThatWasAnswered() throws {
        let history = try History(seed: 77)
        try create(history)
        var durable: [Identifier: Int] = [:]
        for step in 0..<60 {
            try send(history)
            try subscribe(history)
            try acknowledge(history)
            if step % 7 == 0 { try create(history) }
            if step % 3 == 0 {
                try history.journal.commit()
                durable = history.expected.mapValues { $0.messages.count }
            }
        }
        // Queues that were durable are there, with at least what they had then, unless it was acknowledged since.
        let (_, queues) = try Journal.open(history.storage.durableContents)
        #expect(queues.count >= durable.count)
        #expect(Set(queues.map(\.record.recipientID)).isSuperset(of: durable.keys))
    }

    @Test func aDamagedMessageIsPassedOverAndTheNextDelivered() throws {
        let history = try History(seed: 5)
        try create(history)
        let queue = try #require(history.queue())
        for _ in 0..<3 { try send(history) }
        try history.journal.commit()
        let session = history.session()
        _ = history.run(.sub, queue.record.recipientID.entity, queue.recipientKey, from: session)
        guard case .delivery(let delivery)? = history.outputs.last?.output.content else { throw TestClientError.closed }
        var sink = Sink(journal: history.journal)
        let next = try #require(history.state.lose(delivery, from: session, sink: &sink))
        guard case .delivery(let second) = next.output.content else { throw TestClientError.closed }
        #expect(second.message.id == history.expected[queue.record.recipientID]?.messages[1].id)
        #expect(history.state.counters.messagesLost == 1)
        // It is acknowledged as any other.
        let output = history.run(
            .ack(MessageID(second.message.id.bytes)), queue.record.recipientID.entity, queue.recipientKey, from: session)
        guard case .delivery(let third)? = output?.content else { throw TestClientError.closed }
        #expect(third.message.id == history.expected[queue.record.recipientID]?.messages[2].id)
        // Said twice, it loses nothing more.
        #expect(history.state.lose(delivery, from: session, sink: &sink) == nil)
    }

    @Test func aMessageFoundDamagedWhileClearingKeepsItsPlaceAndIsPassedOver() throws {
        let history = try History(seed: 6)
        try create(history)
        let queue = try #require(history.queue())
        for _ in 0..<3 { try send(history) }
        let slot = try #require(history.state.store.slot(recipient: queue.record.recipientID))
        let message = try #require(history.state.store.queue(slot)?.messages[0])
        let frame = RecordFrameFake.frame(for: message)
        let item = SegmentScanner.Item(
            frame: frame,
            record: .message(
                queue: queue.record.recipientID, sequence: 0,
                JournalMessage(id: message.id, timestamp: message.timestamp, flags: message.flags, kind: .message)),
            attributes: [], range: message.position)
        var sink = Sink(journal: history.journal)
        #expect(history.state.store.keep(item, body: nil, sink: &sink))
        _ = history.run(.sub, queue.record.recipientID.entity, queue.recipientKey, from: history.session())
        guard case .delivery(let delivery)? = history.outputs.last?.output.content else { throw TestClientError.closed }
        #expect(delivery.message.id == history.expected[queue.record.recipientID]?.messages[1].id)
        #expect(history.state.counters.messagesLost == 1)
        // And so after a restart.
        try history.journal.commit()
        let (_, queues) = try Journal.open(history.storage, durability: .always, segmentSize: 4_000)
        #expect(queues.first?.messages.count == 2)
    }
}

/// A frame that only a test needs: reading never makes one by hand.
private enum RecordFrameFake {
    static func frame(for message: StoredMessage) -> RecordFrame {
        var bytes = Bytes()
        let record = JournalRecord.message(
            queue: message.id, sequence: 0,
            JournalMessage(id: message.id, timestamp: message.timestamp, flags: message.flags, kind: message.kind))
        RecordFrame.append(record, body: Bytes(repeating: 0, count: message.bodyLength), batch: 1, isFirst: true, to: &bytes)
        return RecordFrame(bytes[...])!
    }
}
