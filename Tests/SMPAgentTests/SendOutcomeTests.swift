import SMPProtocol
import SMPWire
import TestSupport
import Testing

@testable import SMPAgent

/// What is told, and what becomes of the connection, when a router has taken a message of ours or never will.
@Suite struct SendOutcomeTests {
    static let auth = AgentError(.smp(server: "smp://one.example", .auth))
    static let quota = AgentError(.smp(server: "smp://one.example", .quota))
    static let large = AgentError(.smp(server: "smp://one.example", .largeMessage))
    static let timeout = AgentError(.broker(address: "smp://one.example", .timeout))

    private static func events(_ transition: Transition) -> [AgentEvent] { transition.notifications.map(\.event) }

    private static func done(_ transition: Transition) -> [String] {
        transition.storeChanges.compactMap {
            if case .deliveryDone(let queue, _, let message, let keepRecord) = $0 { "\(queue) \(message)\(keepRecord ? " kept" : "")" } else { nil }
        }
    }

    // MARK: Given up

    /// What a refusal (`AUTH`, `QUOTA`) of a message of this kind is told as; nil if as it is.
    private static func refusal(_ kind: AgentMessageKind, isInitiator: Bool) -> AgentError? {
        switch kind {
        case .connectionInfo, .connectionInfoReply, .ratchetInfo: AgentError(.connection(.notAvailable, context: ""))
        case .hello: AgentError(.connection(isInitiator ? .notAvailable : .notAccepted, context: ""))
        case .queueAdd: .peer(.queue("QADD: AUTH"))
        case .queueKey: .peer(.queue("QKEY: AUTH"))
        case .queueUse: .peer(.queue("QUSE: AUTH"))
        case .queueTest: .peer(.queue("QTEST: AUTH"))
        case .message, .receipt, .queueContinue, .ratchetReady: nil
        }
    }

    @Test(arguments: AgentMessageKind.allCases, [true, false])
    func `A message of each kind that is given up is told as what its loss means`(kind: AgentMessageKind, isInitiator: Bool) throws {
        let fixture = try QueueSetFixture()
        let state = fixture.state(receive: isInitiator ? [try fixture.receiveQueue(1, primary: true)] : [], send: [try fixture.sendQueue(10, primary: true)])
        for (error, isRefusal) in [(Self.auth, true), (Self.quota, true), (Self.large, false), (Self.timeout, false)] {
            var transition = Transition(state)
            transition.gaveUp(PendingDelivery(message: fixture.message(kind)), to: 10, because: error, elsewhere: [])
            let told = isRefusal ? Self.refusal(kind, isInitiator: isInitiator) ?? error : error
            #expect(Self.events(transition) == [kind == .message ? .messageFailed(5, error) : .failed(told)], "\(error)")
            #expect(Self.done(transition) == ["10 5"])
            #expect(Self.events(transition).map(\.isDurable) == [true])
        }
    }

    @Test(arguments: AgentMessageKind.allCases)
    func `Nothing is told of one that another queue has, of a copy, or of a queue that is left or gone`(kind: AgentMessageKind) throws {
        let fixture = try QueueSetFixture()
        let left = [try fixture.sendQueue(10, primary: true, .sendingQTEST), try fixture.sendQueue(20, .secured, replaces: 10)]
        let cases: [(what: String, queues: [SendQueue], row: RowID, isCopy: Bool, elsewhere: Set<AgentMessageID>, done: [String])] = [
            ("another has it", [try fixture.sendQueue(10, primary: true)], 10, false, [5], ["10 5 kept"]),
            ("another message is elsewhere", [try fixture.sendQueue(10, primary: true)], 10, true, [6], ["10 5"]),
            ("a queue that is left", left, 10, false, [], ["10 5 kept"]),
            ("a queue that is gone", left, 30, false, [], []),
        ]
        for (what, queues, row, isCopy, elsewhere, done) in cases {
            var transition = Transition(fixture.state(send: queues))
            transition.gaveUp(PendingDelivery(message: fixture.message(kind), isCopy: isCopy), to: row, because: Self.auth, elsewhere: elsewhere)
            #expect(Self.events(transition).isEmpty, "\(what)")
            #expect(Self.done(transition) == done, "\(what)")
        }
    }

    @Test func `Of messages that waited too long together, those are told that no other queue has`() throws {
        let fixture = try QueueSetFixture()
        let queues = [try fixture.sendQueue(10, primary: true), try fixture.sendQueue(20)]
        for elsewhere in [[], [6], [5, 7], [5, 6, 7], [8]] as [Set<AgentMessageID>] {
            var transition = Transition(fixture.state(send: queues))
            transition.gaveUp([5, 6, 7], to: 20, because: Self.timeout, elsewhere: elsewhere)
            let lost: [AgentMessageID] = [5, 6, 7].filter { !elsewhere.contains($0) }
            #expect(Self.events(transition) == (lost.isEmpty ? [] : [.messagesFailed(lost, Self.timeout)]))
            let done = [5, 6, 7].map { elsewhere.contains($0) ? "20 \($0) kept" : "20 \($0)" }
            #expect(Self.done(transition) == done)
        }
    }

    // MARK: Delivered

    @Test(arguments: AgentMessageKind.allCases, [QueueMode.messaging, nil])
    func `A connection works when the message that its side ends the handshake with is in the queue`(kind: AgentMessageKind, mode: QueueMode?) throws {
        let fixture = try QueueSetFixture()
        for (receiveStatus, isAnswer) in [(QueueStatus.secured, false), (.active, true)] {
            let queue = try fixture.sendQueue(10, .new, primary: true, mode: mode)
            var transition = Transition(fixture.state(receive: [try fixture.receiveQueue(1, receiveStatus, primary: true)], send: [queue]))
            transition.delivered(fixture.message(kind), to: 10, fixture.context)
            let (status, isConnected): (QueueStatus, Bool) =
                switch kind {
                case .connectionInfo: mode == .messaging ? (.active, true) : (.confirmed, false)
                case .connectionInfoReply: (.confirmed, false)
                case .hello: (.active, isAnswer)
                default: (.new, false)
                }
            #expect(transition.state.sendQueues.map(\.status) == [status])
            #expect(Self.events(transition) == (isConnected ? [.connected(pqEncryption: false)] : []))
            #expect(Self.done(transition) == ["10 5"])
        }
    }

    @Test(arguments: AgentMessageKind.allCases) func `A message for a queue that is gone changes no other queue`(kind: AgentMessageKind) throws {
        let fixture = try QueueSetFixture()
        let queues = [try fixture.sendQueue(10, .new, primary: true), try fixture.sendQueue(20, .new)]
        var transition = Transition(fixture.state(receive: [try fixture.receiveQueue(1, primary: true)], send: queues))
        transition.delivered(fixture.message(kind), to: 30, fixture.context)
        #expect(transition.state.sendQueues == queues)
        #expect(Self.events(transition).isEmpty)
        #expect(Self.done(transition) == ["30 5"])
    }

    @Test func `The keys of queues that were announced go out once, when the connection works`() throws {
        let fixture = try QueueSetFixture()
        let queues = [try fixture.sendQueue(10, .new, primary: true), try fixture.sendQueue(20, .new), try fixture.sendQueue(30, .new)]
        var transition = Transition(fixture.state(receive: [try fixture.receiveQueue(1, primary: true)], send: queues))
        for _ in 1...2 { transition.connected(pqEncryption: true, fixture.context) }
        #expect(Self.events(transition) == [.connected(pqEncryption: true), .connected(pqEncryption: true)])
        #expect(transition.state.sendQueues.map(\.status) == [.new, .confirmed, .confirmed])
        #expect(transition.deliveries.map(\.queue) == [10])
        #expect(transition.deliveries.map(\.delivery.message.kind) == [.queueKey])
        // A ratchet that is out of step keeps them back, and nothing else.
        var state = fixture.state(send: queues)
        state.record.ratchetSync = .required
        var other = Transition(state)
        other.connected(pqEncryption: false, fixture.context)
        #expect(other.state.sendQueues.map(\.status) == [.new, .new, .new])
        #expect(Self.events(other) == [.connected(pqEncryption: false), .failed(.prohibited("sending: the ratchets are out of step"))])
    }
}
