import ChatProtocol

/// A value of commands with words of which newer clients may send others. Those of peers are kept; a person who writes one is told that it is none.
protocol KnownWords {
    /// True if there is a word that this version does not know.
    var hasUnknownWords: Bool { get }
}

extension FeatureAllowed: KnownWords {
    var hasUnknownWords: Bool { if case .unknown = self { true } else { false } }
}

extension ChatPreferences: KnownWords {
    var hasUnknownWords: Bool { ChatFeature.allCases.contains { self[$0]?.allow.hasUnknownWords == true } }
}

extension Profile: KnownWords {
    var hasUnknownWords: Bool {
        if case .unknown? = peerType { return true }
        return preferences?.hasUnknownWords == true
    }
}

extension GroupPreferences: KnownWords {
    var hasUnknownWords: Bool {
        let full = FullGroupPreferences(self)
        return GroupFeature.allCases.contains { if case .unknown = full[$0].enable { true } else { false } }
    }
}

extension GroupProfile: KnownWords {
    var hasUnknownWords: Bool {
        if case .unknown? = memberAdmission?.review { return true }
        return groupPreferences?.hasUnknownWords == true
    }
}

extension NewUser: KnownWords {
    var hasUnknownWords: Bool { profile?.hasUnknownWords == true }
}
