import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPAgent
import SMPProtocol
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Every message that members send, from every role without the right to it, to a host and to a plain member: what they have stored stays as it is.
@Suite("Rights of members")
struct MemberRightsTests {
    @Test(
        "what a role has no right to changes nothing and is passed on to nobody",
        arguments: [GroupMemberRole.observer, .member, .moderator, .admin])
    func table(_ role: GroupMemberRole) async throws {
        let scene = try await GroupScene(["alice", "bob", "cath", "mallory"])
        try await setRole(.admin, of: "cath", in: scene)
        try await setRole(role, of: "mallory", in: scene)
        let targets = try await targets(in: scene)
        let attacks = targets.attacks.filter { attack in attack.right.map { role < $0 } ?? true }
        for receiver in ["alice", "bob"] {
            try await rest(scene, at: receiver)
            for attack in attacks {
                let before = try await snapshot(of: scene[receiver])
                try await scene.attack(
                    [attack.event], from: "mallory", to: receiver, id: attack.takesForeignID ? targets.membersMessage : nil)
                try await barrier(scene, at: receiver)
                let changes = try await snapshot(of: scene[receiver]).changes(since: before)
                #expect(changes.isEmpty, "\(role.code) \(attack.name) (\(attack.tag)), to \(receiver): \(changes)")
            }
        }
        try await scene.send("the others are not disturbed", as: "bob")
        for name in ["alice", "cath", "mallory"] { await scene.expect("the others are not disturbed", at: name) }
        await scene.close()
    }

    @Test(
        "who waits to be let in reaches nobody but those who let it in, whatever it sends, and a third member sees nothing of it",
        arguments: ["pendingReview", "pendingApproval"])
    func waiting(_ decision: String) async throws {
        let scene = try await GroupScene(["alice", "rita"])
        _ = try await scene["alice"].run(#"/_set link admission #1 {"rules":[{"decision":{"type":"\#(decision)"}}]}"#)
        let eve = try await GroupScene.core("eve", scene.world)
        try await scene.join(eve)
        await scene.eventually("eve is connected and waits", at: "alice") {
            let member = try await scene.member("eve", at: "alice")
            return member.status.isPending && member.activeConnection?.status == .ready
        }
        let rita = try await scene.member("rita", at: "alice").memberID
        let before = try await snapshot(of: scene["rita"])
        let invitation = IntroInvitation(groupConnectionRequest: "nonsense")
        let info = MemberInfo(memberID: rita, role: .member, versions: ChatVersions.supported, profile: Profile(displayName: "eve", fullName: ""))
        try await attack(
            [
                .inviteMember(memberID: rita, invitation), .inviteMember(memberID: rita, invitation), .forwardMemberInvitation(info, invitation),
                .newMember(info, scope: nil), .newMessage(MessageContainer(content: .text("to all"), scope: .member(rita))),
                .memberConnected(memberID: rita), .updateMessage(MessageUpdate(messageID: .random(), content: .text("an edit"))),
                .info(Profile(displayName: "eva", fullName: "")), .groupDirectInvitation(connectionRequest: "nonsense", content: .text("x"), scope: nil),
                .unknown(ChatEventTag("x.barrier"), parameters: JSONObject()),
            ], by: eve, to: "alice")
        let isRead = await scene["alice"].wait {
            $0.contains { if case .messageError(_, _, let text) = $0 { text.hasSuffix("x.barrier") } else { false } }
        }
        try #require(isRead)
        try await scene.send("all is well", as: "alice")
        await scene.expect("all is well", at: "rita")
        #expect(try await snapshot(of: scene["rita"]).rows(of: "group_members") == before.rows(of: "group_members"))
        #expect(await scene.texts(at: "rita") == ["all is well"])
        #expect(await scene.texts(at: "alice") == ["all is well"], "what she writes is in her support chat")
        await eve.close()
        await scene.close()
    }

    /// Sends events past the rules of the engine, from a core that has come to a scene.
    private func attack(_ events: [ChatMessageEvent], by core: TestCore, to host: String) async throws {
        guard case .groupMembers(_, let group) = try await core.run("/_members #1"),
            let active = group.members.first(where: { $0.localDisplayName == host })?.activeConnection
        else { throw UnexpectedAnswer() }
        let connection = ConnectionID(try #require(Base64URL.decode(active.agentConnectionID)))
        for event in events {
            let body = try ChatMessage(messageID: .random(), event: event).body(limit: ChatLimits.encodedMessage)
            for result in await core.native.engine.agent.send([
                AgentSendRequest(connection: connection, body: body, flags: MessageFlags(notification: true), pqEncryption: false, key: nil)
            ]) { _ = try result.get() }
        }
    }

    @Test("the table has every message of groups but those that every member may send")
    func completeness() {
        let id = MemberID([1]), message = SharedMessageID([1])
        let targets = AttackTargets(
            owner: id, admin: id, member: id, stranger: id, attacker: id, ownersMessage: message, membersMessage: message,
            profile: GroupProfile(displayName: "team", fullName: ""))
        let tags = Set(targets.attacks.map(\.tag))
        let free: Set<ChatEventTag> = [.leaveGroup]
        let all: [ChatEventTag] = [
            .newMessage, .fileDescription, .updateMessage, .deleteMessage, .messageDeleted, .react, .file, .acceptFile, .acceptFileInvitation,
            .cancelFile, .groupInvitation, .acceptGroup, .groupLinkInvitation, .groupLinkRejection, .groupLinkMember, .groupLinkAcceptance,
            .groupRelayInvitation, .acceptGroupRelay, .testGroupRelay, .newGroupRelay, .rejectGroupRelay, .groupRelayCapabilities, .groupRoster,
            .acknowledgeRoster, .requestRoster, .newMember, .introduceMember, .inviteMember, .forwardMemberInvitation,
            .memberInfo, .memberRole, .restrictMember, .memberConnected, .memberConnectedToAll, .removeMember, .leaveGroup, .deleteGroup, .groupInfo,
            .groupPreferences, .groupDirectInvitation, .forwardMessage,
        ]
        #expect(Set(all).subtracting(tags) == free)
    }

    // MARK: The scene

    private func setRole(_ role: GroupMemberRole, of name: String, in scene: GroupScene) async throws {
        let id = try await scene.member(name, at: "alice").groupMemberID
        _ = try await scene["alice"].run("/_member role #1 \(id) \(role.code)")
        for other in scene.names where other != name {
            await scene.eventually("\(other) knows the role of \(name)", at: other) { try await scene.member(name, at: other).role == role }
        }
        await scene.eventually("\(name) knows its role", at: name) { try await scene.info(at: name).membership.role == role }
    }

    private func targets(in scene: GroupScene) async throws -> AttackTargets {
        let owners = try #require(try await scene.send("the owner's words", as: "alice").meta.sharedMessageID)
        let members = try #require(try await scene.send("the member's words", as: "bob").meta.sharedMessageID)
        for name in scene.names {
            await scene.expect("the owner's words", at: name)
            await scene.expect("the member's words", at: name)
        }
        return AttackTargets(
            owner: try await scene.info(at: "alice").membership.memberID, admin: try await scene.member("cath", at: "alice").memberID,
            member: try await scene.member("bob", at: "alice").memberID, stranger: MemberID((0..<12).map { UInt8($0) }),
            attacker: try await scene.member("mallory", at: "alice").memberID, ownersMessage: owners, membersMessage: members,
            profile: try await scene.info(at: "alice").groupProfile)
    }

    /// Waits until everything that came before from the attacker is received: a message of an unknown kind tells.
    private func barrier(_ scene: GroupScene, at receiver: String) async throws {
        let tag = "x.barrier.\(Int.random(in: 0...Int.max))"
        try await scene.attack([.unknown(ChatEventTag(tag), parameters: JSONObject())], from: "mallory", to: receiver)
        let isThere = await scene[receiver].wait { events in
            events.contains { if case .messageError(_, _, let text) = $0 { text.hasSuffix(tag) } else { false } }
        }
        try #require(isThere, "\(receiver) has not received \(tag)")
    }

    /// Waits until the scene is at rest: nothing that was sent is on its way.
    private func rest(_ scene: GroupScene, at receiver: String) async throws {
        for name in scene.names {
            await scene.eventually("\(name) is at rest", at: name) {
                try await scene[name].native.engine.store.read { db in
                    try db.number("SELECT count(*) FROM deliveries WHERE done = 0") == 0 && db.number("SELECT count(*) FROM agent_work") == 0
                }
            }
        }
        try await barrier(scene, at: receiver)
    }

    private func snapshot(of core: TestCore) async throws -> StoreSnapshot { try await core.native.engine.store.read { try StoreSnapshot($0) } }
}
