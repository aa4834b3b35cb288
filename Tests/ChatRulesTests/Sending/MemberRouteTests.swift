import ChatAPI
import ChatProtocol
import SMPWire
import Testing

@testable import ChatRules

@Suite("The way of a message to a member")
struct MemberRouteTests {
    private static let id = SharedMessageID(Bytes(repeating: 1, count: 12))

    private func message(forwardable: Bool = true, isForward: Bool = false) throws -> OutgoingMessage {
        var message = try OutgoingMessage(.newMessage(MessageContainer(content: .text("a"))), id: Self.id)
        (message.isForwardable, message.isForward) = (forwardable, isForward)
        return message
    }

    private func route(
        to member: GroupMember, in group: GroupInfo = RuleFixtures.group(), _ messages: [OutgoingMessage]? = nil, inviter: GroupMember? = nil
    ) throws -> MemberRoute {
        MemberRoute(of: try messages ?? [message()], to: member, in: group) { inviter }
    }

    private func connection(_ change: (inout Connection) -> Void) -> Connection {
        var connection = RuleFixtures.connection()
        change(&connection)
        return connection
    }

    private static let full: @Sendable (inout Connection) -> Void = { $0.quotaErrorCounter = Connection.inactiveErrorCount }
    private static let disabled: @Sendable (inout Connection) -> Void = { $0.authErrorCounter = Connection.disablingErrorCount }

    @Test("a connected member gets its messages over the connection, and nobody writes to itself or to one who was rejected")
    func connected() throws {
        let connection = RuleFixtures.connection()
        for status in [ConnectionStatus.ready, .sendReady] {
            let open = RuleFixtures.connection(status)
            #expect(try route(to: RuleFixtures.member(connection: open)) == .send(open, isBatched: true))
        }
        #expect(try route(to: RuleFixtures.member(1, category: .user, connection: connection)) == .none)
        #expect(try route(to: RuleFixtures.member(2, .member, .rejected, connection: connection)) == .none)
    }

    @Test("batches go to members who read them: those from version 5 on, and administrators from version 9 on, who forward messages one by one before")
    func batches() throws {
        for (version, role, isBatched) in [
            (4, GroupMemberRole.member, false), (5, .member, true), (8, .moderator, true), (8, .admin, false), (8, .owner, false), (9, .admin, true),
        ] {
            let connection = RuleFixtures.connection(version: version)
            let member = RuleFixtures.member(2, role, connection: connection, version: version)
            #expect(try route(to: member) == .send(connection, isBatched: isBatched), "version \(version), \(role)")
        }
    }

    @Test("messages wait for a member whose queue is full, and are lost to one whose queue is gone")
    func brokenConnections() throws {
        #expect(try route(to: RuleFixtures.member(connection: connection(Self.full))) == .wait)
        #expect(try route(to: RuleFixtures.member(connection: connection(Self.disabled))) == .none)
        for status in [ConnectionStatus.deleted, .failed(connectionError: "x")] {
            #expect(try route(to: RuleFixtures.member(connection: RuleFixtures.connection(status))) == .none, "\(status)")
        }
    }

    @Test("messages wait for those whom this profile has invited and for its host, and the introducer forwards them to others")
    func withoutConnection() throws {
        let forwarder = RuleFixtures.member(9, .admin), old = RuleFixtures.member(9, .admin, version: 3)
        for connection in [nil, RuleFixtures.connection(.new)] {
            for category in [GroupMemberCategory.invitee, .host] {
                #expect(try route(to: RuleFixtures.member(category: category, connection: connection), inviter: forwarder) == .wait)
            }
            for category in [GroupMemberCategory.pre, .post] {
                let member = RuleFixtures.member(category: category, connection: connection)
                #expect(try route(to: member, inviter: forwarder) == .forwarded)
                #expect(try route(to: member, inviter: old) == .wait, "its client forwards nothing")
                #expect(try route(to: member) == .wait, "nobody has introduced it")
                let former = RuleFixtures.member(category: category, connection: connection.map { _ in RuleFixtures.connection(.new, version: 3) }, version: 3)
                #expect(try route(to: former, inviter: forwarder) == .wait, "it does not read forwarded messages")
            }
        }
    }

    @Test("what the introducer does not forward waits, and what this profile forwards itself does not")
    func notForwarded() throws {
        let member = RuleFixtures.member(), forwarder = RuleFixtures.member(9, .admin)
        #expect(try route(to: member, [message(), message(forwardable: false)], inviter: forwarder) == .wait)
        #expect(try route(to: member, [message(forwardable: false, isForward: true)], inviter: forwarder) == .none)
    }

    @Test("in a channel, members write to relays, and relays to members")
    func channels() throws {
        let connection = RuleFixtures.connection()
        let relay = RuleFixtures.member(2, .relay, connection: connection), reader = RuleFixtures.member(3, .observer, connection: connection)
        let here = RuleFixtures.group(RuleFixtures.me(.relay), channel: true), there = RuleFixtures.group(channel: true)
        #expect(try route(to: relay, in: there) == .send(connection, isBatched: true))
        #expect(try route(to: reader, in: there) == .none)
        #expect(try route(to: reader, in: here) == .send(connection, isBatched: true))
        #expect(try route(to: relay, in: here) == .none)
        #expect(try route(to: RuleFixtures.member(2, .relay, connection: RuleFixtures.connection(.new)), in: there) == .none)
        #expect(try route(to: RuleFixtures.member(2, .relay), in: there) == .none)
    }

    @Test("messages wait for a relay whose queue is full, and not for a subscriber: it gets the history")
    func fullQueuesInChannels() throws {
        let full = connection(Self.full)
        #expect(try route(to: RuleFixtures.member(2, .relay, connection: full), in: RuleFixtures.group(channel: true)) == .wait)
        #expect(try route(to: RuleFixtures.member(2, .observer, connection: full), in: RuleFixtures.group(RuleFixtures.me(.relay), channel: true)) == .none)
        let gone = connection(Self.disabled)
        #expect(try route(to: RuleFixtures.member(2, .relay, connection: gone), in: RuleFixtures.group(channel: true)) == .none)
    }

    @Test("the introducer is asked for only where it matters")
    func introducerIsRead() throws {
        var reads = 0
        let connected = RuleFixtures.member(connection: RuleFixtures.connection())
        _ = MemberRoute(of: [try message()], to: connected, in: RuleFixtures.group()) {
            reads += 1
            return nil
        }
        #expect(reads == 0)
        struct Unreadable: Error {}
        #expect(throws: Unreadable.self) { try MemberRoute(of: [try message()], to: RuleFixtures.member(), in: RuleFixtures.group()) { throw Unreadable() } }
    }
}
