package import ChatAPI
package import ChatProtocol
import UnicodeText

/// The answer of a host to somebody who asks to join by the link of a group.
package enum JoinAnswer: Hashable, Sendable {
    case admit(GroupAcceptance)
    case refuse(GroupRejectionReason)
}

/// The decision of a host about somebody who asks to join by the link of a group: a pure function of the rules of the link and the profile.
package struct JoinDecision: Hashable, Sendable {
    package var answer: JoinAnswer
    /// The role that the joiner gets.
    package var role: GroupMemberRole

    /// - Parameters:
    ///   - admission: The rules of the link; nil if there are none.
    ///   - profile: The profile of the joiner.
    ///   - role: The role of those who join by the link.
    package init(_ admission: JoinerAdmission?, on profile: Profile, as role: GroupMemberRole) {
        let rule = admission?.rules.first { $0.fits(profile) }
        switch rule?.decision {
        case .accept(let own)?: self.init(answer: .admit(.accepted), role: own ?? role)
        case .pendingApproval(let own)?: self.init(answer: .admit(.pendingApproval), role: own ?? role)
        case .pendingReview(let own)?: self.init(answer: .admit(.pendingReview), role: own ?? role)
        // A refused person gets the lowest role in the answer, as from official hosts.
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
        let name = JoinerName(profile.displayName)
        return nameContains.contains(where: name.contains)
    }
}

/// The name of a joiner as it is compared with texts: as it is written, and as people read it, with look-alikes, marks and spaces between letters.
private struct JoinerName {
    private let folded: [UInt8]
    private let forms: [NormalizedText]

    init(_ name: String) {
        folded = Array(name.folded.utf8)
        forms = TextNormalization.all.forms(of: name)
    }

    func contains(_ text: String) -> Bool {
        if folded.firstRange(of: Array(text.folded.utf8)) != nil { return true }
        let wanted = TextNormalization.all.form(ofEntry: text).bytes
        return !wanted.isEmpty && forms.contains { $0.bytes.firstRange(of: wanted) != nil }
    }
}
