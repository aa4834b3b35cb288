import ChatAPI
import ChatProtocol
import Testing

@testable import ChatRules

/// The items that tell in a chat which features are on.
@Suite struct FeatureItemTests {
    private static func preferences(_ user: (inout ChatPreferences) -> Void = { _ in }, contact: (inout ChatPreferences) -> Void = { _ in })
        -> ContactUserPreferences
    {
        var mine = ChatPreferences(), theirs = ChatPreferences()
        user(&mine)
        contact(&theirs)
        return ContactUserPreferences(user: nil, userForContact: mine, contact: theirs, isIncognito: false)
    }

    @Test func aNewChatBeginsWithOneItemForEachFeatureThatIsShown() {
        let features = FeatureItems.initial(Self.preferences()).compactMap { item -> ChatFeature? in
            if case .receivedChatFeature(let feature, _, _) = item { feature } else { nil }
        }
        #expect(features == ChatFeature.shown)
    }

    @Test func nothingIsToldOfAProfileThatChangesNoPreference() {
        let same = Self.preferences { $0.set(.voice, allow: .no) }
        #expect(FeatureItems.changedByUser(from: same, to: same).isEmpty && FeatureItems.changedByContact(from: same, to: same).isEmpty)
    }

    @Test func aFeatureThatIsSwitchedOffIsToldOnceBySide() {
        let on = Self.preferences(), off = Self.preferences { $0.set(.voice, allow: .no) }
        let sent = FeatureItems.changedByUser(from: on, to: off), received = FeatureItems.changedByContact(from: on, to: off)
        let nobody = PreferenceEnabled(forUser: false, forContact: false)
        #expect(sent == [.sentChatFeature(feature: .voice, enabled: nobody, parameter: nil)])
        #expect(received == [.receivedChatFeature(feature: .voice, enabled: nobody, parameter: nil)])
    }

    @Test func anOfferThatChangesNothingYetIsToldAsAnOffer() {
        // Messages may be deleted for both sides only if both allow it.
        let none = Self.preferences(), offered = Self.preferences(contact: { $0.set(.fullDelete, allow: .yes) })
        #expect(
            FeatureItems.changedByContact(from: none, to: offered) == [.receivedChatPreference(feature: .fullDelete, allowed: .yes, parameter: nil)])
    }

    @Test func theTimeToLiveOfMessagesIsToldOnlyWhileTheyDisappear() {
        func timed(_ allow: FeatureAllowed, _ ttl: Int?) -> ContactUserPreferences {
            Self.preferences {
                $0.timedMessages = TimedMessagesPreference(allow: allow, ttl: ttl)
            } contact: {
                $0.timedMessages = TimedMessagesPreference(allow: .yes, ttl: ttl)
            }
        }
        let parameters = FeatureItems.changedByUser(from: timed(.no, 60), to: timed(.yes, 60)).map { item -> Int?? in
            if case .sentChatFeature(.timedMessages, _, let parameter) = item { parameter } else { nil }
        }
        #expect(parameters == [.some(60)])
        let off = FeatureItems.changedByUser(from: timed(.yes, 60), to: timed(.no, 60))
        guard case .sentChatFeature(.timedMessages, let enabled, let parameter)? = off.first else {
            Issue.record("\(off)")
            return
        }
        #expect(!enabled.forUser && parameter == nil)
    }

    @Test func beforeAnybodyIsConnectedChangesStandWhereTheFirstItemsDo() {
        let on = Self.preferences(), off = Self.preferences { $0.set(.calls, allow: .no) }
        let items = FeatureItems.changedBeforeConnecting(from: on, to: off)
        #expect(items.count == FeatureItems.changedByUser(from: on, to: off).count && !items.isEmpty)
        for item in items {
            switch item {
            case .receivedChatFeature, .receivedChatPreference: break
            default: Issue.record("\(item)")
            }
        }
    }
}
