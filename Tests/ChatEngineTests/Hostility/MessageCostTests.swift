import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// What a received body costs: rows that are written, events that are told of, blocks that are sent. Time is not measured, as what is counted here is what
/// takes it.
@Suite("The cost of a received message")
struct MessageCostTests {
    /// What bodies cost.
    private struct Cost {
        var rows = 0, events = 0, jobs = 0
        /// Bodies that are handed to the agent: a block of 16 KB each.
        var deliveries = 0
    }

    /// The bounds that docs/reliability.md tells, for each message that was read of a body. A message of a group is written down under its id, too.
    private static let rowsPerMessage = 8
    private static let eventsPerMessage = 3
    /// For a body as a whole: the connection, the chat, what could not be read.
    private static let rowsPerBody = 20

    private static func cost(_ body: Bytes, from sender: RuleScene.Sender, in scene: RuleScene) async throws -> Cost {
        let before = try await scene.run { $0.db.totalChangesCount }
        let effects = try await scene.effects(ofBody: body, from: sender)
        let after = try await scene.run { $0.db.totalChangesCount }
        return Cost(rows: after - before, events: effects.events.count, jobs: effects.jobs.count, deliveries: effects.deliveries.count)
    }

    private static func body(_ events: [ChatMessageEvent], id: (Int) -> SharedMessageID? = { _ in .random() }) -> Bytes {
        let elements = events.enumerated().map { ChatMessage(messageID: id($0.offset), event: $0.element).body }
        return Bytes("[".utf8) + Bytes(elements.joined(separator: Bytes(",".utf8))) + Bytes("]".utf8)
    }

    private static func check(_ cost: Cost, messages: Int, recipients: Int, _ what: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(cost.rows <= messages * rowsPerMessage + rowsPerBody + 4 * recipients, "rows of \(what)", sourceLocation: sourceLocation)
        #expect(cost.events <= messages * eventsPerMessage + 2, "events of \(what)", sourceLocation: sourceLocation)
        #expect(cost.jobs <= messages + 1, "jobs of \(what)", sourceLocation: sourceLocation)
    }

    // MARK: Bodies that cannot be read

    @Test("a body of any number of elements that cannot be read is one item and one event", arguments: [1, 255, 32_765])
    func unreadable(_ count: Int) async throws {
        let scene = try await RuleScene()
        let mallory = try await scene.addContact("mallory")
        let ids = try await scene.addGroup(with: ["eve": .member])
        let body = try MessageCompression.compress(Bytes(("[" + Array(repeating: "0", count: count).joined(separator: ",") + "]").utf8))
        for (sender, items) in [(RuleScene.Sender.contact(mallory), "contact_id"), (.member(try #require(ids["eve"])), "group_id")] {
            let before = try await scene.count("chat_items WHERE \(items) IS NOT NULL")
            let cost = try await Self.cost(body, from: sender, in: scene)
            #expect(cost.rows <= Self.rowsPerBody && cost.events == 1 && cost.deliveries == 0)
            #expect(try await scene.count("chat_items WHERE \(items) IS NOT NULL") == before + 1)
        }
        await #expect(throws: Never.self) { try await scene.close() }
    }

    @Test("what cannot be read counts for as many messages as it was, and what is refused, too; what is received counts for none")
    func useless() async throws {
        let scene = try await RuleScene()
        let mallory = try await scene.addContact("mallory")
        let words = ChatMessageEvent.newMessage(MessageContainer(content: .text("x")))
        for (body, useless) in [
            (Self.body([words, words, words]), 0), (Bytes("[0,1,2]".utf8), 3), (Self.body([words]).dropLast() + Bytes(",7,{}]".utf8), 2),
            (Self.body([.unknown(ChatEventTag("x.new"), parameters: JSONObject()), words, .deleteGroup]), 2),
            (Bytes(("[" + Array(repeating: "0", count: 1_000).joined(separator: ",") + "]").utf8), 256),
        ] {
            #expect(try await scene.effects(ofBody: Bytes(body), from: .contact(mallory)).uselessMessages == useless)
        }
        try await scene.close()
    }

    @Test("a small body that becomes hundreds of messages is answered for at most 255 of them, and all of them share the time of one body")
    func amplification() async throws {
        let scene = try await RuleScene()
        let mallory = try await scene.addContact("mallory")
        let word = Bytes(#"{"event":"x.msg.new","params":{"content":{"type":"text","text":"x"}}}"#.utf8)
        let body = try MessageCompression.compress(
            Bytes("[".utf8) + Bytes(Array(repeating: word, count: 900).joined(separator: Bytes(",".utf8))) + Bytes("]".utf8))
        #expect(body.count < 150)
        let cost = try await Self.cost(body, from: .contact(mallory), in: scene)
        Self.check(cost, messages: 255, recipients: 1, "900 messages")
        let items = try await scene.messages(in: .direct(mallory))
        #expect(items.count == 255 && Set(items.map(\.meta.createdAt)).count == 1)
        try await scene.close()
    }

    // MARK: Bodies full of messages

    /// Everything that a contact can send, as often as fits a body.
    private static var ofContacts: [(String, ChatMessageEvent)] {
        let message = SharedMessageID.random(), profile = Profile(displayName: "mallory", fullName: "")
        let invited = MemberIDRole(memberID: MemberID([1]), role: .member), host = MemberIDRole(memberID: MemberID([2]), role: .owner)
        return [
            ("words", .newMessage(MessageContainer(content: .text("x")))),
            ("a link", .newMessage(MessageContainer(content: .text("https://example.org @a #b *c* _d_")))),
            ("a file", .newMessage(MessageContainer(content: .file("x"), file: FileInvitation(name: "x", size: 1, fileDescription: .pending)))),
            ("an old file", .file(FileInvitation(name: "x", size: 1))),
            ("an edit of nothing", .updateMessage(MessageUpdate(messageID: .random(), content: .text("x")))),
            ("an edit", .updateMessage(MessageUpdate(messageID: message, content: .text("x")))),
            ("a deletion", .deleteMessage(MessageDeletion(messageID: message))),
            ("a reaction", .react(MessageReactionChange(messageID: message, reaction: .emoji(ReactionEmoji.allCases[0]), add: true))),
            ("a profile", .info(profile)), ("a call", .callInvitation(CallID([1]), CallInvitation(callType: CallType(media: .audio, encryption: false)))),
            ("the end of a call", .endCall(CallID([1]))), ("a request", .contact(ContactRequest(profile: profile))), ("nothing", .ok),
            ("a probe", .probe(Probe(Bytes(repeating: 1, count: 32)))), ("a hash", .checkProbe(ProbeHash(Bytes(repeating: 1, count: 32)))),
            ("a confirmation", .confirmProbe(Probe(Bytes(repeating: 1, count: 32)))),
            (
                "an invitation",
                .groupInvitation(
                    GroupInvitation(
                        fromMember: host, invitedMember: invited, connectionRequest: "nonsense", groupProfile: GroupProfile(displayName: "team", fullName: "")))
            ), ("a description", .fileDescription(messageID: message, FileDescription(text: "x", partNumber: 1, isComplete: false))),
            ("a cancellation", .cancelFile(messageID: message)), ("a chunk", .fileChunk(messageID: message, .cancel)),
            ("an unknown message", .unknown(ChatEventTag("x.new"), parameters: JSONObject())), ("the end", .deleteContact),
            ("a member's message", .memberConnected(memberID: MemberID([1]))),
        ]
    }

    @Test("of a contact, a body full of messages of one kind costs so much for each message")
    func contacts() async throws {
        for (name, event) in Self.ofContacts {
            let scene = try await RuleScene()
            let mallory = try await scene.addContact("mallory")
            let cost = try await Self.cost(Self.body(Array(repeating: event, count: 255)), from: .contact(mallory), in: scene)
            Self.check(cost, messages: 255, recipients: 1, name)
            #expect(cost.deliveries <= 255, "blocks for \(name)")
            try await scene.close()
        }
    }

    /// The part of this profile in a group, and of the one who attacks it.
    enum Part: CaseIterable, Sendable {
        case host, member, memberByAdmin, relay, subscriber

        var role: GroupMemberRole {
            switch self {
            case .host: .owner
            case .member, .memberByAdmin: .member
            case .relay: .relay
            case .subscriber: .observer
            }
        }

        var attacker: GroupMemberRole {
            switch self {
            case .host, .member: .member
            case .memberByAdmin: .admin
            case .relay: .observer
            case .subscriber: .relay
            }
        }

        var usesRelays: Bool { self == .relay || self == .subscriber }
    }

    @Test("of a member, a body with many messages of one kind costs so much for each message, in every role", arguments: Part.allCases)
    func members(_ part: Part) async throws {
        let count = 60
        for index in try await Self.targets(part).1.attacks.indices {
            let (scene, targets, mallory) = try await Self.targets(part)
            let attack = targets.attacks[index]
            let body = Self.body(Array(repeating: attack.event, count: count)) { number in
                attack.takesForeignID && number == 0 ? targets.ownersMessage : .random()
            }
            let cost = try await Self.cost(body, from: .member(mallory), in: scene)
            Self.check(cost, messages: count, recipients: Self.others, "\(part): \(attack.name)")
            // What is passed on goes in bodies as full as the one that came.
            #expect(cost.deliveries <= Self.others + count, "blocks for \(part): \(attack.name)")
            try await scene.close()
        }
    }

    /// Members besides this profile.
    private static let others = 12

    /// A group with an attacker and eleven others.
    private static func targets(_ part: Part) async throws -> (RuleScene, AttackTargets, GroupMemberID) {
        let scene = try await RuleScene()
        let ids = try await scene.addGroup(
            as: part.role,
            with: [
                "olga": .owner, "adam": .admin, "bob": .member, "mallory": part.attacker, "m1": .member, "m2": .member, "m3": .member, "m4": .member,
                "m5": .member,
                "m6": .member, "m7": .member, "m8": .member,
            ])
        func member(_ name: String) async throws -> MemberID { try await scene.member(try #require(ids[name])).memberID }
        let owners = SharedMessageID.random(), members = SharedMessageID.random()
        let words = ChatMessageEvent.newMessage(MessageContainer(content: .text("words")))
        try await scene.receive([words], from: .member(try #require(ids["olga"])), id: owners)
        try await scene.receive([words], from: .member(try #require(ids["bob"])), id: members)
        if part.usesRelays {
            try await scene.run {
                try $0.db.groups.update(RuleScene.group, usesRelays: true, ownStatus: part == .relay ? .accepted : nil, publicMemberCount: 12)
            }
        }
        let targets = AttackTargets(
            owner: try await member("olga"), admin: try await member("adam"), member: try await member("bob"), stranger: MemberID((0..<12).map { UInt8($0) }),
            attacker: try await member("mallory"), ownersMessage: owners, membersMessage: members, profile: try await scene.group().groupProfile)
        return (scene, targets, try #require(ids["mallory"]))
    }
}
