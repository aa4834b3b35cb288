import ChatProtocol
import Testing

/// What the preferences of two sides, and of a group, allow.
@Suite struct PreferenceMatrixTests {
    /// For each pair of preferences: whether the user and the contact may use a feature that may hold for one side only; then one that holds for both.
    @Test(arguments: [
        (FeatureAllowed.always, FeatureAllowed.always, "both", "both"), (.always, .yes, "both", "both"), (.always, .no, "contact", "none"),
        (.yes, .always, "both", "both"), (.yes, .yes, "both", "both"), (.yes, .no, "none", "none"),
        (.no, .always, "user", "none"), (.no, .yes, "none", "none"), (.no, .no, "none", "none"),
    ]) func twoSidesAgreeOnAFeature(user: FeatureAllowed, contact: FeatureAllowed, asymmetric: String, symmetric: String) {
        for (isAsymmetric, sides) in [(true, asymmetric), (false, symmetric)] {
            let enabled = PreferenceEnabled(user: user, contact: contact, isAsymmetric: isAsymmetric)
            #expect(enabled.forUser == ["both", "user"].contains(sides) && enabled.forContact == ["both", "contact"].contains(sides))
            // The other side sees the same.
            let mirrored = PreferenceEnabled(user: contact, contact: user, isAsymmetric: isAsymmetric)
            #expect(mirrored.forUser == enabled.forContact && mirrored.forContact == enabled.forUser)
        }
    }

    private static let roles: [GroupMemberRole] = [
        .unknown("chief"), .relay, .observer, .commenter, .author, .member, .moderator, .admin, .owner,
    ]

    @Test func rolesAreInOneOrder() {
        for (index, role) in Self.roles.enumerated() {
            #expect(GroupMemberRole(code: role.code) == role)
            for (other, next) in Self.roles.enumerated() { #expect((role < next) == (index < other) && (role == next) == (index == other)) }
        }
        #expect(GroupMemberRole.unknown("a") < .unknown("b") && GroupMemberRole.unknown("z") < .relay)
        #expect(GroupMemberRole(code: "Owner") == .unknown("Owner"), "no word but its own gives rights")
    }

    @Test(arguments: GroupFeature.allCases) func aFeatureIsAllowedFromItsRoleUp(feature: GroupFeature) {
        for lowest in Self.roles {
            var preferences = GroupPreferences()
            preferences.set(feature, .on, role: lowest)
            let full = FullGroupPreferences(preferences)
            for (index, role) in Self.roles.enumerated() {
                let allowed = !feature.hasRole || index >= (Self.roles.firstIndex(of: lowest) ?? 0)
                #expect(full.allows(feature, role: role) == allowed, "\(feature) from \(lowest.code) for \(role.code)")
            }
            preferences.set(feature, .off, role: lowest)
            #expect(Self.roles.allSatisfy { !FullGroupPreferences(preferences).allows(feature, role: $0) })
        }
    }

    @Test(arguments: GroupFeature.allCases) func settingAFeatureLeavesTheOthers(feature: GroupFeature) throws {
        var preferences = GroupPreferences(timedMessages: .init(enable: .off, ttl: 60), comments: .init(enable: .off, duration: 90))
        preferences.set(feature, .on)
        let before = FullGroupPreferences(GroupPreferences(timedMessages: .init(enable: .off, ttl: 60), comments: .init(enable: .off, duration: 90)))
        let after = FullGroupPreferences(preferences)
        for other in GroupFeature.allCases where other != feature { #expect(after[other] == before[other]) }
        #expect(after[feature].enable == .on && after[feature].parameter == before[feature].parameter)
        // What is full is all set, and is read again.
        #expect(FullGroupPreferences(after.preferences) == after)
        #expect(try FullGroupPreferences(json: after.json) == after)
        #expect(try GroupPreferences(json: preferences.json) == preferences)
    }

    @Test(arguments: ChatFeature.allCases) func settingAFeatureOfAProfileLeavesTheOthers(feature: ChatFeature) {
        for allow in FeatureAllowed.allCases {
            var preferences = ChatPreferences()
            preferences.set(feature, allow: allow)
            let full = FullChatPreferences(preferences)
            for other in ChatFeature.allCases { #expect(full[other].allow == (other == feature ? allow : FullChatPreferences.defaults[other].allow)) }
            #expect(FullChatPreferences(full.preferences) == full)
            preferences.set(feature, allow: nil)
            #expect(preferences == ChatPreferences())
        }
    }

    /// Times to live are bounded wherever a peer tells them.
    @Test(arguments: [("-1", 0), ("0", 0), ("3155760000", 3_155_760_000), ("3155760001", 3_155_760_000), ("9223372036854775807", 3_155_760_000)])
    func timesToLiveAreBounded(text: String, seconds: Int) throws {
        #expect(try TimedMessagesPreference(parsing: #"{"allow":"yes","ttl":\#(text)}"#).ttl == seconds)
        #expect(try TimedMessagesGroupPreference(parsing: #"{"enable":"on","ttl":\#(text)}"#).ttl == seconds)
        #expect(try CommentsGroupPreference(parsing: #"{"enable":"on","duration":\#(text)}"#).duration == seconds)
        #expect(try CommentsGroupPreference(parsing: #"{"enable":"on","closeAfter":\#(text)}"#).duration == seconds)
        let container = try MessageContainer(parsing: #"{"content":{"type":"text","text":""},"ttl":\#(text)}"#)
        #expect(container.ttl == seconds)
        #expect(try MessageUpdate(parsing: #"{"msgId":"AQ==","content":{"type":"text","text":""},"ttl":\#(text)}"#).ttl == seconds)
    }

    @Test(arguments: ["1.5", "1e30", "\"5\"", "true", "99999999999999999999"]) func aTimeToLiveIsAWholeNumber(text: String) {
        #expect(throws: JSONError.self) { try TimedMessagesPreference(parsing: #"{"allow":"yes","ttl":\#(text)}"#) }
        #expect(throws: JSONError.self) { try MessageContainer(parsing: #"{"content":{"type":"text","text":""},"ttl":\#(text)}"#) }
    }

    /// Words of newer clients that decide what is allowed are kept and allow nothing; what is no word is refused.
    @Test func rightsAreNotGuessed() throws {
        let sometimes = try SimplePreference(json: ["allow": "sometimes"])
        #expect(sometimes.json == ["allow": "sometimes"] && !sometimes.allow.isAllowed)
        let preference = try RoleGroupPreference(json: ["enable": "sometimes"])
        #expect(preference.json == ["enable": "sometimes"])
        #expect(!FullGroupPreferences(GroupPreferences(voice: preference)).allows(.voice, role: .owner))
        #expect(try GroupMemberAdmission(json: ["review": "some"]).review == .unknown("some"), "a host takes it for all members")
        #expect(throws: JSONError.self) { try SimplePreference(json: ["allow": .null]) }
        #expect(throws: JSONError.self) { try GroupPreference(json: ["enable": true]) }
        #expect(throws: JSONError.self) { try RoleGroupPreference(json: ["enable": "on", "role": 5]) }
        #expect(throws: JSONError.self) { try GroupMemberAdmission(json: ["review": 5]) }
        #expect(throws: JSONError.self) { try GroupAcceptance(json: "maybe") }
    }
}
