import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPAgent
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Every message of members, from every role in every status, about others' messages and the sender's own ones, to a host and to a plain member.
@Suite("Rights of members by their status")
struct MemberStatusTests {
    private static let mallory = "mallory"

    /// A group in which Mallory was a member, and has written.
    private struct Team {
        let scene: RuleScene
        let members: [String: GroupMemberID]
        let targets: AttackTargets
        /// Mallory's messages to all and to the moderators.
        let toAll: SharedMessageID, toModerators: SharedMessageID
        var mallory: RuleScene.Sender { .member(members["mallory"] ?? 0) }

        /// - Parameters:
        ///   - own: The role of this profile.
        ///   - role: The role of Mallory.
        init(own: GroupMemberRole, role: GroupMemberRole) async throws {
            let scene = try await RuleScene()
            let members = try await scene.addGroup(
                as: own, with: ["owner": .owner, "admin": .admin, "bob": .member, "mallory": role]
            ) { preferences in
                preferences.set(.reactions, .on)
                preferences.set(.support, .on)
            }
            try await scene.updateApps()
            let ids = try await scene.run { transaction in
                let group = try transaction.conversations.group(RuleScene.group, of: try transaction.user())
                for id in members.values { try transaction.members.introduce(try transaction.conversations.member(id, in: group), in: group) }
                return try members.mapValues { try #require(try transaction.db.members.memberIdentifier($0)) }
            }
            let mallory = try #require(members["mallory"]), attacker = try #require(ids["mallory"])
            func write(_ text: String, as name: String, scope: MessageScope? = nil) async throws -> SharedMessageID {
                let shared = SharedMessageID.random(), sender = try #require(members[name])
                try await scene.receive([.newMessage(MessageContainer(content: .text(text), scope: scope))], from: .member(sender), id: shared)
                return shared
            }
            // Observers have written before they became observers.
            try await scene.run { try $0.db.members.update(mallory, role: .member, at: $0.now) }
            toAll = try await write("mallory's words", as: "mallory")
            toModerators = try await write("mallory's question", as: "mallory", scope: .member(attacker))
            try await scene.run { try $0.db.members.update(mallory, role: role, at: $0.now) }
            targets = AttackTargets(
                owner: try #require(ids["owner"]), admin: try #require(ids["admin"]), member: try #require(ids["bob"]),
                stranger: MemberID((0..<12).map { UInt8($0) }), attacker: attacker, ownersMessage: try await write("owner's words", as: "owner"),
                membersMessage: try await write("bob's words", as: "bob"), profile: try await scene.group().groupProfile)
            (self.scene, self.members) = (scene, members)
        }

        /// What Mallory may try with its own messages, and as a member.
        var own: [MemberAttack] {
            let thumb = MessageReaction.emoji(ReactionEmoji.allCases[0])
            let me = MessageScope.member(targets.attacker)
            func react(_ id: SharedMessageID, _ author: MemberID, _ scope: MessageScope?) -> ChatMessageEvent {
                .react(MessageReactionChange(messageID: id, memberID: author, scope: scope, reaction: thumb, add: true))
            }
            return [
                MemberAttack(name: "edits to all", event: .updateMessage(MessageUpdate(messageID: toAll, content: .text("changed")))),
                MemberAttack(
                    name: "edits to all, named as support", event: .updateMessage(MessageUpdate(messageID: toAll, content: .text("changed"), scope: me))),
                MemberAttack(
                    name: "edits to moderators", event: .updateMessage(MessageUpdate(messageID: toModerators, content: .text("changed"), scope: me))),
                MemberAttack(
                    name: "edits to moderators, named as to all", event: .updateMessage(MessageUpdate(messageID: toModerators, content: .text("again")))),
                MemberAttack(name: "deletes to all", event: .deleteMessage(MessageDeletion(messageID: toAll))),
                MemberAttack(name: "deletes to all as a moderator", event: .deleteMessage(MessageDeletion(messageID: toAll, memberID: targets.attacker))),
                MemberAttack(name: "deletes to moderators", event: .deleteMessage(MessageDeletion(messageID: toModerators, scope: me))),
                MemberAttack(name: "reacts to all", event: react(targets.membersMessage, targets.member, nil)),
                MemberAttack(name: "reacts to what may come", event: react(.random(), targets.member, nil)),
                MemberAttack(name: "reacts to moderators", event: react(toModerators, targets.attacker, me)),
                MemberAttack(
                    name: "describes a file to all",
                    event: .fileDescription(messageID: toAll, FileDescription(text: "attack", partNumber: 1, isComplete: true))),
                MemberAttack(name: "cancels a file to all", event: .cancelFile(messageID: toAll)),
                MemberAttack(name: "renames itself", event: .info(Profile(displayName: "spam", fullName: ""))),
                MemberAttack(name: "invites bob", event: .inviteMember(memberID: targets.member, IntroInvitation(groupConnectionRequest: "nonsense"))),
                MemberAttack(name: "reports a connection", event: .memberConnected(memberID: targets.member)),
                MemberAttack(name: "writes to moderators", event: .newMessage(MessageContainer(content: .text("attack"), scope: me))),
                MemberAttack(name: "invites moderators to a contact", event: .groupDirectInvitation(connectionRequest: "x", content: nil, scope: me)),
            ]
        }

        /// What an event of Mallory changes here, and the tags of what is sent because of it.
        func outcome(of attack: MemberAttack) async throws -> (changes: [String: [String]], sent: [ChatEventTag]) {
            let before = try await scene.run { try StoreSnapshot($0.db) }
            let id = attack.takesForeignID ? targets.membersMessage : nil
            let effects = try await scene.effects(of: attack.event, from: mallory, id: id)
            let changes = try await scene.run { try StoreSnapshot($0.db) }.changes(since: before)
            return (changes, effects.sent.map(\.tag))
        }

        func set(_ status: GroupMemberStatus, isBlocked: Bool = false) async throws {
            let id = members["mallory"] ?? 0
            try await scene.run { transaction in
                try transaction.db.members.update(id, status: status, at: transaction.now)
                try transaction.db.members.update(id, isBlocked: isBlocked, at: transaction.now)
            }
        }
    }

    private static let leaving = MemberAttack(name: "leaves", event: .leaveGroup)

    @Test(
        "who is not in the group changes nothing and reaches nobody, whatever it was before",
        arguments: [GroupMemberStatus.removed, .left, .groupDeleted, .invited], [GroupMemberRole.member, .owner])
    func outside(_ status: GroupMemberStatus, _ role: GroupMemberRole) async throws {
        for own in [GroupMemberRole.owner, .member] {
            let team = try await Team(own: own, role: role)
            try await team.set(status)
            for attack in team.targets.attacks + team.own + [Self.leaving] {
                let (changes, sent) = try await team.outcome(of: attack)
                #expect(changes.isEmpty && sent.isEmpty, "\(status.rawValue) \(role.code) \(attack.name) at \(own.code): \(changes) \(sent)")
            }
            try await team.scene.close()
        }
    }

    @Test(
        "what cannot be read of somebody who is not in the group leaves no note in the chat",
        arguments: [GroupMemberStatus.removed, .left, .groupDeleted, .invited])
    func unreadable(_ status: GroupMemberStatus) async throws {
        for own in [GroupMemberRole.owner, .member] {
            let team = try await Team(own: own, role: .member)
            try await team.set(status)
            let before = try await team.scene.run { try StoreSnapshot($0.db) }
            let told = try await team.scene.effects(ofBody: Bytes("[0,{},\"x\"]".utf8), from: team.mallory)
            let changes = try await team.scene.run { try StoreSnapshot($0.db) }.changes(since: before)
            #expect(changes.isEmpty && told.events.types == ["chatError"] && told.uselessMessages == 3, "\(status.rawValue) at \(own.code): \(changes)")
            try await team.scene.close()
        }
    }

    @Test(
        "who waits to be let in changes nothing that members see, and reaches no member, whatever its role is to be",
        arguments: [GroupMemberStatus.pendingApproval, .pendingReview], [GroupMemberRole.observer, .member, .owner])
    func waiting(_ status: GroupMemberStatus, _ role: GroupMemberRole) async throws {
        /// What goes to its own support chat.
        let free: Set<String> = [
            "writes", "sends a file as old clients do", "edits to moderators", "edits to moderators, named as to all", "deletes to moderators",
            "reacts to moderators", "writes to moderators", "renames itself",
        ]
        /// What the moderators who know it hear of.
        let reviewed: Set<String> = ["invites bob", "reports a connection"]
        for own in [GroupMemberRole.owner, .member] {
            let team = try await Team(own: own, role: role)
            try await team.set(status)
            // An edit of what it has not written is a message of its own, which later attacks would be about.
            for attack in team.targets.attacks + team.own
            where attack.name != "edits as an observer" && !(status == .pendingReview && reviewed.contains(attack.name)) {
                let (changes, sent) = try await team.outcome(of: attack)
                let isFree = free.contains(attack.name)
                #expect(isFree || changes.isEmpty, "\(status.rawValue) \(role.code) \(attack.name) at \(own.code): \(changes)")
                if status == .pendingApproval || !isFree { #expect(sent.isEmpty, "\(status.rawValue) \(role.code) \(attack.name): \(sent)") }
            }
            #expect(try await team.scene.texts(in: .group(RuleScene.group)) == ["mallory's words", "owner's words", "bob's words"])
            try await team.scene.close()
        }
    }

    @Test(
        "who is blocked for all changes nothing of what it wrote before, governs nobody, and what it writes is out of sight",
        arguments: [GroupMemberRole.observer, .member, .moderator, .admin, .owner])
    func blocked(_ role: GroupMemberRole) async throws {
        /// What stays out of sight, and what joining needs.
        let hidden: Set<String> = [
            "writes", "sends a file as old clients do", "writes to moderators", "edits as an observer", "edits in a foreign support chat",
            "writes into a foreign support chat", "writes as the group", "edits as the group",
        ]
        let free: Set<String> = ["invites bob", "reports a connection"]
        for own in [GroupMemberRole.owner, .member] {
            let team = try await Team(own: own, role: role)
            let visible = try await team.scene.messages(in: .group(RuleScene.group)).filter { $0.meta.deleted == nil }.map(\.meta.text)
            try await team.set(.connected, isBlocked: true)
            for attack in team.targets.attacks + team.own where !free.contains(attack.name) {
                let (changes, sent) = try await team.outcome(of: attack)
                #expect(sent.isEmpty, "\(role.code) \(attack.name): \(sent)")
                // A new profile waits where nobody sees it (`WithheldProfileTests`).
                let seen = changes.filter { $0.key != "withheld_profiles" }
                if !hidden.contains(attack.name) { #expect(seen.isEmpty, "\(role.code) \(attack.name) at \(own.code): \(changes)") }
            }
            let now = try await team.scene.messages(in: .group(RuleScene.group)).filter { $0.meta.deleted == nil }
            #expect(now.map(\.meta.text) == visible)
            #expect(now.filter { !$0.reactions.isEmpty }.isEmpty)
            try await team.scene.close()
        }
    }

    @Test("a message that came while its author was blocked may be changed: it stays out of sight")
    func hiddenItems() async throws {
        let team = try await Team(own: .owner, role: .member)
        try await team.set(.connected, isBlocked: true)
        let id = SharedMessageID.random()
        try await team.scene.receive([.newMessage(MessageContainer(content: .text("hidden")))], from: team.mallory, id: id)
        try await team.scene.receive([.updateMessage(MessageUpdate(messageID: id, content: .text("hidden still")))], from: team.mallory)
        let item = try #require(try await team.scene.messages(in: .group(RuleScene.group)).first { $0.meta.sharedMessageID == id })
        guard case .blockedByAdmin? = item.meta.deleted else { throw UnexpectedAnswer() }
        #expect(item.meta.text == "hidden still")
        try await team.scene.close()
    }

    @Test("an observer edits nothing that it wrote to all before, whatever chat it names, and still edits what it has asked the moderators")
    func observers() async throws {
        for own in [GroupMemberRole.owner, .member] {
            let team = try await Team(own: own, role: .observer)
            for attack in team.own where attack.name.hasPrefix("edits to all") || attack.name == "describes a file to all" {
                let (changes, sent) = try await team.outcome(of: attack)
                #expect(changes.isEmpty && sent.isEmpty, "\(attack.name)")
            }
            let edit = try #require(team.own.first { $0.name == "edits to moderators, named as to all" })
            #expect(try await !team.outcome(of: edit).changes.isEmpty)
            try await team.scene.close()
        }
    }

    @Test("a moderator that became a member changes no more what it wrote into the support chat of another member")
    func demotedModerator() async throws {
        let team = try await Team(own: .owner, role: .moderator)
        let id = SharedMessageID.random(), bob = MessageScope.member(team.targets.member)
        try await team.scene.receive([.newMessage(MessageContainer(content: .text("yes"), scope: bob))], from: team.mallory, id: id)
        let mallory = team.members["mallory"] ?? 0
        try await team.scene.run { try $0.db.members.update(mallory, role: .member, at: $0.now) }
        for scope in [nil, bob, .member(team.targets.attacker)] as [MessageScope?] {
            let edit = MemberAttack(name: "", event: .updateMessage(MessageUpdate(messageID: id, content: .text("no"), scope: scope)))
            #expect(try await team.outcome(of: edit).changes.isEmpty)
            let reaction = MessageReactionChange(
                messageID: id, memberID: team.targets.attacker, scope: scope, reaction: .emoji(ReactionEmoji.allCases[0]), add: true)
            #expect(try await team.outcome(of: MemberAttack(name: "", event: .react(reaction))).changes.isEmpty)
        }
        try await team.scene.close()
    }

    @Test("what another member passes on in the name of a removed one does not count")
    func forwardedOfRemoved() async throws {
        let team = try await Team(own: .member, role: .member)
        try await team.set(.removed)
        let admin = RuleScene.Sender.member(team.members["admin"] ?? 0)
        for attack in team.own where attack.tag.isForwardedInGroups {
            let before = try await team.scene.run { try StoreSnapshot($0.db) }
            let forward = MessageForward(sender: .member(team.targets.attacker, name: "mallory"), brokerTimestamp: MemoryStore.now)
            try await team.scene.receive([.forwardMessage(forward, ChatMessage(messageID: .random(), event: attack.event))], from: admin)
            let changes = try await team.scene.run { try StoreSnapshot($0.db) }.changes(since: before)
            #expect(changes.isEmpty, "\(attack.name): \(changes)")
        }
        try await team.scene.close()
    }

    @Test("the removal of a member whom nobody knows is passed on only for those who may remove", arguments: [GroupMemberRole.member, .moderator, .admin])
    func removalOfStranger(_ role: GroupMemberRole) async throws {
        let team = try await Team(own: .owner, role: role)
        let attack = MemberAttack(name: "", event: .removeMember(memberID: team.targets.stranger, withMessages: true))
        #expect(try await team.outcome(of: attack).sent.isEmpty == (role < .admin))
        try await team.scene.close()
    }

    @Test("who was refused writes nothing, not to the moderators either, and is forgotten as soon as it writes")
    func rejected() async throws {
        let scene = try await RuleScene(), id = MemberID((0..<12).map { UInt8($0) })
        let bob = try #require(try await scene.addGroup(with: ["bob": .member])["bob"])
        let bobs = try await scene.run { try #require(try $0.db.members.memberIdentifier(bob)) }, profile = try await scene.group().groupProfile
        func attacks(by own: MemberID) -> [MemberAttack] {
            let message = SharedMessageID(Bytes(repeating: 7, count: 12))
            let targets = AttackTargets(
                owner: id, admin: id, member: bobs, stranger: id, attacker: own, ownersMessage: message, membersMessage: message, profile: profile)
            let support = MessageContainer(content: .text("attack"), scope: .member(own))
            return targets.attacks + [MemberAttack(name: "writes to the moderators", event: .newMessage(support)), Self.leaving]
        }
        for index in attacks(by: id).indices {
            let mallory = try await rejected(in: scene)
            let attack = attacks(by: try await scene.run { try #require(try $0.db.members.memberIdentifier(mallory)) })[index]
            let before = try await scene.run { try StoreSnapshot($0.db) }
            let effects = try await scene.effects(of: attack.event, from: .member(mallory))
            #expect(effects.sent.isEmpty && effects.events.types == ["messageError"], "\(attack.name): \(effects.events.types)")
            let now = try await scene.run { try StoreSnapshot($0.db) }
            for table in ["chat_items", "contacts", "group_reactions"] {
                #expect(now.rows(of: table) == before.rows(of: table), "\(attack.name): \(table)")
            }
            #expect(try await scene.count("group_members WHERE category <> 'user'") == 1, "bob is there, and mallory is forgotten")
        }
        try await scene.close()
    }

    /// Adds a joiner who was refused, as its connection leaves it.
    private func rejected(in scene: RuleScene) async throws -> GroupMemberID {
        try await scene.run { transaction in
            let id = try transaction.insertConnectedMember("mallory", role: .observer, in: RuleScene.group)
            try transaction.db.members.update(id, status: .rejected, at: transaction.now)
            return id
        }
    }

    @Test("whatever a refused joiner answers, it is forgotten", arguments: [ChatMessageEvent.ok, .info(Profile(displayName: "x", fullName: ""))])
    func rejectedAnswers(_ answer: ChatMessageEvent) async throws {
        let scene = try await RuleScene()
        try await scene.addGroup()
        let mallory = try await rejected(in: scene)
        try await scene.run { transaction in
            let record = try #require(try transaction.db.connections.connections(ofMember: mallory).last)
            try transaction.db.connections.update(record.id, status: .accepted, at: transaction.now)
        }
        _ = try await scene.report(.information(pqSupport: false, info: ChatMessage(event: answer).body), from: .member(mallory))
        #expect(try await scene.count("group_members WHERE status = 'rejected'") == 0)
        try await scene.close()
    }
}
