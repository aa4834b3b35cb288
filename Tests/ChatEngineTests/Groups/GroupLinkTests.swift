import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPClient
import SMPProtocol
import SMPSimulation
import Testing

@testable import ChatEngine
@testable import ChatProtocol

/// The link of a group: who makes it, with which role others come by it, and how it ends.
@Suite struct GroupLinkTests {
    private func code(_ answer: JSONValue) -> String? {
        answer["chatError"]?["errorType"]?["type"]?.stringValue ?? answer["chatError"]?["storeError"]?["type"]?.stringValue
    }

    private func plan(_ core: TestCore, _ link: String) async -> String? {
        await core.answer("/_connect plan 1 \(link)")["connectionPlan"]?["groupLinkPlan"]?["type"]?.stringValue
    }

    private func person(_ name: String, in scene: GroupScene) async throws -> TestCore { try await GroupScene.core(name, scene.world) }

    @Test func aGroupHasOneLinkByWhichNobodyBecomesMoreThanAMember() async throws {
        let scene = try await GroupScene(["alice"]), alice = scene["alice"]
        #expect(code(await alice.answer("/_create link #1 member")) == "duplicateGroupLink")
        for role in ["moderator", "admin", "owner"] {
            #expect(code(await alice.answer("/_set link role #1 \(role)")) == "groupMemberInitialRole", "\(role)")
        }
        guard case .groupLink(_, _, let link) = try await alice.run("/_set link role #1 observer") else { throw UnexpectedAnswer() }
        #expect(link.acceptMemberRole == .observer && link.connectionLink.fullLink == scene.link)
        let bob = try await person("bob", in: scene)
        try await scene.join(bob)
        await scene.eventually("bob is in", at: "alice") { try await scene.member("bob", at: "alice").status == .connected }
        #expect(try await scene.member("bob", at: "alice").role == .observer)
        await bob.close()
        await scene.close()
    }

    @Test func aLinkThatIsDeletedLetsNobodyInAndANewOneIsAnother() async throws {
        let scene = try await GroupScene(["alice"]), alice = scene["alice"]
        guard case .groupLinkDeleted = try await alice.run("/_delete link #1") else { throw UnexpectedAnswer() }
        for command in ["/_delete link #1", "/_get link #1", "/_set link role #1 member", "/_short link #1"] {
            #expect(code(await alice.answer(command)) == "groupLinkNotFound", "\(command)")
        }
        let isGone = await alice.eventually {
            guard let difference = try? await alice.native.engine.agentDifference() else { return false }
            return difference.connections.extra.isEmpty && difference.connections.missing.isEmpty
        }
        #expect(isGone, "the queue of the link is deleted")
        let bob = try await person("bob", in: scene)
        #expect(await bob.answer("/_connect 1 \(scene.link)")["type"] == "chatCmdError")
        guard case .groupLinkCreated(_, _, let link) = try await alice.run("/_create link #1 member") else { throw UnexpectedAnswer() }
        #expect(link.connectionLink.fullLink != scene.link)
        await bob.close()
        await scene.close()
    }

    @Test func aRequestToJoinIsOneMemberHoweverOftenItIsSentUntilItsAnswerComes() async throws {
        let scene = try await GroupScene(["alice"]), alice = scene["alice"], router = scene.world.router.address
        let bob = try await person("bob", in: scene), cath = try await person("cath", in: scene)
        // The host reads it all at once, when the router has it several times.
        alice.network.disconnect(router)
        bob.network.setFault { request, _ in if case .send = request.command { .lostResponse } else { nil } }
        for _ in 0..<2 { #expect(await bob.answer("/_connect 1 \(scene.link)")["type"] == "chatCmdError") }
        bob.network.setFault(nil)
        #expect(await bob.answer("/_connect 1 \(scene.link)")["type"] == "sentInvitation")
        // Behind them in the same queue.
        #expect(await cath.answer("/_connect 1 \(scene.link)")["type"] == "sentInvitation")
        alice.network.reconnect(router)
        await scene.eventually("both are in", at: "alice") {
            await scene.members(at: "alice").filter { $0.status == .connected }.map(\.localDisplayName).sorted() == ["bob", "cath"]
        }
        let members = await scene.members(at: "alice")
        #expect(members.count == 2)
        for core in [bob, cath] { await core.close() }
        await scene.close()
    }

    @Test func whoLeavesTakesItsLinkAlong() async throws {
        let scene = try await GroupScene(["alice", "bob"])
        let bob = try await scene.member("bob", at: "alice").groupMemberID
        #expect(code(await scene["bob"].answer("/_create link #1 member")) == "groupUserRole")
        _ = try await scene["alice"].run("/_member role #1 \(bob) admin")
        await scene.eventually("bob is an administrator", at: "bob") { try await scene.info(at: "bob").membership.role == .admin }
        guard case .groupLinkCreated(_, _, let link) = try await scene["bob"].run("/_create link #1 member") else { throw UnexpectedAnswer() }
        let cath = try await person("cath", in: scene)
        #expect(await plan(cath, link.connectionLink.fullLink) == "ok")
        _ = try await scene["bob"].run("/_leave #1")
        #expect(code(await scene["bob"].answer("/_get link #1")) == "groupLinkNotFound")
        for command in ["/_create link #1 member", "/_set link role #1 member"] { #expect(code(await scene["bob"].answer(command)) != nil, "\(command)") }
        await cath.close()
        await scene.close()
    }

    @Test func thePlanOfALinkFollowsWhatBecomesOfTheMembership() async throws {
        let scene = try await GroupScene(["alice"])
        #expect(await plan(scene["alice"], scene.link) == "ownLink")
        let bob = try await person("bob", in: scene)
        #expect(await plan(bob, scene.link) == "ok")
        try await scene.join(bob)
        #expect(await bob.wait { $0.contains { if case .userJoinedGroup = $0 { true } else { false } } })
        #expect(await plan(bob, scene.link) == "known")
        _ = try await bob.run("/_leave #1")
        #expect(await plan(bob, scene.link) == "ok", "who has left may come again")
        await bob.close()
        await scene.close()
    }

    @Test func whoHasLeftJoinsAgainAsANewMember() async throws {
        let scene = try await GroupScene(["alice", "bob"])
        let first = try await scene.member("bob", at: "alice")
        _ = try await scene["bob"].run("/_leave #1")
        await scene.eventually("bob has left", at: "alice") { try await scene.member("bob", at: "alice").status == .left }
        _ = try await scene["bob"].run("/_connect 1 \(scene.link)")
        await scene.eventually("bob is back", at: "alice") {
            await scene.members(at: "alice").contains { $0.status == .connected && $0.memberID != first.memberID && $0.profile.displayName == "bob" }
        }
        let again = try #require(await scene.members(at: "alice").first { $0.status == .connected })
        #expect(again.localDisplayName == "bob_1" && again.groupMemberID != first.groupMemberID)
        await scene.close()
    }

    @Test func aRequestToJoinAGroupTakesNoMessage() async throws {
        let scene = try await GroupScene(["alice"])
        guard case .groupLink(_, _, let link) = try await scene["alice"].run("/_get link #1"), let short = link.connectionLink.shortLink else {
            throw UnexpectedAnswer()
        }
        let bob = try await person("bob", in: scene)
        guard case .connectionPlan(_, let shown, _, _, .groupLink(.ok(_, let data?, _))) = try await bob.run("/_connect plan 1 \(short)") else {
            throw UnexpectedAnswer()
        }
        _ = try await bob.run("/_prepare group 1 \(shown.fullLink) \(short) \(data.jsonText)")
        #expect(code(await bob.answer("/_connect group #1 text hello")) == "connReqMessageProhibited")
        // It is still there to be joined.
        #expect(await plan(bob, short) == "known")
        _ = try await bob.run("/_connect group #1")
        #expect(await bob.wait { $0.contains { if case .userJoinedGroup = $0 { true } else { false } } })
        await bob.close()
        await scene.close()
    }
}
