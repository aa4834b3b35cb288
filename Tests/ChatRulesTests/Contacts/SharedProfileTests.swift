import ChatAPI
import ChatProtocol
import SMPCrypto
import Testing

@testable import ChatRules

/// The profile that a contact is shown, and that an incognito connection shows nothing of the real one.
@Suite struct SharedProfileTests {
    /// A profile in which everything is set.
    private static var everything: Profile {
        var preferences = ChatPreferences()
        preferences.set(.voice, allow: .no)
        preferences.set(.fullDelete, allow: .always)
        preferences.timedMessages = TimedMessagesPreference(allow: .always, ttl: 3_600)
        return Profile(
            displayName: "alice", fullName: "Alice Liddell", shortDescription: "curious", image: ImageData("data:image/png;base64,AA=="),
            contactLink: "https://smp.example/a#secret", preferences: preferences, peerType: .bot)
    }

    private static var user: User {
        let profile = everything
        return User(
            userID: 1, agentUserID: "1", userContactID: 1, localDisplayName: "alice", profile: LocalProfile(profile, id: 1, alias: "me"),
            fullPreferences: FullChatPreferences(profile.preferences), isActive: true, activeOrder: 1, showsNotifications: true,
            sendsReceiptsToContacts: true, sendsReceiptsToSmallGroups: true)
    }

    @Test func aContactIsShownThePublishedProfileWithAllPreferencesFilledIn() throws {
        let shared = Self.user.sharedProfile(incognito: nil, contactPreferences: nil, usesProfileTTL: true)
        #expect(!shared.differsVisibly(from: Self.everything))
        let preferences = try #require(shared.preferences)
        for feature in ChatFeature.allCases { #expect(preferences[feature] != nil, "\(feature)") }
        #expect(preferences.voice?.allow == .no && preferences.calls?.allow == .yes)
    }

    @Test func theNameThatThisProfileGivesItselfIsNotShown() {
        let text = Self.user.sharedProfile(incognito: nil, contactPreferences: nil, usesProfileTTL: true).jsonText
        #expect(!text.contains("\"me\"") && !text.contains("localAlias"))
    }

    @Test func anIncognitoConnectionShowsNothingOfTheRealProfileButTheTimeToLive() throws {
        let random = RandomProfile.make(SeededRandomSource(seed: 3))
        let shared = Self.user.sharedProfile(incognito: random, contactPreferences: nil, usesProfileTTL: true)
        let text = shared.jsonText
        for secret in ["alice", "Liddell", "curious", "base64", "secret", "bot"] { #expect(!text.contains(secret), "\(secret)") }
        let preferences = try #require(shared.preferences)
        #expect(preferences.voice?.allow == .yes && preferences.fullDelete?.allow == .no, "the defaults, not the profile's")
        #expect(preferences.timedMessages == TimedMessagesPreference(allow: .yes, ttl: 3_600))
    }

    @Test func thePreferencesForAContactWinOverTheGeneralOnes() {
        var own = ChatPreferences()
        own.set(.voice, allow: .always)
        func voice(_ incognito: Profile?) -> FeatureAllowed? {
            Self.user.sharedProfile(incognito: incognito, contactPreferences: own, usesProfileTTL: true).preferences?.voice?.allow
        }
        #expect(voice(nil) == .always && voice(RandomProfile.make(SeededRandomSource(seed: 1))) == .always)
    }

    @Test func aRandomProfileIsAValidNameAndNothingElse() {
        var names: Set<String> = []
        for seed in 0..<200 {
            let profile = RandomProfile.make(SeededRandomSource(seed: UInt64(seed)))
            #expect(DisplayName.isValid(profile.displayName), "\(profile.displayName)")
            #expect(profile == Profile(displayName: profile.displayName, fullName: ""))
            names.insert(profile.displayName)
        }
        #expect(names.count > 150, "names are rarely the same")
    }
}
