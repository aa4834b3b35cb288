import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Preferences for one contact: what is told, what the chat shows, and the one time to live that both sides have.
@Suite struct ContactPreferenceTests {
    private func scene() async throws -> (RuleScene, ContactID) {
        let scene = try await RuleScene()
        return (scene, try await scene.addContact("bob"))
    }

    private func preferences(_ change: (inout ChatPreferences) -> Void) -> ChatPreferences {
        var preferences = ChatPreferences()
        change(&preferences)
        return preferences
    }

    private func timed(_ allow: FeatureAllowed, _ ttl: Int?) -> ChatPreferences {
        ChatPreferences(timedMessages: TimedMessagesPreference(allow: allow, ttl: ttl))
    }

    /// Sets preferences for the contact.
    private func set(_ preferences: ChatPreferences, of contact: ContactID, in scene: RuleScene) async throws -> (Contact, Effects) {
        let (response, effects) = try await scene.memory.run { try $0.contacts.setPreferences(preferences, of: contact) }
        guard case .contactPrefsUpdated(_, _, let updated) = response else { throw UnexpectedAnswer() }
        return (updated, effects)
    }

    private func contact(_ id: ContactID, in scene: RuleScene) async throws -> Contact {
        try await scene.run { try $0.conversations.contact(id, of: try $0.user()) }
    }

    private func profiles(_ sent: [ChatMessageEvent]) -> [Profile] { sent.compactMap { if case .info(let profile) = $0 { profile } else { nil } } }

    @Test func theContactIsToldAllPreferencesWhenOneOfThemChanges() async throws {
        let (scene, bob) = try await scene()
        let (updated, effects) = try await set(preferences { $0.set(.voice, allow: .no) }, of: bob, in: scene)
        let told = try #require(profiles(effects.sent).first?.preferences)
        #expect(told.voice?.allow == .no && told.fullDelete?.allow == .no && told.reactions?.allow == .yes && told.calls != nil)
        #expect(!updated.mergedPreferences.isAllowedForContact(.voice) && !updated.mergedPreferences.isAllowedForUser(.voice))
        try await scene.close()
    }

    @Test func whatIsSoAlreadyIsNotTold() async throws {
        let (scene, bob) = try await scene()
        let off = preferences { $0.set(.voice, allow: .no) }
        _ = try await set(off, of: bob, in: scene)
        #expect(try await set(off, of: bob, in: scene).1.sent.isEmpty)
        // What is set for the contact as it is in general changes nothing for it, either.
        let general = preferences {
            $0.set(.voice, allow: .no); $0.set(.calls, allow: .yes)
        }
        #expect(try await set(general, of: bob, in: scene).1.sent.isEmpty)
        try await scene.close()
    }

    @Test func theChatShowsWhichFeatureChangedForWhom() async throws {
        let (scene, bob) = try await scene()
        func told(_ effects: Effects) -> [ItemContent] {
            effects.events.flatMap { event -> [ItemContent] in
                guard case .newChatItems(_, let items) = event else { return [] }
                return items.map(\.chatItem.content)
            }
        }
        let nobody = PreferenceEnabled(forUser: false, forContact: false), both = PreferenceEnabled(forUser: true, forContact: true)
        let off = try await set(preferences { $0.set(.voice, allow: .no) }, of: bob, in: scene).1
        #expect(told(off) == [.sentChatFeature(feature: .voice, enabled: nobody, parameter: nil)])
        let offer = try await set(
            preferences {
                $0.set(.voice, allow: .no); $0.set(.fullDelete, allow: .yes)
            }, of: bob, in: scene
        ).1
        #expect(told(offer) == [.sentChatPreference(feature: .fullDelete, allowed: .yes, parameter: nil)])
        let accepted = Profile(displayName: "bob", fullName: "", preferences: preferences { $0.set(.fullDelete, allow: .yes) })
        let received = try await scene.receive([.info(accepted)], from: .contact(bob)).events
        #expect(told(Effects(events: received)) == [.receivedChatFeature(feature: .fullDelete, enabled: both, parameter: nil)])
        try await scene.close()
    }

    @Test func aProfileThatComesTwiceIsToldOnce() async throws {
        let (scene, bob) = try await scene()
        let profile = Profile(displayName: "robert", fullName: "", preferences: preferences { $0.set(.calls, allow: .no) })
        let told = try await scene.receive([.info(profile), .info(profile)], from: .contact(bob)).events.types
        #expect(told == ["newChatItems", "newChatItems", "contactUpdated"], "the name, the feature, the contact")
        #expect(try await contact(bob, in: scene).localDisplayName == "robert")
        try await scene.close()
    }

    @Test func theTimeToLiveThatWasSetLastCountsForBothSides() async throws {
        let (scene, bob) = try await scene()
        _ = try await set(timed(.yes, 60), of: bob, in: scene)
        func ttl() async throws -> (own: Int?, theirs: Int?) {
            let merged = try await contact(bob, in: scene).mergedPreferences.timedMessages
            return (merged.userPreference.preference.ttl, merged.contactPreference.ttl)
        }
        for offered in [3_600, nil, 86_400] as [Int?] {
            try await scene.receive([.info(Profile(displayName: "bob", fullName: "", preferences: timed(.yes, offered)))], from: .contact(bob))
            #expect(try await ttl() == (offered, offered))
        }
        // A profile that sets no time of its own for the contact takes that over, too.
        let cath = try await scene.addContact("cath")
        try await scene.receive([.info(Profile(displayName: "cath", fullName: "", preferences: timed(.yes, 120)))], from: .contact(cath))
        #expect(try await contact(cath, in: scene).userPreferences.timedMessages?.ttl == 120)
        #expect(try await contact(cath, in: scene).userPreferences.timedMessages?.allow == .yes, "what is allowed in general")
        try await scene.close()
    }

    @Test(arguments: [("UPDATE connections SET status = 'requested'", "contactNotReady"), ("DELETE FROM connections", "contactNotActive")])
    func preferencesForAContactThatCannotBeToldAreRefused(_ change: String, _ code: String) async throws {
        let (scene, bob) = try await scene()
        try await scene.run { try $0.db.run(change) }
        #expect(try await scene.refusal { try $0.contacts.setPreferences(ChatPreferences(voice: .init(allow: .no)), of: bob) } == code)
        #expect(try await contact(bob, in: scene).userPreferences == ChatPreferences())
        #expect(try await scene.refusal { try $0.contacts.setPreferences(ChatPreferences(), of: 99) } == "contactNotFound")
        try await scene.close()
    }

    @Test func aVoiceMessageThatIsNotAllowedIsShownAsSuchAndNotKept() async throws {
        let (scene, bob) = try await scene()
        _ = try await set(preferences { $0.set(.voice, allow: .no) }, of: bob, in: scene)
        let id = SharedMessageID(Bytes(repeating: 3, count: 12)), voice = MessageContent.voice(text: "secret words", duration: 3)
        try await scene.receive([.newMessage(MessageContainer(content: voice))], from: .contact(bob), id: id)
        try await scene.receive([.updateMessage(MessageUpdate(messageID: .random(), content: voice))], from: .contact(bob))
        #expect(try await scene.messages(in: .direct(bob)).isEmpty)
        #expect(try await scene.count("chat_items WHERE content_kind = 'rcvChatFeatureRejected'") == 2)
        #expect(try await scene.count("chat_items WHERE content_json LIKE '%secret words%'") == 0)
        // Nobody reacts to what was not kept, and its deletion is of a message that is none.
        let thumb = MessageReactionChange(messageID: id, reaction: .emoji(ReactionEmoji.allCases[0]), add: true)
        #expect(try await scene.receive([.react(thumb)], from: .contact(bob)).events.isEmpty)
        try await scene.close()
    }
}
