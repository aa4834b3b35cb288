import ChatAPI
import ChatRules
import Testing

@testable import ChatEngine
@testable import ChatProtocol

/// Where a new profile of a member is shown.
@Suite("Profiles of members")
struct MemberProfileTests {
    /// Has members send new profiles to somebody, past the rules of their own engines: clients show theirs to all when they write to all.
    private func rename(_ members: [GroupMemberID], at core: TestCore) async throws {
        try await core.native.engine.transactions.transaction { transaction in
            let user = try transaction.user()
            for id in members {
                var group = try transaction.conversations.group(GroupScene.group, of: user)
                let profile = Profile(displayName: "renamed \(id)", fullName: "")
                let message = ChatMessage(messageID: transaction.newSharedMessageID(), event: .info(profile))
                try transaction.groupProfiles.updateProfile(
                    of: try transaction.conversations.member(id, in: group), to: profile, GroupMessage(message: message, sentAt: transaction.now), in: &group,
                    of: user)
            }
        }
    }

    private func news(_ items: [ChatItem]) -> [String] {
        items.compactMap { if case .receivedGroupEvent(.memberProfileUpdated(_, let profile)) = $0.content { profile.displayName } else { nil } }
    }

    @Test("that of one who waits to be let in is shown in its support chat, that of a member to all")
    func pending() async throws {
        let scene = try await GroupScene(["alice"], profile: #""displayName":"team","fullName":"","memberAdmission":{"review":"all"}"#)
        let bob = try await scene.world.core("bob")
        try await scene.join(bob)
        #expect(await bob.wait { $0.contains { if case .userJoinedGroup = $0 { true } else { false } } })
        await scene.eventually("bob waits", at: "alice") { try await scene.member("bob", at: "alice").status == .pendingReview }
        let member = try await scene.member("bob", at: "alice").groupMemberID
        try await rename([member], at: scene["alice"])
        #expect(news(await scene.items(at: "alice", scope: "(_support:\(member))")) == ["renamed \(member)"])
        #expect(news(await scene.items(at: "alice")) == [])
        _ = try await scene["alice"].run("/_accept member #1 \(member) member")
        #expect(await bob.eventually { (try? await bob.run("/_info #1"))?.json["groupInfo"]?["membership"]?["memberStatus"] == "connected" })
        _ = try await bob.run(#"/_profile 1 {"displayName":"rob","fullName":""}"#)
        _ = try await bob.run(#"/_send #1 json [{"msgContent":{"type":"text","text":"still me"}}]"#)
        await scene.expect("still me", at: "alice")
        #expect(news(await scene.items(at: "alice")) == ["rob"])
        #expect(news(await scene.items(at: "alice", scope: "(_support:\(member))")) == ["renamed \(member)"])
        await bob.close()
        await scene.close()
    }

    @Test("that of a subscriber is shown where it talks with the owners, if it does")
    func subscriber() async throws {
        let scene = try await ChannelScene(
            ["ann", "bob"], preferences: #""groupPreferences":{"history":{"enable":"on"},"support":{"enable":"on"}}"#)
        _ = try await scene["ann"].run(##"/_send #1(_support) json [{"msgContent":{"type":"text","text":"help"}}]"##)
        await scene.eventually("the owner knows ann", at: "owner") { await scene.members(at: "owner").contains { $0.supportChat != nil } }
        let ann = try await scene.member("ann", at: "owner").groupMemberID, bob = try await scene.member("bob", at: "owner").groupMemberID
        try await rename([ann, bob], at: scene["owner"])
        #expect(await Set(scene.members(at: "owner").map(\.profile.displayName)).isSuperset(of: ["renamed \(ann)", "renamed \(bob)"]))
        func items(_ scope: String) async throws -> [ChatItem] {
            guard case .apiChat(_, let chat, _) = try await scene["owner"].run("/_get chat #1\(scope) count=50") else { throw UnexpectedAnswer() }
            return chat.chatItems
        }
        #expect(news(try await items("(_support:\(ann))")) == ["renamed \(ann)"])
        for scope in ["", "(_support:\(bob))"] { #expect(news(try await items(scope)) == [], "\(scope)") }
        await scene.close()
    }
}
