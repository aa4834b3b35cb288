import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import SMPAgent
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// The ways of messages to members: in which order, when they wait, and what the statuses at the members make of the one of the message.
@Suite struct MemberDeliveryTests {
    private static let group = ChatReference.group(RuleScene.group)

    private func scene(_ members: KeyValuePairs<String, GroupMemberRole> = ["bob": .member, "cath": .member]) async throws -> (
        RuleScene, [String: GroupMemberID]
    ) {
        let scene = try await RuleScene()
        let ids = try await scene.addGroup(with: members)
        try await scene.updateApps()
        return (scene, ids)
    }

    /// Sends texts by one command.
    private func send(_ texts: [String], in scene: RuleScene, after seconds: Int64 = 0) async throws -> Effects {
        try await scene.memory.run(at: MemoryStore.now.adding(seconds: seconds)) { transaction in
            let messages = texts.map { Composition(ComposedMessage(content: .text($0))) }
            _ = try transaction.sentMessages.send(messages, to: Self.group, isLive: false, ttl: nil, of: try transaction.user())
        }.1
    }

    private func texts(_ messages: [ReceivedChatMessage]?) -> [String] {
        (messages ?? []).compactMap { if case .newMessage(let container) = $0.message.event { container.content.text } else { nil } }
    }

    /// The connection of a member is as it would be.
    private func change(_ id: GroupMemberID, in scene: RuleScene, _ status: ConnectionStatus) async throws {
        try await scene.run { transaction in
            let record = try #require(try transaction.db.connections.connections(ofMember: id).last)
            try transaction.db.connections.update(record.id, status: status, at: transaction.now)
        }
    }

    @Test func administratorsAreSentToFirst() async throws {
        let (scene, ids) = try await scene(["bob": .member, "owner": .owner, "mod": .moderator, "admin": .admin])
        let effects = try await send(["hello"], in: scene)
        let order = try await scene.run { transaction in
            try effects.deliveries.map { delivery in
                try #require(try ids.first { try transaction.db.connections.connections(ofMember: $0.value).last?.id == delivery.connectionID }?.key)
            }
        }
        #expect(order == ["owner", "admin", "bob", "mod"], "they pass it on to those who are not connected")
        try await scene.close()
    }

    @Test func whatWaitsForAConnectionGoesBeforeWhatIsSentOnceItTakesMessages() async throws {
        let (scene, ids) = try await scene()
        let bob = try #require(ids["bob"])
        try await change(bob, in: scene, .accepted)
        let first = try await send(["one"], in: scene), second = try await send(["two"], in: scene)
        for effects in [first, second] { #expect(Set(try await scene.sent(effects).keys) == ["cath"]) }
        #expect(try await scene.count("pending_member_messages") == 2)
        try await change(bob, in: scene, .sendReady)
        let third = try await send(["three"], in: scene)
        #expect(texts(try await scene.sent(third)["bob"]) == ["one", "two", "three"])
        #expect(texts(try await scene.sent(third)["cath"]) == ["three"])
        #expect(try await scene.count("pending_member_messages") == 0)
        try await scene.close()
    }

    @Test func aChangedProfileGoesBeforeTheFirstMessageAfterTheChangeAndOnce() async throws {
        let (scene, _) = try await scene()
        try await scene.run { try $0.db.run("UPDATE users SET member_profile_updated_at = ?", [$0.now.adding(seconds: 5).stored]) }
        for (seconds, isFirst) in [(Int64(10), true), (20, false)] {
            let messages = try await scene.sent(try await send(["hello"], in: scene, after: seconds))["bob"] ?? []
            let isProfile = messages.map { if case .info = $0.message.event { true } else { false } }
            #expect(isProfile == (isFirst ? [true, false] : [false]))
        }
        try await scene.close()
    }

    @Test func aMemberWhoseQueueIsFullGetsItAllWhenThereIsRoomAgain() async throws {
        let (scene, ids) = try await scene()
        let bob = try #require(ids["bob"])
        try await scene.fillQueue(of: bob)
        for text in ["one", "two"] { #expect(Set(try await scene.sent(try await send([text], in: scene)).keys) == ["cath"]) }
        let effects = try await scene.report(.sendingContinued, from: .member(bob))
        #expect(texts(try await scene.sent(effects)["bob"]) == ["one", "two"])
        #expect(texts(try await scene.sent(try await send(["three"], in: scene))["bob"]) == ["three"])
        let again = try await scene.report(.sendingContinued, from: .member(bob))
        #expect(again.deliveries.isEmpty && again.events.isEmpty)
        try await scene.close()
    }

    @Test func whatWaitsForSeveralMembersIsStoredOnceUntilTheLastHasItOrIsGone() async throws {
        let (scene, ids) = try await scene(["bob": .member, "cath": .member, "dan": .member])
        for name in ["bob", "cath", "dan"] { try await scene.fillQueue(of: try #require(ids[name])) }
        _ = try await send(["one", "two"], in: scene)
        func waiting() async throws -> [Int64] {
            [try await scene.count("pending_member_messages"), try await scene.count("pending_bodies")]
        }
        #expect(try await waiting() == [6, 2])
        let effects = try await scene.report(.sendingContinued, from: .member(try #require(ids["bob"])))
        #expect(texts(try await scene.sent(effects)["bob"]) == ["one", "two"])
        #expect(try await waiting() == [4, 2])
        try await scene.run { transaction in
            let group = try transaction.conversations.group(RuleScene.group, of: try transaction.user())
            for name in ["cath", "dan"] {
                try transaction.db.members.delete(try transaction.conversations.member(try #require(ids[name]), in: group), user: MemoryStore.user)
            }
        }
        #expect(try await waiting() == [0, 0])
        try await scene.close()
    }

    @Test func whatWaitsForThreeWeeksIsGivenUp() async throws {
        let (scene, ids) = try await scene()
        let bob = try #require(ids["bob"]), day: Int64 = 86_400
        try await scene.fillQueue(of: bob)
        for days in [Int64(0), 2, 4] { _ = try await send(["day \(days)"], in: scene, after: days * day) }
        let store = scene.memory.store
        func prune(at days: Int64, limit: Int) async throws -> Int {
            let time = MemoryStore.now.adding(seconds: days * day - RetentionPeriods.waitingMessages)
            return try await store.write { try $0.pendingMessages.delete(before: time, limit: limit) }
        }
        #expect(try await prune(at: 21, limit: 9) == 0)
        #expect(try await prune(at: 30, limit: 1) == 1, "no more at once than asked for")
        #expect(try await prune(at: 24, limit: 9) == 1)
        #expect(texts(try await scene.sent(try await scene.report(.sendingContinued, from: .member(bob)))["bob"]) == ["day 4"])
        #expect(try await scene.count("pending_bodies") == 0)
        try await scene.close()
    }

    @Test func whatWaitedInAnEarlierVersionStillDoes() throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let database = try DatabaseQueue(configuration: configuration)
        let migrator = ChatStoreMigrations.migrator
        try migrator.migrate(database, upTo: "22 ids of messages that several authors use")
        try database.write { db in
            for (member, item, body) in [(1, 7 as Int?, "one"), (2, 7, "one"), (2, nil, "two")] {
                try db.execute(
                    sql: "INSERT INTO pending_member_messages (group_member_id, chat_item_id, body, created_at) VALUES (?, ?, CAST(? AS BLOB), 5)",
                    arguments: [member, item, body])
            }
        }
        try migrator.migrate(database)
        try database.write { db in
            let waiting = try db.pendingMessages.take(member: 2)
            #expect(waiting.map { String(decoding: $0.body, as: UTF8.self) } == ["one", "two"])
            #expect(waiting.map(\.itemID) == [7, nil])
            #expect(try db.number("SELECT count(*) FROM pending_bodies") == 1, "one for the other member")
        }
    }

    @Test func nothingIsKeptForAMemberWhoseQueueIsGoneUntilTheMemberIsEnabled() async throws {
        let (scene, ids) = try await scene()
        let bob = try #require(ids["bob"])
        try await scene.run { transaction in
            let record = try #require(try transaction.db.connections.connections(ofMember: bob).last)
            try transaction.db.connections.update(record.id, authErrors: Connection.disablingErrorCount, quotaErrors: 0)
        }
        #expect(Set(try await scene.sent(try await send(["lost"], in: scene)).keys) == ["cath"])
        #expect(try await scene.count("pending_member_messages") == 0)
        try await scene.run { transaction in
            let record = try #require(try transaction.db.connections.connections(ofMember: bob).last)
            try transaction.db.connections.update(record.id, authErrors: Connection.disablingErrorCount - 1, quotaErrors: 0)
        }
        #expect(Set(try await scene.sent(try await send(["sent"], in: scene)).keys) == ["bob", "cath"])
        try await scene.close()
    }

    @Test func severalMessagesAreOneBodyForAppsThatReadBatchesAndForAdministratorsOfNewerOnes() async throws {
        let versions: [(ChatVersion, member: Int, admin: Int)] = [
            (ChatVersions.directBatching, 1, 1), (ChatVersions.directBatching - 1, 1, 2), (ChatVersions.batching, 1, 2), (ChatVersions.batching - 1, 2, 2),
        ]
        for (version, member, admin) in versions {
            let (scene, ids) = try await scene(["bob": .member, "admin": .admin])
            for id in ids.values { try await scene.setApp(of: id, to: version) }
            let effects = try await send(["one", "two"], in: scene)
            for (name, count) in [("bob", member), ("admin", admin)] {
                let id = try #require(ids[name])
                let connection = try await scene.run { try #require(try $0.db.connections.connections(ofMember: id).last).id }
                #expect(effects.deliveries.count { $0.connectionID == connection } == count, "\(name) of version \(version)")
                #expect(texts(try await scene.sent(effects)[name]) == ["one", "two"])
            }
            try await scene.close()
        }
    }

    @Test(
        arguments: [
            ("both get it", [("bob", GroupSendStatus.sent), ("cath", .sent)], [ItemStatus.sent(progress: .partial), .sent(progress: .complete)]),
            ("one says that it has it", [("bob", .received(receipt: .ok))], [.sendReceived(receipt: .ok, progress: .partial)]),
            (
                "both say so",
                [("bob", .received(receipt: .ok)), ("cath", .received(receipt: .ok))],
                [.sendReceived(receipt: .ok, progress: .partial), .sendReceived(receipt: .ok, progress: .complete)]
            ),
            (
                "what is received stays so",
                [("bob", .received(receipt: .ok)), ("bob", .error(error: .auth)), ("bob", .sent), ("cath", .sent)],
                [.sendReceived(receipt: .ok, progress: .partial), nil, nil, nil]
            ),
            (
                "a receipt with another hash",
                [("bob", .received(receipt: .badMessageHash)), ("cath", .received(receipt: .ok))],
                [.sendReceived(receipt: .badMessageHash, progress: .partial), .sendReceived(receipt: .badMessageHash, progress: .complete)]
            ),
            ("an error of one and then both", [("bob", .error(error: .auth)), ("bob", .sent), ("bob", .sent)], [nil, .sent(progress: .partial), nil]),
            ("somebody else", [("dan", .sent)], [nil]),
        ] as [(String, [(String, GroupSendStatus)], [ItemStatus?])])
    func theStatusOfAMessageFollowsThoseAtTheMembers(_ name: String, _ changes: [(String, GroupSendStatus)], _ expected: [ItemStatus?]) async throws {
        let (scene, ids) = try await scene()
        let item = try await scene.send("hello", to: Self.group)
        // Dan was not there when it was sent.
        let dan = try await scene.run { try $0.insertConnectedMember("dan", role: .member, in: RuleScene.group) }
        var told: [ItemStatus?] = []
        for (name, status) in changes {
            told.append(
                try await scene.run { transaction in
                    let group = try transaction.conversations.group(RuleScene.group, of: try transaction.user())
                    let member = try transaction.conversations.member(ids[name] ?? dan, in: group)
                    return try transaction.outbox.updateStatus(of: [item.id], at: member, to: status, viaProxy: nil, in: group).first?.item.meta.status
                })
        }
        #expect(told == expected, "\(name)")
        try await scene.close()
    }
}
