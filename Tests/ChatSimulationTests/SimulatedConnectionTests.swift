import ChatEngine
import ChatRules
import Foundation
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire
import TestSupport
import Testing

@testable import ChatSimulation

/// A simulated agent with one user, and its events as they come.
private struct Party {
    let agent: SimulatedAgent
    let user: AgentUserID
    private var reports: AsyncStream<AgentNotification>.Iterator

    init(_ simulator: ConnectionSimulator, _ name: String) async throws {
        agent = SimulatedAgent(simulator, as: name)
        reports = agent.events.makeAsyncIterator()
        try await agent.start()
        let known = try await agent.users().first
        if let known { user = known } else { user = try await agent.createUser(servers: [AgentServer(SMPServerWithAuth(Self.server))]) }
    }

    static let server: SMPServerAddress = {
        let hash = String(repeating: "A", count: 43) + "="
        guard let server = try? SMPServerAddress(wireString: "smp://\(hash)@router.example") else { preconditionFailure("the address is well formed") }
        return server
    }()

    /// The next event, whose effects count as stored.
    mutating func next() async throws -> AgentNotification {
        let notification = try #require(await reports.next(isolation: nil))
        if let id = notification.durableID { agent.confirm(id) }
        return notification
    }

    /// The next event that is wanted, after others.
    mutating func next<Value>(_ wanted: (AgentNotification) -> Value?) async throws -> Value {
        while true { if let value = wanted(try await next()) { return value } }
    }

    func send(_ text: String, to connection: ConnectionID, key: Int64? = nil) async throws -> AcceptedMessage {
        try #require(await agent.send([AgentSendRequest(connection: connection, body: Bytes(text.utf8), key: key)]).first).get()
    }

    mutating func message() async throws -> (AgentMessageID, String) {
        try await next { if case .message(let metadata, _, let body) = $0.event { (metadata.messageID, String(decoding: body, as: UTF8.self)) } else { nil } }
    }
}

@Suite("Simulated connections") struct SimulatedConnectionTests {
    private let simulator = ConnectionSimulator()

    private func invite(_ party: Party) async throws -> CreatedConnection {
        try await party.agent.createConnection(
            user: party.user, mode: .invitation, linkData: .invitation(UserLinkData(Bytes("shown".utf8))), clientData: nil, pq: .supported,
            subscription: .subscribe)
    }

    private func join(_ party: Party, _ link: ConnectionRequestURI, info: String) async throws -> ConnectionID {
        let id = try await party.agent.prepareToJoin(user: party.user, link: link, pqSupport: true)
        _ = try await party.agent.join(
            user: party.user, connection: id, link: link, info: Bytes(info.utf8), pqSupport: true, subscription: .subscribe)
        return id
    }

    /// Two parties that are connected by an invitation.
    private func connected(_ ann: inout Party, _ ben: inout Party) async throws -> (ConnectionID, ConnectionID) {
        let made = try await invite(ann)
        let joined = try await join(ben, made.link, info: "ben")
        let (confirmation, info) = try await ann.next { if case .confirmation(let id, _, _, let info) = $0.event { (id, info) } else { nil } }
        #expect(info == Bytes("ben".utf8))
        try await ann.agent.allowConnection(made.id, confirmation: confirmation, info: Bytes("ann".utf8))
        #expect(try await ann.next().event == .connected(pqEncryption: false))
        #expect(try await ben.next().event == .information(pqSupport: false, info: Bytes("ann".utf8)))
        #expect(try await ben.next().event == .connected(pqEncryption: false))
        return (made.id, joined)
    }

    @Test("begin with an invitation, which both sides share a security code of") func invitation() async throws {
        var ann = try await Party(simulator, "ann"), ben = try await Party(simulator, "ben")
        let (toBen, toAnn) = try await connected(&ann, &ben)
        let (code, same) = try await (ann.agent.ratchetHash(of: toBen), ben.agent.ratchetHash(of: toAnn))
        #expect(code == same)
    }

    @Test("carry messages in order, one at a time, and receipts back") func messages() async throws {
        var ann = try await Party(simulator, "ann"), ben = try await Party(simulator, "ben")
        let (toBen, toAnn) = try await connected(&ann, &ben)
        let sent = try await ann.send("one", to: toBen)
        _ = try await ann.send("two", to: toBen)
        let first = try await ben.message()
        // Ann has not heard of either yet.
        #expect(first.1 == "one" && simulator.unfinishedCount == 4)
        try await ben.agent.acknowledge(toAnn, message: first.0, receipt: [])
        let second = try await ben.message()
        #expect(second.1 == "two")
        let receipts = try await ann.next { if case .receipts(let metadata, let receipts) = $0.event { (metadata.messageID, receipts) } else { nil } }
        #expect(receipts.1 == [MessageReceipt(messageID: sent.messageID, status: .ok)])
        try await ben.agent.acknowledge(toAnn, message: second.0, receipt: nil)
        try await ann.agent.acknowledge(toBen, message: receipts.0, receipt: nil)
        #expect(simulator.unfinishedCount == 0)
    }

    @Test("take a message with a number that was used once") func repeatedNumbers() async throws {
        var ann = try await Party(simulator, "ann"), ben = try await Party(simulator, "ben")
        let (toBen, toAnn) = try await connected(&ann, &ben)
        let sent = try await ann.send("one", to: toBen, key: 7)
        #expect(try await ann.send("one", to: toBen, key: 7) == sent)
        let first = try await ben.message()
        try await ben.agent.acknowledge(toAnn, message: first.0, receipt: nil)
        // A repeated acknowledgement is of nothing.
        try await ben.agent.acknowledge(toAnn, message: first.0, receipt: nil)
        #expect(try await ann.next().event == .sent(sent.messageID, proxy: nil))
        #expect(simulator.unfinishedCount == 0)
    }

    @Test("keep what comes while an agent is away, and repeat what it has not stored") func restarts() async throws {
        var ann = try await Party(simulator, "ann"), ben = try await Party(simulator, "ben")
        let (toBen, toAnn) = try await connected(&ann, &ben)
        _ = try await ann.send("one", to: toBen)
        let first = try await ben.message()
        await ben.agent.suspend(timeout: .zero)
        await ben.agent.close()
        _ = try await ann.send("two", to: toBen)
        ben = try await Party(simulator, "ben")
        let again = try await ben.message()
        #expect(again == first)
        try await ben.agent.acknowledge(toAnn, message: again.0, receipt: nil)
        #expect(try await ben.message().1 == "two")
    }

    @Test("are unfinished until the parties have stored each step of the handshake") func handshake() async throws {
        var ann = try await Party(simulator, "ann"), ben = try await Party(simulator, "ben")
        let made = try await invite(ann)
        #expect(simulator.unfinishedCount == 0)
        _ = try await join(ben, made.link, info: "ben")
        #expect(simulator.unfinishedCount == 1)
        let confirmation = try await ann.next { if case .confirmation(let id, _, _, _) = $0.event { id } else { nil } }
        #expect(simulator.unfinishedCount == 0)
        try await ann.agent.allowConnection(made.id, confirmation: confirmation, info: [])
        #expect(simulator.unfinishedCount == 3)
        _ = try await ann.next()
        for _ in 1...2 { _ = try await ben.next() }
        #expect(simulator.unfinishedCount == 0)
    }

    @Test("keep what happens while an agent is suspended, and tell it when it goes on") func suspension() async throws {
        var ann = try await Party(simulator, "ann"), ben = try await Party(simulator, "ben")
        let made = try await invite(ann)
        await ann.agent.suspend(timeout: .zero)
        #expect(try await ann.next().event == .suspended)
        _ = try await join(ben, made.link, info: "ben")
        await ann.agent.resume()
        let confirmation = try await ann.next { if case .confirmation(let id, _, _, _) = $0.event { id } else { nil } }
        try await ann.agent.allowConnection(made.id, confirmation: confirmation, info: [])
        _ = try await ben.next { $0.event == .connected(pqEncryption: false) ? true : nil }
        // What was stored is not told again, and what was not is.
        await ann.agent.suspend(timeout: .zero)
        await ann.agent.resume()
        #expect(try await ann.next().event == .connected(pqEncryption: false))
        #expect(try await ann.next().event == .suspended)
        #expect(try await ann.next().event == .connected(pqEncryption: false))
        #expect(simulator.unfinishedCount == 0)
    }

    @Test("begin at an address once its owner accepts") func addresses() async throws {
        var ann = try await Party(simulator, "ann"), ben = try await Party(simulator, "ben")
        let address = try await ann.agent.createConnection(
            user: ann.user, mode: .contact, linkData: .contact(UserContactData(userData: UserLinkData([1]))), clientData: "group", pq: .off,
            subscription: .subscribe)
        let resolved = try await ben.agent.resolveShortLink(user: ben.user, link: #require(address.shortLink))
        #expect(resolved.fixed.connectionRequest == address.link && resolved.user.userData == UserLinkData([1]))
        let asking = try await join(ben, resolved.fixed.connectionRequest, info: "hello")
        let request = try await ann.next { if case .request(let id, _, _, _) = $0.event { id } else { nil } }
        let accepted = try await ann.agent.prepareToAccept(user: ann.user, invitation: request, pqSupport: true)
        _ = try await ann.agent.accept(
            user: ann.user, connection: accepted, invitation: request, info: [2], pqSupport: true, subscription: .subscribe)
        let confirmation = try await ben.next { if case .confirmation(let id, _, _, let info) = $0.event, info == [2] { id } else { nil } }
        try await ben.agent.allowConnection(asking, confirmation: confirmation, info: [3])
        let information: Bytes = try await ann.next { if case .information(_, let info) = $0.event { info } else { nil } }
        #expect(information == [3])
        _ = try await ann.send("hello", to: accepted)
        #expect(try await ben.message().1 == "hello")
    }

    @Test("show what their owner sets, under a key that stays") func linkData() async throws {
        let ann = try await Party(simulator, "ann"), key = Ed25519.generateKeyPair(SystemRandomSource()).privateKey
        let made = try await ann.agent.createAddress(
            user: ann.user, identity: LinkIdentity(key: key, entityID: [9]), clientData: nil, subscription: .subscribe
        ) { _ in UserContactData(userData: UserLinkData([1])) }
        let link = try #require(made.shortLink)
        #expect(try await ann.agent.setShortLink(made.id, linkData: .contact(UserContactData(userData: UserLinkData([2]))), clientData: nil) == link)
        let resolved = try await ann.agent.resolveShortLink(user: ann.user, link: link)
        #expect(resolved.fixed.rootKey == key.publicKey && resolved.fixed.linkEntityID == [9] && resolved.user.userData == UserLinkData([2]))
        #expect(try await ann.agent.linkPrivateKey(of: made.id)?.publicKey == key.publicKey)
    }

    @Test("are refused by a link that is used, or opened by another, or gone") func usedLinks() async throws {
        let ann = try await Party(simulator, "ann"), ben = try await Party(simulator, "ben"), eve = try await Party(simulator, "eve")
        let made = try await invite(ann), link = try #require(made.shortLink)
        _ = try await ben.agent.resolveShortLink(user: ben.user, link: link)
        _ = try await ben.agent.resolveShortLink(user: ben.user, link: link)
        await #expect(throws: AgentError.gone(Party.server)) { try await eve.agent.resolveShortLink(user: eve.user, link: link) }
        _ = try await join(ben, made.link, info: "")
        await #expect(throws: AgentError.gone(Party.server)) { try await join(eve, made.link, info: "") }
        let other = try await invite(ann)
        try await ann.agent.delete([other.id], waitDelivery: false)
        await #expect(throws: AgentError.gone(Party.server)) { try await join(eve, other.link, info: "") }
        await #expect(throws: AgentError.gone(Party.server)) { try await eve.agent.resolveShortLink(user: eve.user, link: #require(other.shortLink)) }
    }

    @Test("whose peer has deleted them fail as at a router") func deletion() async throws {
        var ann = try await Party(simulator, "ann"), ben = try await Party(simulator, "ben")
        let (toBen, toAnn) = try await connected(&ann, &ben)
        try await ben.agent.delete([toAnn], waitDelivery: false)
        #expect(try await ben.next().event == .connectionsDeleted([toAnn]))
        let sent = try await ann.send("one", to: toBen)
        #expect(try await ann.next().event == .messageFailed(sent.messageID, .gone(Party.server)))
        try await ann.agent.deleteUser(ann.user, deleteQueues: true)
        let (connections, users) = try await (ann.agent.connections(), ann.agent.users())
        #expect(connections.isEmpty && users.isEmpty)
    }

    @Test("have no room for a message that no router would take") func largeMessages() async throws {
        var ann = try await Party(simulator, "ann"), ben = try await Party(simulator, "ben")
        let (toBen, _) = try await connected(&ann, &ben)
        let limit = AgentLimits.messageBodyLength(agentVersion: 7, pqSupport: false)
        _ = try await ann.send(String(repeating: "a", count: limit), to: toBen)
        await #expect(throws: AgentError.self) { try await ann.send(String(repeating: "a", count: limit + 1), to: toBen) }
        let open = try await invite(ann)
        await #expect(throws: AgentError.self) { try await ann.send("to nobody", to: open.id) }
    }
}
