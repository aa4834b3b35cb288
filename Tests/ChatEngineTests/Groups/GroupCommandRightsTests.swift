import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore

/// What the own role in a group lets a profile do: each command from the least role on that it needs, and no command of somebody who is not in.
@Suite struct GroupCommandRightsTests {
    private static let roles: [GroupMemberRole] = [.observer, .author, .member, .moderator, .admin, .owner]
    private static let group = RuleScene.group

    /// The rows that commands name.
    private struct Targets: Sendable {
        var members: [String: GroupMemberID]
        var own, others: ChatItemID

        subscript(_ name: String) -> GroupMemberID { members[name] ?? 0 }
    }

    private struct Command: Sendable {
        var name: String
        var least: GroupMemberRole
        var run: @Sendable (ChatTransaction, Targets) throws -> ChatResponse
    }

    private static func send(_ text: String, _ scope: GroupChatScope? = nil, asGroup: Bool = false)
        -> @Sendable (ChatTransaction, Targets) throws -> ChatResponse
    {
        { transaction, _ in
            try transaction.sentMessages.send(
                [Composition(ComposedMessage(content: .text(text)))], to: .group(group, scope: scope), isLive: false, ttl: nil, asGroup: asGroup,
                of: try transaction.user())
        }
    }

    private static let commands: [Command] = [
        Command(name: "write to all", least: .author, run: send("x")),
        Command(name: "write as the group", least: .owner, run: send("x", asGroup: true)),
        Command(name: "write to the moderators", least: .observer, run: send("x", .memberSupport(nil))),
        Command(name: "write to a member as a moderator", least: .moderator) { transaction, targets in
            try send("x", .memberSupport(targets["member"]))(transaction, targets)
        },
        Command(name: "edit the own message", least: .author) {
            try $0.sentMessages.edit($1.own, in: .group(group), to: UpdatedMessage(content: .text("y")), isLive: false)
        },
        Command(name: "delete the own message for all", least: .observer) { try $0.sentMessages.delete([$1.own], of: .group(group), .broadcast) },
        Command(name: "react", least: .observer) {
            try $0.sentMessages.react(to: $1.others, in: .group(group), with: .emoji(ReactionEmoji.allCases[0]), isAdded: true)
        },
        Command(name: "moderate", least: .moderator) { try $0.moderation.moderate([$1.others], of: group) },
        Command(name: "change a role", least: .admin) { try $0.members.setRole(.observer, of: [$1["member"]], in: group) },
        Command(name: "make an owner", least: .owner) { try $0.members.setRole(.owner, of: [$1["member"]], in: group) },
        Command(name: "change the role of an owner", least: .owner) { try $0.members.setRole(.member, of: [$1["owner"]], in: group) },
        Command(name: "block", least: .moderator) { try $0.members.block([$1["member"]], true, in: group) },
        Command(name: "block an administrator", least: .admin) { try $0.members.block([$1["admin"]], true, in: group) },
        Command(name: "remove", least: .admin) { try $0.members.remove([$1["member"]], from: group, withMessages: false) },
        Command(name: "remove an owner", least: .owner) { try $0.members.remove([$1["owner"]], from: group, withMessages: true) },
        Command(name: "let in", least: .moderator) { try $0.members.accept($1["waiting"], in: group, as: .member) },
        Command(name: "let in as an administrator", least: .admin) { try $0.members.accept($1["waiting"], in: group, as: .admin) },
        Command(name: "rename", least: .owner) { transaction, _ in
            let user = try transaction.user()
            return try transaction.groups.update(
                try transaction.conversations.group(group, of: user), to: GroupProfile(displayName: "new", fullName: ""), of: user)
        },
        Command(name: "delete the group", least: .owner) { transaction, _ in try transaction.groups.delete(group) },
        Command(name: "leave", least: .observer) { transaction, _ in try transaction.groups.leave(group) },
    ]

    private func scene() async throws -> (RuleScene, Targets) {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(with: ["member": .member, "moderator": .moderator, "admin": .admin, "owner": .owner, "waiting": .observer])
        try await scene.updateApps()
        let own = try await scene.send("own", to: .group(Self.group)).id
        try await scene.receive([.newMessage(MessageContainer(content: .text("others")))], from: .member(try #require(members["member"])))
        let others = try #require(try await scene.messages(in: .group(Self.group)).first { $0.meta.text == "others" }).id
        try await scene.run { transaction in
            try transaction.db.members.update(try #require(members["waiting"]), status: .pendingReview, at: transaction.now)
        }
        return (scene, Targets(members: members, own: own, others: others))
    }

    /// Carries out a command with a membership, and takes it back.
    ///
    /// - Returns: The error; nil if it was carried out.
    private func outcome(_ command: Command, _ targets: Targets, in scene: RuleScene, role: GroupMemberRole, status: GroupMemberStatus = .creator) async throws
        -> ChatError?
    {
        try await scene.run { transaction in
            let done = Refusal.command("carried out")
            let outcome = try transaction.attempt {
                let own = try transaction.conversations.group(Self.group, of: try transaction.user()).membership.groupMemberID
                try transaction.db.members.update(own, role: role, at: transaction.now)
                try transaction.db.members.update(own, status: status, at: transaction.now)
                _ = try command.run(transaction, targets)
                throw done
            }
            guard case .failure(let refusal) = outcome, refusal != done else { return nil }
            return refusal.error
        }
    }

    @Test func eachCommandIsCarriedOutFromItsRoleOnAndRefusedBelowWithTheRoleThatIsMissing() async throws {
        let (scene, targets) = try await scene()
        for command in Self.commands {
            for role in Self.roles {
                let error = try await outcome(command, targets, in: scene, role: role)
                if role >= command.least {
                    #expect(error == nil, "\(command.name) as \(role): \(error.map { $0.json.text } ?? "")")
                } else if command.name == "moderate" {
                    // That the author is not below is what is looked at first.
                    #expect(error != nil, "\(command.name) as \(role)")
                } else {
                    guard case .chat(.groupUserRole(_, let required))? = error else {
                        Issue.record("\(command.name) as \(role): \(error.map { $0.json.text } ?? "carried out")")
                        continue
                    }
                    #expect(required == (command.name == "write as the group" && role < .author ? .author : command.least), "\(command.name) as \(role)")
                }
            }
        }
        try await scene.close()
    }

    @Test(arguments: [
        (GroupMemberStatus.invited, "groupNotJoined"), (.removed, "groupMemberUserRemoved"), (.left, "groupMemberUserRemoved"),
        (.groupDeleted, "groupMemberUserRemoved"), (.rejected, "groupMemberUserRemoved"), (.accepted, "groupMemberNotActive"),
        (.unknown, "groupMemberNotActive"),
    ])
    func whoIsNotInChangesNobodyWhateverItsRoleWas(_ status: GroupMemberStatus, _ code: String) async throws {
        let (scene, targets) = try await scene()
        let names = ["change a role", "block", "remove", "let in", "rename"]
        for command in Self.commands where names.contains(command.name) {
            let error = try await outcome(command, targets, in: scene, role: .owner, status: status)
            #expect(error.map { Refusal($0).code } == code, "\(command.name) as one who is \(status.rawValue)")
        }
        // Nothing is written, either.
        for command in Self.commands where ["write to all", "react", "edit the own message", "delete the own message for all"].contains(command.name) {
            #expect(try await outcome(command, targets, in: scene, role: .owner, status: status) != nil, "\(command.name) as one who is \(status.rawValue)")
        }
        try await scene.close()
    }

    @Test func whoIsOutDeletesTheGroupHereWithoutTellingAnybody() async throws {
        for status in [GroupMemberStatus.left, .removed, .groupDeleted, .rejected] {
            let (scene, _) = try await scene()
            let sent = try await scene.memory.run { transaction in
                let own = try transaction.conversations.group(Self.group, of: try transaction.user()).membership.groupMemberID
                try transaction.db.members.update(own, role: .member, at: transaction.now)
                try transaction.db.members.update(own, status: status, at: transaction.now)
                _ = try transaction.groups.delete(Self.group)
            }.1.sent
            #expect(sent.isEmpty, "\(status.rawValue): \(sent.map(\.tag))")
            for table in ["groups", "group_members", "chat_items WHERE group_id IS NOT NULL", "display_names WHERE base = 'team'"] {
                #expect(try await scene.count(table) == 0, "\(table), \(status.rawValue)")
            }
            try await scene.close()
        }
    }

    @Test func severalMembersAreChangedAtOnceUnlessAnAdministratorIsAmongThem() async throws {
        let (scene, targets) = try await scene()
        let two = [targets["member"], targets["moderator"]], withAdmin = [targets["member"], targets["admin"]]
        let refusals: [(String, @Sendable (ChatTransaction) throws -> ChatResponse)] = [
            (
                "can't change role of multiple members when admins selected, or new role is admin",
                { try $0.members.setRole(.member, of: withAdmin, in: Self.group) }
            ),
            ("can't change role of multiple members when admins selected, or new role is admin", { try $0.members.setRole(.admin, of: two, in: Self.group) }),
            ("can't block/unblock multiple members when admins selected", { try $0.members.block(withAdmin, true, in: Self.group) }),
            ("can't remove multiple members when admins selected", { try $0.members.remove(withAdmin, from: Self.group, withMessages: false) }),
            ("can't change role of members pending approval", { try $0.members.setRole(.member, of: [targets["waiting"]], in: Self.group) }),
            ("can't block/unblock members pending approval", { try $0.members.block([targets["waiting"]], true, in: Self.group) }),
            ("groupMemberNotFound", { try $0.members.setRole(.member, of: [targets["member"], 99], in: Self.group) }),
            ("groupMemberNotFound", { try $0.members.block([targets["member"], targets["member"]], true, in: Self.group) }),
            ("groupMemberNotFound", { try $0.members.remove([99], from: Self.group, withMessages: false) }),
            ("groupNotFound", { try $0.members.remove([targets["member"]], from: 2, withMessages: false) }),
            (
                "member should be pending approval and invitee, or pending review and not invitee",
                { try $0.members.accept(targets["member"], in: Self.group, as: .member) }
            ),
        ]
        for (code, command) in refusals { #expect(try await scene.refusal(command) == code) }
        _ = try await scene.run { try $0.members.setRole(.observer, of: two, in: Self.group) }
        for id in two { #expect(try await scene.member(id).role == .observer) }
        _ = try await scene.run { try $0.members.block(two, true, in: Self.group) }
        for id in two { #expect(try await scene.member(id).blockedByAdmin) }
        #expect(try await scene.member(targets["admin"]).blockedByAdmin == false)
        try await scene.close()
    }

    @Test func nobodyChangesItsOwnRoleOrBlocksItself() async throws {
        let (scene, _) = try await scene()
        let own = try await scene.group().membership.groupMemberID
        #expect(try await scene.refusal { try $0.members.setRole(.member, of: [own], in: Self.group) } == "can't change role for self")
        #expect(try await scene.refusal { try $0.members.block([own], true, in: Self.group) } == "can't block/unblock self")
        #expect(try await scene.refusal { try $0.members.remove([own], from: Self.group, withMessages: false) } == "groupMemberNotFound")
        try await scene.close()
    }
}
