import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import SMPServer

/// What every command is answered in every state of a queue, by who has the right key and by who has not.
@Suite struct CommandMatrixTests {
    enum State: String, CaseIterable, Sendable, CustomStringConvertible {
        case open, secured, contact, off, blocked, deleted

        var description: String { rawValue }
    }

    private let router = BareRouter(seed: 31)
    private let owner: SessionID
    private let other: SessionID
    private static let info = BlockingInfo(reason: .spam)

    init() { (owner, other) = (router.open(), router.open()) }

    /// A new queue, so that no command finds what one before it has done.
    private func queue(_ state: State) throws -> BareQueue {
        let queue = try router.create(state == .contact ? .contact(link: nil) : .messaging(link: nil), from: owner, notifies: true)
        if [.secured, .off, .blocked].contains(state) { #expect(try router.secure(queue, from: other).word == "OK") }
        switch state {
        case .off: #expect(try router.own(.off, queue, from: owner).word == "OK")
        case .blocked: try router.block(queue, Self.info)
        case .deleted: #expect(try router.own(.del, queue, from: owner).word == "OK")
        case .open, .secured, .contact: break
        }
        return queue
    }

    private static let linkID = LinkID(SeededRandomSource(seed: 32).bytes(24))
    private static let data = QueueLinkData(fixedData: [1], userData: [2])
    private static let someKey = Ed25519.generateKeyPair(SeededRandomSource(seed: 33)).publicKey

    /// Commands of recipients by their names, each with its answers in the order of ``State``.
    private static let recipientAnswers: [(name: String, command: SMPCommand, answers: [String])] = [
        ("SUB", .sub, ["SOK", "SOK", "SOK", "SOK", "BLOCKED", "AUTH"]),
        ("GET", .get, ["OK", "OK", "OK", "OK", "BLOCKED", "AUTH"]),
        ("ACK", .ack(MessageID([])), ["NO_MSG", "NO_MSG", "NO_MSG", "NO_MSG", "BLOCKED", "AUTH"]),
        ("QUE", .que, ["INFO", "INFO", "INFO", "INFO", "BLOCKED", "AUTH"]),
        ("KEY", .key(.ed25519(someKey)), ["OK", "AUTH", "OK", "AUTH", "BLOCKED", "AUTH"]),
        ("RKEY", .rkey([.ed25519(someKey)]), ["AUTH", "AUTH", "OK", "AUTH", "BLOCKED", "AUTH"]),
        ("LSET", .lset(linkID, data), ["OK", "AUTH", "OK", "AUTH", "BLOCKED", "AUTH"]),
        ("LDEL", .ldel, ["OK", "OK", "OK", "OK", "BLOCKED", "AUTH"]),
        ("NDEL", .ndel, ["OK", "OK", "OK", "OK", "BLOCKED", "AUTH"]),
        ("OFF", .off, ["OK", "OK", "OK", "OK", "OK", "AUTH"]),
        ("DEL", .del, ["OK", "OK", "OK", "OK", "OK", "AUTH"]),
    ]

    @Test(arguments: State.allCases)
    func theRecipientIsAnsweredAsTheStateOfTheQueueSaysAndNobodyElseLearnsOfIt(_ state: State) throws {
        let index = try #require(State.allCases.firstIndex(of: state))
        for (name, command, answers) in Self.recipientAnswers {
            let queue = try queue(state)
            for key in [queue.senderKey, queue.notifierKey, router.key()] {
                #expect(try router.request(command, queue.recipient, key, from: other).word == "AUTH", "\(name)")
            }
            for entity in [queue.sender, queue.notifier ?? .none, Self.linkID] {
                #expect(try router.request(command, entity, queue.recipientKey, from: owner).word == "AUTH", "\(name) about another id")
            }
            #expect(try router.own(command, queue, from: owner).word == answers[index], "\(name)")
        }
        let queue = try queue(state)
        let renewed = try router.own(.nkey(router.credentials(queue.notifierKey)), queue, from: owner)
        #expect(renewed.word == ["NID", "NID", "NID", "NID", "BLOCKED", "AUTH"][index])
    }

    /// Who sends the command.
    private enum Signer { case nobody, sender, stranger }

    private static let senderAnswers: [(name: String, signer: Signer, answers: [String])] = [
        ("SEND", .nobody, ["OK", "AUTH", "OK", "AUTH", "AUTH", "AUTH"]),
        ("SEND", .sender, ["AUTH", "OK", "AUTH", "AUTH", "BLOCKED", "AUTH"]),
        ("SEND", .stranger, ["AUTH", "AUTH", "AUTH", "AUTH", "AUTH", "AUTH"]),
        ("SKEY", .sender, ["OK", "OK", "AUTH", "OK", "BLOCKED", "AUTH"]),
        ("SKEY", .stranger, ["OK", "AUTH", "AUTH", "AUTH", "AUTH", "AUTH"]),
        ("NSUB", .sender, ["AUTH", "AUTH", "AUTH", "AUTH", "AUTH", "AUTH"]),
    ]

    @Test(arguments: State.allCases)
    func theSenderIsAnsweredAsTheStateOfTheQueueSays(_ state: State) throws {
        let index = try #require(State.allCases.firstIndex(of: state))
        for (name, signer, answers) in Self.senderAnswers {
            let queue = try queue(state)
            let key: PrivateAuthKey? =
                switch signer {
                case .nobody: nil
                case .sender: queue.senderKey
                case .stranger: router.key()
                }
            let command: SMPCommand =
                switch name {
                case "SKEY": .skey(try #require(key).publicKey)
                case "NSUB": .nsub
                default: .send(MessageFlags(), [1])
                }
            #expect(try router.request(command, queue.sender, key, from: other).word == answers[index], "\(name) by \(signer)")
        }
    }

    @Test func aKeyThatIsSetIsTheOneThatSignsTheCommand() throws {
        let queue = try queue(.open)
        let key = router.key()
        #expect(try router.request(.skey(key.publicKey), queue.sender, router.key(), from: other).word == "AUTH")
        #expect(try router.secure(queue, from: other).word == "OK")
    }

    @Test func commandsOfServicesAndProxiesAreRefusedWhereTheyMeanNothing() throws {
        let server = try SMPServerAddress(wireString: "smp://AAAA@router.example")
        let forwarded = ForwardedCommand(version: 17, key: X25519.generateKeyPair(router.random).publicKey, encryptedTransmission: [1])
        let refusals: [(SMPCommand, EntityID, PrivateAuthKey?, SMPErrorType)] = [
            (.subs(.unknown), EntityID([1]), router.key(), .service), (.nsubs(.none), EntityID([1]), router.key(), .service),
            (.prxy(server, nil), .none, nil, .proxy(.basicAuth)), (.pfwd(forwarded), EntityID([1]), nil, .proxy(.noSession)),
            (.rfwd([1]), .none, nil, .command(.prohibited)),
        ]
        for (command, entity, key, error) in refusals {
            #expect(try router.request(command, entity, key, from: owner) == .message(.err(error)), "\(command.tag)")
        }
    }

    @Test func anOwnerCannotLiftABlockByTurningTheQueueOff() throws {
        let id = CorrelationID.random(router.random)
        let sender = SenderID(QueueIDs.senderID(correlationID: id.bytes))
        let queue = try router.create(.contact(link: .init(linkID: Self.linkID, senderID: sender, data: Self.data)), from: owner, id: id)
        #expect(try router.request(.send(MessageFlags(), [1]), queue.sender, from: other).word == "OK")
        try router.block(queue, Self.info)
        #expect(try router.own(.off, queue, from: owner).word == "OK")
        for (command, entity, key) in [
            (SMPCommand.sub, queue.recipient, queue.recipientKey), (.lget, Self.linkID, nil), (.send(MessageFlags(), [2]), queue.sender, nil),
        ] {
            #expect(try router.request(command, entity, key, from: owner) == .message(.err(.blocked(Self.info))), "\(command.tag)")
        }
        // The operator can.
        let slot = try #require(router.state.slot(shown: queue.sender))
        #expect(router.state.unblock(slot, sink: &router.sink))
        #expect(try router.own(.sub, queue, from: owner).word == "SOK")
    }
}
