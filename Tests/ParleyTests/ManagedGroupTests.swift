import ChatAPI
import ChatProtocol
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Groups that a bot keeps.
@Suite struct ManagedGroupTests {
    private let host = HostSessionTests()

    private var bot: Bot {
        var bot = Bot("Guard", id: "guard", address: .business(welcome: "Hi")) { On(.command("rules", "The rules"), in: .groups) { _ in } }
        var settings = GroupSettings("Lobby", welcome: "Be kind.", reviewsNewMembers: true)
        settings.preferences.set(.history, .on)
        bot.groups = [ManagedGroup("lobby", settings, linkRole: .observer)]
        return bot
    }

    @Test func aGroupIsMadeOnceAndKeptAsItIsDescribed() async throws {
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: HostSessionTests.logger)
        let first = try #require(try await host.running([bot], on: core, store: store) { $0 }.first)
        let made = try #require(first.managedGroups.first)
        #expect(made.id == "lobby" && made.name == "Lobby" && made.link == "https://simplex.chat/g#\(made.groupID)")
        #expect(core.state.withLock { $0.links[1]?.addressSettings.isBusinessAddress } == true)
        let profile = try #require(core.state.withLock(\.groups).first).groupProfile
        #expect(profile.description == "Be kind." && profile.memberAdmission == GroupMemberAdmission(review: .all))
        #expect(profile.groupPreferences?.commands == [.command(keyword: "rules", label: "The rules")])

        // Somebody changes it; what is not described stays.
        let again = core.restarted()
        again.state.withLock { state in
            state.commands = []
            state.groups[0].groupProfile.description = "Buy!"
            state.groups[0].groupProfile.groupPreferences?.set(.voice, .off)
        }
        var renamed = bot
        renamed.groups[0].settings.name = "Foyer"
        renamed.groups[0].linkRole = .member
        let second = try #require(try await host.running([renamed], on: again, store: store) { $0 }.first)
        #expect(second.managedGroups.map(\.groupID) == [made.groupID])
        let kept = again.state.withLock(\.groups)
        #expect(kept.count == 1 && kept[0].groupProfile.description == "Be kind." && kept[0].groupProfile.displayName == "Foyer")
        #expect(kept[0].groupProfile.groupPreferences?.voice?.enable == .off)
        #expect(again.state.withLock { $0.groupLinks[made.groupID]?.acceptMemberRole } == .member)

        let unchanged = again.restarted()
        unchanged.state.withLock { $0.commands = [] }
        _ = try await host.running([renamed], on: unchanged, store: store) { _ in }
        #expect(unchanged.groupCommands.allSatisfy { $0.hasPrefix("/_groups ") || $0.hasPrefix("/_get link ") })
    }

    @Test func whatIsNotDescribedStaysAsSomebodyHasMadeIt() {
        for feature in GroupFeature.allCases {
            var settings = GroupSettings("Lobby"), changed = GroupPreferences()
            settings.preferences.set(feature, .on)
            for other in GroupFeature.allCases where other != feature { changed.set(other, .off) }
            let old = GroupProfile(
                displayName: "Old", fullName: "The old one", shortDescription: "old", description: "old", image: ImageData("data:image/png;base64,AA=="),
                publicGroup: PublicGroupProfile(groupType: .channel, groupLink: "https://simplex.chat/c#x", publicGroupID: Base64URLBytes([9])),
                groupPreferences: changed, memberAdmission: GroupMemberAdmission(review: .all))
            let profile = ManagedGroup("lobby", settings).profile(from: old, menu: [])
            var expected = old
            expected.displayName = "Lobby"
            (expected.shortDescription, expected.description, expected.memberAdmission) = (nil, nil, nil)
            expected.groupPreferences?.set(feature, .on)
            #expect(profile == expected, "\(feature)")
            #expect(ManagedGroup("lobby", settings).profile(from: profile, menu: []) == profile, "twice is as once")
        }
    }

    @Test func aPictureThatIsDescribedReplacesTheOldOne() {
        var settings = GroupSettings("Lobby")
        settings.image = "data:image/png;base64,AQ=="
        let old = GroupProfile(displayName: "Lobby", image: ImageData("data:image/png;base64,AA=="))
        #expect(ManagedGroup("lobby", settings).profile(from: old, menu: []).image?.uri == settings.image)
    }

    @Test func theMenuIsTheBotsAndGoesWithItsCommands() {
        let group = ManagedGroup("lobby", GroupSettings("Lobby"))
        var old = GroupProfile(displayName: "Lobby")
        #expect(group.profile(from: old, menu: []) == old, "a group without preferences gets none")
        let menu = [MenuCommand(keyword: "rules", label: "The rules")]
        old = group.profile(from: old, menu: menu)
        #expect(old.groupPreferences?.commands == [.command(keyword: "rules", label: "The rules", params: nil)])
        #expect(group.profile(from: old, menu: menu) == old)
        #expect(group.profile(from: old, menu: []).groupPreferences?.commands == [])
    }

    @Test func everyPreferenceThatIsDescribedIsPutBack() {
        for feature in GroupFeature.allCases {
            var settings = GroupSettings("Lobby"), changed = GroupPreferences()
            settings.preferences.set(feature, .on)
            changed.set(feature, .off)
            let profile = ManagedGroup("lobby", settings).profile(from: GroupProfile(displayName: "Lobby", groupPreferences: changed), menu: [])
            #expect(profile.groupPreferences == settings.preferences, "\(feature)")
        }
    }
}
