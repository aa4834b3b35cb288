import ChatProtocol
import Testing

@Suite struct PreferenceTests {
    private let quiet = ChatPreferences(
        timedMessages: .init(allow: .always, ttl: 60), voice: .init(allow: .no), calls: .init(allow: .no),
        commands: [.command(keyword: "help", label: "Help")])

    @Test func whatIsSetForAContactCountsBeforeTheProfile() {
        let contact = ChatPreferences(timedMessages: .init(allow: .no), voice: .init(allow: .always))
        let full = FullChatPreferences(merging: contact, over: quiet)
        #expect(full.voice.allow == .always)
        #expect(full.calls.allow == .no)
        #expect(full.reactions.allow == .yes)
        #expect(full.timedMessages == .init(allow: .no))
        #expect(full.commands == quiet.commands)
        #expect(FullChatPreferences(nil) == .defaults)
    }

    @Test func theProfilesTimeToLiveIsNotToldToContactsWithoutOne() {
        let full = FullChatPreferences(merging: ChatPreferences(), over: quiet, usesProfileTTL: false)
        #expect(full.timedMessages == .init(allow: .always))
        let own = ChatPreferences(timedMessages: .init(allow: .yes, ttl: 5))
        #expect(FullChatPreferences(merging: own, over: quiet, usesProfileTTL: false).timedMessages == .init(allow: .yes, ttl: 5))
    }

    @Test func contactAndUserAreMergedForEachSide() {
        let contact = ChatPreferences(fullDelete: .init(allow: .always), voice: .init(allow: .always), commands: [])
        let merged = ContactUserPreferences(
            user: quiet, userForContact: ChatPreferences(calls: .init(allow: .yes)), contact: contact, isIncognito: false)
        #expect(merged.voice.enabled == PreferenceEnabled(forUser: true, forContact: false))
        #expect(merged.voice.userPreference == .user(.init(allow: .no)))
        #expect(merged.voice.contactPreference == .init(allow: .always))
        #expect(merged.fullDelete.enabled == PreferenceEnabled(forUser: true, forContact: false))
        #expect(merged.calls.enabled == PreferenceEnabled(forUser: true, forContact: true))
        #expect(merged.calls.userPreference == .contact(.init(allow: .yes)))
        #expect(merged.timedMessages.enabled == PreferenceEnabled(forUser: true, forContact: true))
        #expect(merged.timedMessages.userPreference.preference.ttl == nil)
        #expect(merged.commands == [])
        for feature in ChatFeature.allCases { #expect(merged.enabled(feature).forUser == (feature == .sessions ? false : true)) }
    }

    @Test func anIncognitoContactIsNotToldTheProfilesPreferences() {
        let merged = ContactUserPreferences(user: quiet, userForContact: ChatPreferences(), contact: nil, isIncognito: true)
        #expect(merged.voice.enabled == PreferenceEnabled(forUser: true, forContact: true))
        #expect(merged.voice.userPreference == .contact(.init(allow: .yes)))
        #expect(merged.commands == nil)
    }

    @Test func mergedPreferencesAreReadBack() throws {
        let merged = ContactUserPreferences(
            user: quiet, userForContact: ChatPreferences(), contact: quiet, isIncognito: false)
        #expect(try ContactUserPreferences(json: merged.json) == merged)
        #expect(merged.json["voice"]?["userPreference"]?["type"] == "user")
        #expect(throws: JSONError.self) { try ContactUserPreferences(json: [:]) }
    }

    @Test func settingAFeatureKeepsItsTimeToLive() {
        var preferences = quiet
        preferences.set(.timedMessages, allow: .no)
        preferences.set(.voice, allow: nil)
        preferences.set(.files, allow: .no)
        #expect(preferences.timedMessages == .init(allow: .no, ttl: 60))
        #expect(preferences.voice == nil)
        for feature in ChatFeature.allCases {
            preferences.set(feature, allow: .always)
            #expect(preferences[feature]?.allow == .always)
            #expect(FullChatPreferences(preferences)[feature].allow == .always)
        }
    }

    @Test func groupFeaturesMayBeForSomeRolesOnly() {
        let full = FullGroupPreferences(
            GroupPreferences(
                directMessages: .init(enable: .on, role: .admin), voice: .init(enable: .off, role: .member),
                files: .init(enable: .on)))
        #expect(full.allows(.directMessages, role: .owner))
        #expect(full.allows(.directMessages, role: .admin))
        #expect(!full.allows(.directMessages, role: .moderator))
        #expect(!full.allows(.directMessages, role: .unknown("commenter")))
        #expect(!full.allows(.voice, role: .owner))
        #expect(full.allows(.files, role: .observer))
        #expect(!full.allows(.history, role: .owner))
        for feature in GroupFeature.allCases { #expect(full[feature].role == nil || feature.hasRole) }
    }

    @Test func rolesAreInOrder() {
        let roles: [GroupMemberRole] = [
            .unknown("a"), .unknown("b"), .relay, .observer, .author, .member, .moderator, .admin, .owner,
        ]
        #expect(roles.shuffled().sorted() == roles)
        for role in roles { #expect(GroupMemberRole(code: role.code) == role) }
    }

    @Test func businessChatsTakeThePreferencesOfTheProfile() {
        let group = GroupPreferences.business(quiet)
        #expect(group.timedMessages == .init(enable: .on, ttl: 60))
        #expect(group.voice == .init(enable: .off))
        #expect(group.files == .init(enable: .on))
        #expect(group.history == .init(enable: .on))
        #expect(group.reports == .init(enable: .off))
        #expect(group.commands == quiet.commands)
        #expect(GroupPreferences.business(ChatPreferences()).reactions == .init(enable: .on))
    }

    @Test func durationsOfCommentsAreReadUnderBothNames() throws {
        #expect(try CommentsGroupPreference(json: ["enable": "on", "closeAfter": 60]).duration == 60)
        #expect(
            try CommentsGroupPreference(json: ["enable": "on", "duration": 30, "closeAfter": 60]).json
                == ["enable": "on", "duration": 30])
        #expect(try CommentsGroupPreference(json: ["enable": "off"]).duration == nil)
    }

    @Test func menusNestAndUnknownEntriesAreRefused() throws {
        let menu: BotCommand = .menu(
            label: "M", commands: [.command(keyword: "a", label: "A", params: "<n>"), .menu(label: "N", commands: [])])
        #expect(try BotCommand(json: menu.json) == menu)
        #expect(try BotCommand(json: ["type": "link", "label": "x"]) == .unknown(tag: "link", ["type": "link", "label": "x"]))
        var deep = menu
        for _ in 0..<200 { deep = .menu(label: "x", commands: [deep]) }
        #expect(throws: JSONError.self) { try BotCommand(parsing: deep.json.bytes()) }
    }

    private static let texts: [(String, String)] = [
        (ChatFeature.calls.stateText(.init(forUser: true, forContact: true), parameter: nil), "Audio/video calls: enabled"),
        (ChatFeature.timedMessages.stateText(.init(forUser: true, forContact: true), parameter: nil), "Disappearing messages: allowed"),
        (ChatFeature.timedMessages.stateText(.init(forUser: true, forContact: true), parameter: 3600), "Disappearing messages: enabled (1 hour)"),
        (ChatFeature.timedMessages.stateText(.init(forUser: true, forContact: true), parameter: 2), "Disappearing messages: enabled (2 sec)"),
        (ChatFeature.fullDelete.stateText(.init(forUser: true, forContact: false), parameter: nil), "Full deletion: enabled for you"),
        (ChatFeature.fullDelete.stateText(.init(forUser: false, forContact: true), parameter: nil), "Full deletion: enabled for contact"),
        (ChatFeature.voice.stateText(.init(forUser: false, forContact: false), parameter: nil), "Voice messages: off"),
        (ChatFeature.fullDelete.offerText(.always, parameter: nil), "offered Full deletion"),
        (ChatFeature.timedMessages.offerText(.yes, parameter: 86_400), "offered Disappearing messages (1 day)"),
        (ChatFeature.voice.offerText(.no, parameter: nil), "cancelled Voice messages"),
        (GroupFeature.directMessages.stateText(.init(enable: .on, role: .moderator)), "Direct messages: on for moderators"),
        (GroupFeature.timedMessages.stateText(.init(enable: .on, parameter: 3600)), "Disappearing messages: on (1 hour)"),
        (GroupFeature.timedMessages.stateText(.init(enable: .off, parameter: 3600)), "Disappearing messages: off"),
        (GroupFeature.comments.stateText(.init(enable: .on, parameter: 60)), "Comments: on (close after 1 min)"),
        (GroupFeature.support.stateText(.init(enable: .on)), "Chat with admins: on"),
        (TimeToLive.text(0), "0 sec"), (TimeToLive.text(604_800), "1 week"), (TimeToLive.text(1_209_600), "2 weeks"),
        (TimeToLive.text(2_592_000), "1 month"), (TimeToLive.text(5_190_000), "2 months 1 hour 40 min"),
        (TimeToLive.text(93_784), "1 day 2 hours 3 min 4 sec"),
    ]

    @Test(arguments: texts)
    func featuresAreToldInTheWordsOfOfficialClients(text: String, expected: String) { #expect(text == expected) }
}
