import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// A member who sends what it has no right to send. Nothing of it is stored, and nobody else is disturbed.
@Suite("Hostile members")
struct HostileMemberTests {
    private func id() -> SharedMessageID { SharedMessageID((0..<12).map { _ in UInt8.random(in: 0...255) }) }

    private func text(_ text: String) -> ChatMessageEvent { .newMessage(MessageContainer(content: .text(text))) }

    @Test("a member without rights changes no role, no member, no group, and nobody's messages")
    func withoutRights() async throws {
        let scene = try await GroupScene(["alice", "bob", "mallory"])
        try await scene.send("bob's own words", as: "bob")
        await scene.expect("bob's own words", at: "alice")
        let item = try #require(await scene.items(at: "alice").first { $0.meta.text == "bob's own words" })
        let shared = try #require(item.meta.sharedMessageID)
        let alice = try await scene.info(at: "alice").membership, bob = try await scene.member("bob", at: "alice")
        let mallory = try await scene.member("mallory", at: "alice")
        let group = try await scene.info(at: "alice")
        let stranger = MemberID((0..<12).map { UInt8($0) })
        let info = MemberInfo(memberID: stranger, role: .owner, versions: nil, profile: Profile(displayName: "stranger", fullName: ""))
        var profile = group.groupProfile
        profile.displayName = "mallory's"

        let before = await scene.members(at: "alice")
        let attacks: [ChatMessageEvent] = [
            .memberRole(memberID: mallory.memberID, .owner), .memberRole(memberID: bob.memberID, .observer),
            .memberRole(memberID: alice.memberID, .observer), .restrictMember(memberID: bob.memberID, MemberRestrictions(restriction: .blocked)),
            .removeMember(memberID: bob.memberID, withMessages: true), .removeMember(memberID: alice.memberID, withMessages: true), .deleteGroup,
            .groupInfo(profile), .groupPreferences(GroupPreferences(fullDelete: .init(enable: .on))),
            .newMember(info, scope: nil), .introduceMember(info, restrictions: nil),
            .forwardMemberInvitation(info, IntroInvitation(groupConnectionRequest: "nonsense")),
            .inviteMember(memberID: stranger, IntroInvitation(groupConnectionRequest: "nonsense")),
            .groupLinkAcceptance(.accepted, role: .owner, memberID: mallory.memberID), .groupLinkMember(Profile(displayName: "alice", fullName: "")),
            .memberConnected(memberID: stranger),
            .deleteMessage(MessageDeletion(messageID: shared, memberID: bob.memberID)), .deleteMessage(MessageDeletion(messageID: shared)),
            .updateMessage(MessageUpdate(messageID: shared, content: .text("what mallory wants bob to have said"))),
            .forwardMessage(
                MessageForward(sender: .member(bob.memberID, name: "bob"), brokerTimestamp: .current()),
                ChatMessage(messageID: id(), event: text("forged"))),
        ]
        try await scene.attack(attacks, from: "mallory", to: "alice")
        var asGroup = MessageContainer(content: .text("in the name of the group"))
        asGroup.asGroup = true
        var foreign = MessageContainer(content: .text("into a foreign support chat"))
        foreign.scope = .member(bob.memberID)
        try await scene.attack([.newMessage(asGroup), .newMessage(foreign)], from: "mallory", to: "alice")
        try await scene.send("mallory again", as: "mallory")
        await scene.expect("mallory again", at: "alice")

        let after = await scene.members(at: "alice")
        func facts(_ members: [GroupMember]) -> [String] {
            members.map { "\($0.localDisplayName) \($0.role.code) \($0.status.rawValue) \($0.blockedByAdmin)" }
        }
        #expect(facts(after) == facts(before))
        #expect(try await scene.info(at: "alice").groupProfile == group.groupProfile)
        #expect(try await scene.info(at: "alice").membership.status == .creator)
        let texts = await scene.texts(at: "alice")
        #expect(texts.filter { $0 == "bob's own words" }.count == 1 && texts.last == "mallory again", "\(texts)")
        #expect(!texts.contains("forged") && !texts.contains("in the name of the group"))
        // An edit of a message that its author never sent is a message of its own: it stands under the name of who sent it.
        let edit = await scene.items(at: "alice").first { $0.meta.text == "what mallory wants bob to have said" }
        if case .groupReceived(let author)? = edit?.direction { #expect(author.localDisplayName == "mallory") }
        #expect(await scene.texts(at: "alice", scope: "(_support:\(bob.groupMemberID))").isEmpty)
        #expect(await scene.items(at: "alice").first { $0.meta.text == "bob's own words" }?.meta.deleted == nil)
        try await scene.send("the others are not disturbed", as: "bob")
        for name in ["alice", "mallory"] { await scene.expect("the others are not disturbed", at: name) }
        await scene.close()
    }

    @Test("the removal of a member counts although the member has used its id before")
    func removalUnderAUsedID() async throws {
        let scene = try await GroupScene(["alice", "bob", "mallory"])
        let mallory = try await scene.member("mallory", at: "alice"), used = id()
        try await scene.attack([text("I stay")], from: "mallory", to: "bob", id: used)
        await scene.expect("I stay", at: "bob")
        try await scene.attack([.removeMember(memberID: mallory.memberID, withMessages: false)], from: "alice", to: "bob", id: used)
        await scene.eventually("mallory is out", at: "bob") { try await scene.member("mallory", at: "bob").status == .removed }
        await scene.close()
    }

    @Test("the deletion of a message by a moderator counts although its author has used the id of it before")
    func moderationUnderAUsedID() async throws {
        let scene = try await GroupScene(["alice", "bob", "mallory"])
        let mallory = try await scene.member("mallory", at: "alice"), spam = id(), used = id()
        try await scene.attack([text("spam")], from: "mallory", to: "bob", id: spam)
        try await scene.attack([text("it stays")], from: "mallory", to: "bob", id: used)
        await scene.expect("it stays", at: "bob")
        try await scene.attack([.deleteMessage(MessageDeletion(messageID: spam, memberID: mallory.memberID))], from: "alice", to: "bob", id: used)
        await scene.eventually("the message is deleted", at: "bob") {
            await scene.items(at: "bob").contains { $0.meta.sharedMessageID == spam && $0.meta.deleted != nil }
        }
        await scene.close()
    }

    @Test("a message that comes again under its id is stored once, and a foreign id is no way into another's message")
    func replays() async throws {
        let scene = try await GroupScene(["alice", "bob", "mallory"])
        let repeated = id()
        try await scene.attack([text("once"), text("once"), text("once")], from: "mallory", to: "alice", id: repeated)
        try await scene.send("bob's", as: "bob")
        await scene.expect("bob's", at: "alice")
        let shared = try #require(await scene.items(at: "alice").first { $0.meta.text == "bob's" }?.meta.sharedMessageID)
        try await scene.attack([text("under bob's id")], from: "mallory", to: "alice", id: shared)
        try await scene.send("done", as: "mallory")
        await scene.expect("done", at: "alice")
        #expect(await scene.texts(at: "alice") == ["once", "bob's", "done"])
        await scene.close()
    }

    @Test("an administrator forwards nothing in our own name, and nothing that is not forwarded between members")
    func forgedForwards() async throws {
        let scene = try await GroupScene(["alice", "bob"])
        let bob = try await scene.info(at: "bob").membership
        func forward(_ author: MemberID, _ event: ChatMessageEvent) -> ChatMessageEvent {
            .forwardMessage(
                MessageForward(sender: .member(author, name: "x"), brokerTimestamp: .current()), ChatMessage(messageID: id(), event: event))
        }
        let stranger = MemberID((0..<12).map { UInt8($0) })
        try await scene.attack(
            [
                forward(bob.memberID, text("as if bob had said it")), forward(stranger, .probe(Probe(Bytes(repeating: 1, count: 32)))),
                forward(stranger, .groupLinkAcceptance(.accepted, role: .owner, memberID: bob.memberID)),
                forward(stranger, .memberRole(memberID: bob.memberID, .owner)), forward(stranger, .deleteGroup),
            ], from: "alice", to: "bob")
        try await scene.send("done", as: "alice")
        await scene.expect("done", at: "bob")
        #expect(await scene.texts(at: "bob") == ["done"])
        let group = try await scene.info(at: "bob")
        #expect(group.membership.role == .member && group.membership.status == .connected)
        await scene.close()
    }

    @Test("a flood of a blocked member marks its messages, and does not keep the others from writing")
    func flood() async throws {
        let scene = try await GroupScene(["alice", "bob", "mallory"])
        let mallory = try await scene.member("mallory", at: "alice").groupMemberID
        _ = try await scene["alice"].run("/_block #1 \(mallory) blocked=on")
        try await scene.attack((0..<200).map { text("flood \($0)") }, from: "mallory", to: "alice")
        try await scene.send("still here", as: "bob")
        await scene.expect("still here", at: "alice")
        await scene.eventually("the flood is marked", at: "alice") {
            let items = await scene.items(at: "alice").filter { $0.meta.text.hasPrefix("flood") }
            return items.count > 150 && items.allSatisfy { $0.meta.deleted != nil }
        }
        guard case .apiChats(_, let chats) = try await scene["alice"].run("/_get chats 1") else { throw UnexpectedAnswer() }
        #expect(chats.contains { if case .group = $0.chatInfo { true } else { false } })
        await scene.close()
    }

    @Test("a member who was removed writes nothing more while the agent still sends what waits for it")
    func removed() async throws {
        let scene = try await GroupScene(["alice", "bob", "mallory"])
        let mallory = try await scene.member("mallory", at: "alice").groupMemberID
        // As the removal leaves it; the agent keeps the connection until everything is sent, for up to two days.
        try await scene["alice"].native.engine.store.write { db in
            try db.run("UPDATE group_members SET status = 'removed' WHERE group_member_id = ?", [mallory])
            try db.run("UPDATE connections SET status = 'deleted' WHERE group_member_id = ?", [mallory])
        }
        try await scene.attack([text("still here"), .leaveGroup], from: "mallory", to: "alice")
        let isRefused = await scene["alice"].wait { events in
            events.count { if case .chatError(.chat(.noConnectionUser)) = $0 { true } else { false } } == 2
        }
        #expect(isRefused)
        #expect(await !scene.texts(at: "alice").contains("still here"))
        #expect(try await scene.member("mallory", at: "alice").status == .removed)
        await scene.close()
    }

    @Test("a member who is gone before it is connected is not connected to")
    func gone() async throws {
        let scene = try await GroupScene(["alice", "bob"])
        let strangers = (0..<8).map { number in MemberID([UInt8(number)] + (1..<12).map { UInt8($0) }) }
        for (number, id) in strangers.enumerated() {
            let info = MemberInfo(
                memberID: id, role: .member, versions: ChatVersions.supported, profile: Profile(displayName: "stranger\(number)", fullName: ""))
            try await scene.attack([.introduceMember(info, restrictions: nil), .removeMember(memberID: id, withMessages: false)], from: "alice", to: "bob")
        }
        try await scene.send("done", as: "alice")
        await scene.expect("done", at: "bob")
        await scene.eventually("nothing is left to be done", at: "bob") {
            try await scene["bob"].native.engine.store.read { try $0.number("SELECT count(*) FROM agent_work") } == 0
        }
        let connected = await scene.members(at: "bob").filter {
            $0.localDisplayName.hasPrefix("stranger") && $0.activeConnection.map { $0.status != .deleted } ?? false
        }
        #expect(connected.isEmpty, "\(connected.map(\.localDisplayName))")
        await scene.close()
    }
}
