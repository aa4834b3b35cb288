import ChatAPI
import ChatProtocol

/// The answer of a host to somebody who asks to join by the link of a group.
enum JoinAnswer: Hashable, Sendable {
    case admit(GroupAcceptance)
    case refuse(GroupRejectionReason)
}

/// The decision of a host about somebody who asks to join by the link of a group: a pure function of the rules of the link and the profile.
struct JoinDecision: Hashable, Sendable {
    var answer: JoinAnswer
    /// The role that the joiner gets.
    var role: GroupMemberRole

    /// - Parameters:
    ///   - admission: The rules of the link; nil if there are none.
    ///   - profile: What the joiner shows of itself.
    ///   - role: The role of those who join by the link.
    init(_ admission: JoinerAdmission?, on profile: Profile, as role: GroupMemberRole) {
        let rule = admission?.rules.first { $0.fits(profile) }
        switch rule?.decision {
        case .accept(let own)?: self.init(answer: .admit(.accepted), role: own ?? role)
        case .pendingApproval(let own)?: self.init(answer: .admit(.pendingApproval), role: own ?? role)
        case .pendingReview(let own)?: self.init(answer: .admit(.pendingReview), role: own ?? role)
        // Who is refused is told the least role, as by official hosts.
        case .reject(let reason)?: self.init(answer: .refuse(reason), role: .observer)
        case .other?, nil: self.init(answer: .admit(.accepted), role: role)
        }
    }

    private init(answer: JoinAnswer, role: GroupMemberRole) {
        self.answer = answer
        self.role = role
    }
}

extension JoinerRule {
    fileprivate func fits(_ profile: Profile) -> Bool {
        if let nameLongerThan, profile.displayName.unicodeScalars.count <= nameLongerThan { return false }
        if let withoutImage, withoutImage != (profile.image?.uri ?? "").isEmpty { return false }
        guard let nameContains else { return true }
        let name = profile.displayName.comparable
        return nameContains.contains { name.contains($0.comparable) }
    }
}

extension String {
    /// The text without case, and without characters that nobody sees: with one of them, a forbidden word would not be found.
    fileprivate var comparable: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint })).lowercased()
    }
}
