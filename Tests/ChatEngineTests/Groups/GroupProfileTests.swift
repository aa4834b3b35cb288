import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// The profile and the preferences of a group: who changes them, who is told, and what the group shows of it.
@Suite struct GroupProfileTests {
    private static let group = ChatReference.group(RuleScene.group)

    private func scene(as role: GroupMemberRole = .member) async throws -> (RuleScene, owner: GroupMemberID, bob: GroupMemberID) {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(as: role, with: ["olga": .owner, "bob": .admin])
        return (scene, try #require(members["olga"]), try #require(members["bob"]))
    }

    private func update(_ scene: RuleScene, _ profile: GroupProfile) async throws -> (ChatResponse, Effects) {
        try await scene.memory.run { transaction in
            let user = try transaction.user()
            return try transaction.groups.update(try transaction.conversations.group(RuleScene.group, of: user), to: profile, of: user)
        }
    }

    /// What the group shows of the last change: its kinds of items.
    private func shown(_ events: [ChatEvent]) -> [String] {
        events.flatMap { event -> [String] in
            guard case .newChatItems(_, let items) = event else { return [] }
            return items.map(\.chatItem.content.tag)
        }
    }

    private var renamed: GroupProfile { GroupProfile(displayName: "crew", fullName: "", groupPreferences: GroupPreferences()) }

    @Test func anOwnersNewProfileIsTakenOnceAndShown() async throws {
        let (scene, owner, _) = try await scene()
        let told = try await scene.receive([.groupInfo(renamed)], from: .member(owner)).events
        #expect(told.types == ["groupUpdated", "newChatItems"] && shown(told) == ["rcvGroupEvent"])
        let group = try await scene.group()
        #expect(group.groupProfile == renamed && group.localDisplayName == "crew")
        #expect(try await scene.count("display_names WHERE base = 'team'") == 0, "the old name is free")
        #expect(try await scene.receive([.groupInfo(renamed)], from: .member(owner)).events.isEmpty)
        try await scene.close()
    }

    @Test(arguments: [
        ("crew", true), ("OLD NA", true), ("short", true), ("Örtlich", true), ("nothing of it", false),
    ])
    func groupsAreFoundByTheTextsOfTheirProfiles(_ text: String, _ isFound: Bool) async throws {
        let (scene, owner, _) = try await scene()
        var profile = GroupProfile(displayName: "crew", fullName: "The old name", groupPreferences: GroupPreferences())
        (profile.shortDescription, profile.description) = ("A short text", "Wir treffen uns örtlich")
        _ = try await scene.receive([.groupInfo(profile)], from: .member(owner))
        let (found, _) = try await scene.memory.run { transaction in try transaction.db.groups.groups(user: try transaction.user().userID, search: text) }
        #expect(found.map(\.groupID) == (isFound ? [RuleScene.group] : []))
        try await scene.close()
    }

    @Test func preferencesAreShownByFeatureAndNotAsANewProfile() async throws {
        let (scene, owner, _) = try await scene()
        var preferences = GroupPreferences()
        preferences.set(.voice, .off)
        preferences.set(.files, .on, role: .moderator)
        for event: ChatMessageEvent in [
            .groupPreferences(preferences), .groupInfo(GroupProfile(displayName: "team", fullName: "", groupPreferences: preferences)),
        ] {
            let told = try await scene.receive([event], from: .member(owner)).events
            #expect(shown(told) == (event.tag == .groupPreferences ? ["rcvGroupFeature", "rcvGroupFeature"] : []), "\(event.tag)")
        }
        let group = try await scene.group()
        #expect(!group.allows(.voice) && !group.allowsUser(.files))
        try await scene.close()
    }

    @Test func anAdministratorChangesNeitherAndNobodyMakesAChannelOfAGroup() async throws {
        let (scene, owner, bob) = try await scene()
        let before = try await scene.group().groupProfile
        #expect(try await scene.receive([.groupInfo(renamed)], from: .member(bob)).events.messageErrors == ["x.grp.info with insufficient member permissions"])
        #expect(
            try await scene.receive([.groupPreferences(GroupPreferences())], from: .member(bob)).events.messageErrors
                == ["x.grp.prefs with insufficient member permissions"])
        let channel =
            #"{"displayName":"crew","fullName":"","publicGroup":{"groupType":"channel","groupLink":"https://smp.example/c#x","publicGroupId":"AAAA"}}"#
        let profile = try GroupProfile(parsing: channel)
        #expect(profile.publicGroup != nil)
        let told = try await scene.receive([.groupInfo(profile)], from: .member(owner)).events
        #expect(told.messageErrors == ["x.grp.info: publicGroup not allowed in p2p groups"])
        try await scene.run { transaction in
            let own = try transaction.conversations.group(RuleScene.group, of: try transaction.user()).membership.groupMemberID
            try transaction.db.members.update(own, role: .owner, at: transaction.now)
        }
        let refusal = try await scene.refusal { transaction in
            let user = try transaction.user()
            return try transaction.groups.update(try transaction.conversations.group(RuleScene.group, of: user), to: profile, of: user)
        }
        #expect(refusal == "the identity of a group cannot be changed")
        #expect(try await scene.group().groupProfile == before)
        try await scene.close()
    }

    @Test func theOwnProfileIsToldToAllWhoAreInOrWaitAndItsNameMustBeOne() async throws {
        let (scene, owner, bob) = try await scene(as: .owner)
        try await scene.run { transaction in
            try transaction.db.members.update(bob, status: .pendingReview, at: transaction.now)
            _ = try transaction.insertConnectedMember("gone", role: .member, in: RuleScene.group)
            try transaction.db.run("UPDATE group_members SET status = 'left' WHERE local_display_name = 'gone'")
        }
        let (response, effects) = try await update(scene, renamed)
        guard case .groupUpdated(_, let from, let to, nil, false) = response else { throw UnexpectedAnswer() }
        #expect(from.groupProfile.displayName == "team" && to.groupProfile.displayName == "crew")
        let receivers = try await scene.run { transaction in
            try [owner, bob].map { id in try #require(try transaction.db.connections.find(ofMember: id)).id }
        }
        #expect(Set(effects.deliveries.map(\.connectionID)) == Set(receivers))
        #expect(effects.sent.allSatisfy { $0 == .groupInfo(renamed) } && shown(effects.events) == ["sndGroupEvent"])
        for name in ["", "a\nb", "@x"] {
            let refusal = try await scene.refusal { transaction in
                let user = try transaction.user()
                return try transaction.groups.update(
                    try transaction.conversations.group(RuleScene.group, of: user), to: GroupProfile(displayName: name, fullName: ""), of: user)
            }
            #expect(refusal == "invalidDisplayName", "\(name)")
        }
        try await scene.close()
    }

    @Test func twoGroupsOfOneNameAreToldApartAndGetTheirNamesBack() async throws {
        let (scene, owner, _) = try await scene()
        _ = try await scene.run { try $0.groups.create(GroupProfile(displayName: "crew", fullName: ""), incognito: false, user: MemoryStore.user) }
        try await scene.receive([.groupInfo(renamed)], from: .member(owner))
        #expect(try await scene.group().localDisplayName == "crew_1")
        var back = renamed
        back.displayName = "team"
        try await scene.receive([.groupInfo(back)], from: .member(owner))
        #expect(try await scene.group().localDisplayName == "team")
        try await scene.close()
    }

    @Test func aMemberIsCalledAsItCallsItselfAndEachChangeIsShownOnce() async throws {
        let (scene, _, bob) = try await scene()
        let profile = Profile(displayName: "robert", fullName: "")
        let told = try await scene.receive([.info(profile), .info(profile)], from: .member(bob)).events
        #expect(told.types == ["newChatItems", "groupMemberUpdated"])
        #expect(try await scene.member(bob).localDisplayName == "robert")
        // What members are not shown changes nothing.
        let hidden = Profile(
            displayName: "robert", fullName: "", contactLink: "https://smp.example/a#x", preferences: ChatPreferences(voice: .init(allow: .no)))
        #expect(try await scene.receive([.info(hidden)], from: .member(bob)).events.isEmpty)
        try await scene.close()
    }
}
