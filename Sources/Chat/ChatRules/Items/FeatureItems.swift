package import ChatAPI
package import ChatProtocol

/// The items that tell in a chat which features are on, and when that changes.
package enum FeatureItems {
    /// The items at the head of a new chat: one for each feature.
    package static func initial(_ preferences: ContactUserPreferences) -> [ItemContent] {
        ChatFeature.shown.map { feature in
            let state = preferences.state(feature)
            return .receivedChatFeature(feature: feature, enabled: state.enabled, parameter: state.parameter)
        }
    }

    /// The items for what the contact changed: for each feature whose state differs that, else what it offers now.
    package static func changedByContact(from old: ContactUserPreferences, to new: ContactUserPreferences) -> [ItemContent] {
        ChatFeature.shown.compactMap { feature in
            let state = new.state(feature)
            if old.state(feature) != state {
                return .receivedChatFeature(feature: feature, enabled: state.enabled, parameter: state.parameter)
            }
            let offer = new.offer(feature, byUser: false)
            guard old.offer(feature, byUser: false) != offer else { return nil }
            return .receivedChatPreference(feature: feature, allowed: offer.allowed, parameter: offer.parameter)
        }
    }

    /// The items for what this profile changed.
    package static func changedByUser(from old: ContactUserPreferences, to new: ContactUserPreferences) -> [ItemContent] {
        ChatFeature.shown.compactMap { feature in
            let state = new.state(feature)
            if old.state(feature) != state {
                return .sentChatFeature(feature: feature, enabled: state.enabled, parameter: state.parameter)
            }
            let offer = new.offer(feature, byUser: true)
            guard old.offer(feature, byUser: true) != offer else { return nil }
            return .sentChatPreference(feature: feature, allowed: offer.allowed, parameter: offer.parameter)
        }
    }

    /// The items for a change of the profile before anybody is connected: they have the place of the first ones.
    package static func changedBeforeConnecting(from old: ContactUserPreferences, to new: ContactUserPreferences) -> [ItemContent] {
        changedByUser(from: old, to: new).map { content in
            switch content {
            case .sentChatFeature(let feature, let enabled, let parameter):
                .receivedChatFeature(feature: feature, enabled: enabled, parameter: parameter)
            case .sentChatPreference(let feature, let allowed, let parameter):
                .receivedChatPreference(feature: feature, allowed: allowed, parameter: parameter)
            default: content
            }
        }
    }
}

/// The state of a feature: the people for whom it is on, and its time to live if it has one.
package struct FeatureState: Hashable {
    package var enabled: PreferenceEnabled
    package var parameter: Int?

    package init(
        enabled: PreferenceEnabled, parameter: Int? = nil
    ) {
        self.enabled = enabled
        self.parameter = parameter
    }
}

/// One side's preference for a feature.
package struct FeatureOffer: Hashable {
    package var allowed: FeatureAllowed
    package var parameter: Int?

    package init(
        allowed: FeatureAllowed, parameter: Int? = nil
    ) {
        self.allowed = allowed
        self.parameter = parameter
    }
}

extension ContactUserPreferences {
    /// The state of a feature; a time to live counts only while this profile may use the feature.
    package func state(_ feature: ChatFeature) -> FeatureState {
        let enabled = enabled(feature)
        return FeatureState(
            enabled: enabled,
            parameter: feature == .timedMessages && enabled.forUser ? timedMessages.userPreference.preference.ttl : nil)
    }

    /// The preference of this profile or of the contact for a feature.
    package func offer(_ feature: ChatFeature, byUser: Bool) -> FeatureOffer {
        func offer(_ preference: ContactUserPreference<SimplePreference>) -> FeatureOffer {
            FeatureOffer(allowed: byUser ? preference.userPreference.preference.allow : preference.contactPreference.allow)
        }
        switch feature {
        case .timedMessages:
            let timed = byUser ? timedMessages.userPreference.preference : timedMessages.contactPreference
            return FeatureOffer(allowed: timed.allow, parameter: timed.allow.isAllowed ? timed.ttl : nil)
        case .fullDelete: return offer(fullDelete)
        case .reactions: return offer(reactions)
        case .voice: return offer(voice)
        case .files: return offer(files)
        case .calls: return offer(calls)
        case .sessions: return offer(sessions)
        }
    }

    /// Tells whether this profile may use a feature.
    package func isAllowedForUser(_ feature: ChatFeature) -> Bool { enabled(feature).forUser }

    /// Tells whether the contact may use a feature.
    package func isAllowedForContact(_ feature: ChatFeature) -> Bool { enabled(feature).forContact }
}
