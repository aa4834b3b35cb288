import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// What a member calls itself while it is blocked for all: nobody sees it before the block ends, and everybody does then.
@Suite struct WithheldProfileTests {
    private func profile(_ name: String) -> ChatMessageEvent { .info(Profile(displayName: name, fullName: "")) }

    private func scene() async throws -> (RuleScene, bob: GroupMemberID, moderator: GroupMemberID) {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(with: ["bob": .member, "mod": .moderator])
        return (scene, try #require(members["bob"]), try #require(members["mod"]))
    }

    private func names(in scene: RuleScene, _ id: GroupMemberID) async throws -> [String] {
        let member = try await scene.member(id)
        return [member.profile.displayName, member.localDisplayName]
    }

    @Test(arguments: [true, false])
    func theNewestProfileOfABlockedMemberIsShownWhenTheBlockEnds(byCommand: Bool) async throws {
        let (scene, bob, moderator) = try await scene()
        let id = try #require(try await scene.run { try $0.db.members.memberIdentifier(bob) })
        func block(_ isBlocked: Bool) async throws -> [ChatEvent] {
            guard byCommand else {
                let restrictions = MemberRestrictions(restriction: isBlocked ? .blocked : .unrestricted)
                return try await scene.receive([.restrictMember(memberID: id, restrictions)], from: .member(moderator)).events
            }
            return try await scene.memory.run { try $0.members.block([bob], isBlocked, in: RuleScene.group) }.1.events
        }
        _ = try await block(true)
        for name in ["BUY AT SPAM", "Robert"] {
            let told = try await scene.receive([profile(name)], from: .member(bob)).events
            #expect(!told.types.contains("groupMemberUpdated"))
            #expect(try await names(in: scene, bob) == ["bob", "bob"])
        }
        let told = try await block(false)
        #expect(told.types.contains("groupMemberUpdated"))
        #expect(try await names(in: scene, bob) == ["Robert", "Robert"])
        #expect(try await scene.count("withheld_profiles") == 0)
        // It counts once: a later block and its end change nothing.
        try await scene.receive([profile("Bobby")], from: .member(bob))
        _ = try await block(true)
        _ = try await block(false)
        #expect(try await scene.member(bob).profile.displayName == "Bobby")
        try await scene.close()
    }

    /// A profile is a text of up to 15 KB: a crowd that is blocked may leave one each, and writes no more rows than other messages.
    @Test func manyBlockedMembersLeaveOneProfileEachAndEachMessageCostsAFewRows() async throws {
        let scene = try await RuleScene(), count = 120
        try await scene.addGroup(with: ["mod": .moderator])
        let members = try await scene.run { transaction in
            try (0..<count).map { try transaction.insertConnectedMember("member \($0)", role: .member, in: RuleScene.group) }
        }
        _ = try await scene.memory.run { try $0.members.block(members, true, in: RuleScene.group) }
        func changes() async throws -> Int { try await scene.run { $0.db.totalChangesCount } }
        let before = try await changes()
        for round in 0..<5 {
            for member in members { try await scene.receive([profile("round \(round)")], from: .member(member)) }
        }
        let rows = try await changes() - before
        #expect(rows <= 5 * count * HostileClientTests.Bound.rowsOfMessage, "\(rows) rows for \(5 * count) messages")
        #expect(try await scene.count("withheld_profiles") == Int64(count))
        // The end of a block shows one profile each, and takes it away.
        let shown = try await changes()
        _ = try await scene.memory.run { try $0.members.block(members, false, in: RuleScene.group) }
        #expect(try await changes() - shown <= count * 30)
        #expect(try await scene.count("withheld_profiles") == 0)
        #expect(try await scene.member(try #require(members.last)).profile.displayName == "round 4")
        try await scene.close()
    }

    @Test func whoWasRemovedOrHasNoRightToAProfileLeavesNoneBehindAndOneIsKeptForEachMember() async throws {
        let (scene, bob, _) = try await scene()
        _ = try await scene.memory.run { try $0.members.block([bob], true, in: RuleScene.group) }
        for number in 1...50 { try await scene.receive([profile("name \(number)")], from: .member(bob)) }
        #expect(try await scene.count("withheld_profiles") == 1)
        try await scene.run { try $0.db.members.update(bob, status: .removed, at: $0.now) }
        try await scene.receive([profile("after")], from: .member(bob))
        #expect(try await scene.count("withheld_profiles WHERE profile_json LIKE '%after%'") == 0)
        try await scene.close()
    }
}
