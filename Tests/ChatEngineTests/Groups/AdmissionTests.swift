import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPAgent
import SMPSimulation
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// A host that admits by rules those who join by its link.
@Suite("Admission by rules")
struct AdmissionTests {
    private static let names = #"{"rules":[{"nameContains":["mallory"],"decision":{"type":"reject","reason":"blocked_name"}}]}"#

    private func scene(_ rules: String?, profile: String = #""displayName":"team","fullName":"""#) async throws -> GroupScene {
        let scene = try await GroupScene(["alice"], profile: profile)
        if let rules { _ = try await scene["alice"].run("/_set link admission #1 \(rules)") }
        return scene
    }

    /// Joins as official apps do: the group is shown before anybody is connected.
    private func joinPrepared(_ core: TestCore, in scene: GroupScene) async throws {
        guard case .groupLink(_, _, let link) = try await scene["alice"].run("/_get link #1"), let short = link.connectionLink.shortLink,
            case .connectionPlan(_, let shown, _, _, .groupLink(.ok(_, let data?, _))) = try await core.run("/_connect plan 1 \(short)")
        else { throw UnexpectedAnswer() }
        _ = try await core.run("/_prepare group 1 \(shown.fullLink) \(short) \(data.jsonText)")
        _ = try await core.run("/_connect group #1")
    }

    private func rejections(at core: TestCore) -> [(GroupInfo, GroupRejectionReason)] {
        core.events.compactMap { event in
            if case .terminalEvent(.groupLinkRejected(_, let group, let reason)) = event { (group, reason) } else { nil }
        }
    }

    private func membership(at core: TestCore) async throws -> GroupMember {
        guard case .groupInfo(_, let group) = try await core.run("/_info #1") else { throw UnexpectedAnswer() }
        return group.membership
    }

    @Test("who is refused is told why, and the host forgets it once it has answered")
    func refused() async throws {
        let scene = try await scene(Self.names)
        let mallory = try await scene.world.core("Mallory")
        try await scene.join(mallory)
        #expect(await mallory.eventually { rejections(at: mallory).count == 1 })
        let (group, reason) = try #require(rejections(at: mallory).first)
        #expect(reason == .blockedName && group.membership.status == .rejected && group.membership.role == .observer)
        #expect(group.groupProfile.displayName == "team")
        let told = scene["alice"].events.compactMap { event in
            if case .terminalEvent(.rejectingGroupJoinRequestMember(_, _, let member, let reason)) = event { (member, reason) } else { nil }
        }
        #expect(told.count == 1 && told.first?.0.status == .rejected && told.first?.1 == .blockedName)
        await scene.eventually("the host has forgotten her", at: "alice") {
            try await scene["alice"].native.engine.store.read { db in
                try db.number("SELECT count(*) FROM group_members WHERE category <> 'user'") == 0
                    && db.number("SELECT count(*) FROM connections WHERE group_member_id IS NOT NULL") == 0
            }
        }
        // Nothing of her is shown, and she is no member.
        #expect(await scene.items(at: "alice").allSatisfy { if case .receivedGroupEvent = $0.content { false } else { true } })
        #expect(scene["alice"].events.allSatisfy { if case .joinedGroupMember = $0 { false } else { true } })
        #expect(try await scene.info(at: "alice").groupSummary.currentMembers == 1)
        #expect(await mallory.answer(#"/_send #1 json [{"msgContent":{"type":"text","text":"x"}}]"#)["type"] == "chatCmdError")
        await mallory.close()
        await scene.close()
    }

    @Test("who has prepared the group sees that it is rejected, and the host forgets it after a week")
    func refusedPrepared() async throws {
        let scene = try await scene(Self.names)
        let mallory = try await scene.world.core("mallory")
        try await joinPrepared(mallory, in: scene)
        #expect(await mallory.eventually { rejections(at: mallory).count == 1 })
        #expect(try await membership(at: mallory).status == .rejected)
        let engine = scene["alice"].native.engine
        func members() async throws -> Int64? {
            try await engine.store.read { try $0.number("SELECT count(*) FROM group_members WHERE status = 'rejected'") }
        }
        let periods = RetentionPeriods(engine.configuration)
        try await engine.transactions.prune(periods, at: engine.clock.steady.adding(seconds: 6 * 86_400))
        #expect(try await members() == 1)
        try await engine.transactions.prune(periods, at: engine.clock.steady.adding(seconds: 8 * 86_400))
        #expect(try await members() == 0)
        #expect(try await engine.store.read { try $0.number("SELECT count(*) FROM connections WHERE group_member_id IS NOT NULL") } == 0)
        // Her own rejected membership stays.
        let hers = mallory.native.engine
        try await hers.transactions.prune(periods, at: hers.clock.steady.adding(seconds: 90 * 86_400))
        #expect(try await membership(at: mallory).status == .rejected)
        await mallory.close()
        await scene.close()
    }

    @Test("who waits for approval talks with the host only, and is introduced when the host lets it in")
    func approval() async throws {
        let scene = try await GroupScene(["alice", "cath"])
        let cath = try await scene.member("cath", at: "alice").groupMemberID
        _ = try await scene["alice"].run("/_member role #1 \(cath) moderator")
        await scene.eventually("cath is a moderator", at: "cath") { try await scene.info(at: "cath").membership.role == .moderator }
        _ = try await scene["alice"].run(#"/_set link admission #1 {"rules":[{"decision":{"type":"pendingApproval","role":"observer"}}]}"#)
        let bob = try await scene.world.core("bob")
        try await scene.join(bob)
        #expect(await bob.wait { $0.contains { if case .userJoinedGroup = $0 { true } else { false } } })
        let own = try await membership(at: bob)
        #expect(own.status == .pendingApproval && own.role == .observer)
        await scene.eventually("bob asks for attention", at: "alice") { try await scene.info(at: "alice").membersRequireAttention == 1 }
        let waiting = try await scene.member("bob", at: "alice")
        #expect(waiting.status == .pendingApproval)
        try await scene.send("who are you?", as: "alice", scope: "(_support:\(waiting.groupMemberID))")
        let isAsked = await bob.eventually {
            guard case .apiChat(_, let chat, _)? = try? await bob.run("/_get chat #1(_support) count=20") else { return false }
            return chat.chatItems.contains { $0.meta.text == "who are you?" }
        }
        #expect(isAsked)
        #expect(await bob.answer(#"/_send #1 json [{"msgContent":{"type":"text","text":"x"}}]"#)["type"] == "chatCmdError")
        // Moderators do not know of who waits for the host.
        try await scene.send("to all", as: "alice")
        await scene.expect("to all", at: "cath")
        #expect(await scene.members(at: "cath").allSatisfy { $0.localDisplayName != "bob" })
        _ = try await scene["alice"].run("/_accept member #1 \(waiting.groupMemberID) member")
        await scene.eventually("cath knows bob", at: "cath") {
            await scene.members(at: "cath").contains { $0.localDisplayName == "bob" && $0.activeConnection?.status == .ready }
        }
        #expect(await bob.eventually { (try? await membership(at: bob))?.status == .connected })
        #expect(try await membership(at: bob).role == .member)
        _ = try await scene["alice"].run("/_read chat #1(_support:\(waiting.groupMemberID))")
        #expect(try await scene.info(at: "alice").membersRequireAttention == 0)
        await bob.close()
        await scene.close()
    }

    @Test("who has to be reviewed by a rule is told so, although the group reviews nobody else")
    func review() async throws {
        let scene = try await scene(#"{"rules":[{"withoutImage":true,"decision":{"type":"pendingReview"}}]}"#)
        let bob = try await scene.world.core("bob")
        try await joinPrepared(bob, in: scene)
        #expect(await bob.wait { $0.contains { if case .userJoinedGroup = $0 { true } else { false } } })
        #expect(try await membership(at: bob).status == .pendingReview)
        await scene.eventually("bob waits", at: "alice") { try await scene.member("bob", at: "alice").status == .pendingReview }
        await bob.close()
        await scene.close()
    }

    @Test("a rule gives a role, and others get that of the link")
    func role() async throws {
        let scene = try await scene(#"{"rules":[{"nameContains":["bob"],"decision":{"type":"accept","role":"observer"}}]}"#)
        for (name, role) in [("bob", GroupMemberRole.observer), ("cath", .member)] {
            let core = try await scene.world.core(name)
            try await scene.join(core)
            await scene.eventually("\(name) is in", at: "alice") { try await scene.member(name, at: "alice").status == .connected }
            #expect(try await scene.member(name, at: "alice").role == role)
            #expect(try await membership(at: core).role == role)
            await core.close()
        }
        await scene.close()
    }

    @Test("a client that is too old to be told is not answered, and its request is not kept")
    func oldClient() async throws {
        let scene = try await scene(Self.names)
        let core = scene["alice"]
        let (severities, jobs) = try await core.native.engine.transactions.transaction { transaction -> ([String], [AgentJob.Task]) in
            let user = try transaction.user()
            let link = try #require(try transaction.db.groupLinks.find(group: GroupScene.group)).userContactLinkID
            let record = try #require(try transaction.db.connections.find(ofGroupLink: link))
            let message = ChatMessage(
                versions: VersionRange(1...13), event: .contact(ContactRequest(profile: Profile(displayName: "Mallory", fullName: ""))))
            try transaction.joinRequests.receive(
                InvitationID([1, 2, 3]), message, forLink: link, in: try transaction.connectionEvents.context(of: record, user: user))
            let told = transaction.effects.events.compactMap { event in
                if case .messageError(_, let severity, _) = event { severity } else { nil }
            }
            return (told, transaction.effects.jobs.map(\.task))
        }
        #expect(severities == ["warning"] && jobs.isEmpty)
        #expect(await scene.members(at: "alice").isEmpty)
        await scene.close()
    }

    @Test("rules are shown with the link, are removed on demand and go with the link")
    func setting() async throws {
        let scene = try await scene(nil)
        let alice = scene["alice"]
        func admission() async -> JSONValue? { await alice.answer("/_get link #1")["groupLink"]?["joinerAdmission"] }
        #expect(await admission() == nil)
        let answer = await alice.answer("/_set link admission #1 \(Self.names)")
        #expect(answer["type"] == "groupLink" && answer["groupLink"]?["joinerAdmission"]?.text == Self.names)
        #expect(await admission()?.text == Self.names)
        #expect(await alice.answer("/_set link admission #1")["type"] == "groupLink")
        #expect(await admission() == nil)
        _ = try await alice.run("/_set link admission #1 \(Self.names)")
        _ = try await alice.run("/_delete link #1")
        #expect(await alice.answer("/_set link admission #1 \(Self.names)")["chatError"]?["storeError"]?["type"] == "groupLinkNotFound")
        _ = try await alice.run("/_create link #1 member")
        #expect(await admission() == nil)
        await scene.close()
    }

    @Test(
        "rules that make no sense are refused",
        arguments: [
            (#"{"rules":[{"decision":{"type":"banish"}}]}"#, #"rule 1: there is no decision "banish""#),
            (#"{"rules":[{"decision":{"type":"accept","role":"admin"}}]}"#, "rule 1: those who join by a link begin as members at most"),
        ])
    func nonsense(rules: String, message: String) async throws {
        let scene = try await scene(nil)
        let answer = await scene["alice"].answer("/_set link admission #1 \(rules)")
        #expect(answer["chatError"]?["errorType"]?["message"]?.stringValue == message)
        await scene.close()
    }

    @Test("a channel has no admission")
    func channel() async throws {
        let scene = try await ChannelScene([])
        let answer = await scene["owner"].answer("/_set link admission #1 \(Self.names)")
        #expect(answer["chatError"]?["errorType"]?["message"] == "a channel has no admission")
        await scene.close()
    }
}
