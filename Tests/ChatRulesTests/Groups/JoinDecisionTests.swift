import ChatAPI
import ChatProtocol
import Testing

@testable import ChatRules

/// Rules for those who join by the link of a group, applied to profiles.
@Suite struct JoinDecisionTests {
    private func decide(_ rules: [JoinerRule], _ name: String, image: String? = nil) -> JoinDecision {
        JoinDecision(JoinerAdmission(rules: rules), on: Profile(displayName: name, fullName: "", image: image.map { ImageData($0) }), as: .member)
    }

    @Test func withoutRulesAndWithoutOneThatFitsEverybodyIsAcceptedWithTheRoleOfTheLink() {
        let profile = Profile(displayName: "bob", fullName: "")
        let none = JoinDecision(nil, on: profile, as: .observer)
        #expect(none.answer == .admit(.accepted) && none.role == .observer)
        let other = decide([JoinerRule(nameLongerThan: 3, decision: .reject(reason: .longName))], "bob")
        #expect(other.answer == .admit(.accepted) && other.role == .member)
    }

    @Test func theFirstRuleThatFitsDecides() {
        let rules = [
            JoinerRule(nameLongerThan: 5, decision: .reject(reason: .longName)), JoinerRule(nameContains: ["o"], decision: .pendingApproval(role: nil)),
            JoinerRule(decision: .accept(role: .observer)),
        ]
        #expect(decide(rules, "robinson").answer == .refuse(.longName))
        #expect(decide(rules, "bob").answer == .admit(.pendingApproval))
        let last = decide(rules, "cath")
        #expect(last.answer == .admit(.accepted) && last.role == .observer)
    }

    @Test func theLengthOfANameIsThatOfItsUnicodeScalars() {
        let rules = [JoinerRule(nameLongerThan: 4, decision: .reject(reason: .longName))]
        #expect(decide(rules, "böbi").answer == .admit(.accepted))
        // One character on the screen, eleven scalars in the message.
        #expect(decide(rules, "👨‍👩‍👧‍👦").answer == .refuse(.longName))
    }

    @Test(arguments: ["Spam", "no SPAM here", "sp\u{200B}am", "s\u{00AD}p\u{2060}a\u{FE0F}m"])
    func aTextIsFoundInAnyCaseAndBehindCharactersThatAreNotSeen(name: String) {
        #expect(decide([JoinerRule(nameContains: ["eggs", "sPam"], decision: .reject(reason: .blockedName))], name).answer == .refuse(.blockedName))
    }

    /// Names that people read as the text of a rule.
    @Test(arguments: [
        "Аdmin", "Admіn", "𝐀𝐝𝐦𝐢𝐧", "Ａｄｍｉｎ", "ⓐⓓⓜⓘⓝ", "🅰🅳🅼🅸🅽", "Ádmín", "A\u{336}d\u{336}m\u{336}i\u{336}n\u{336}", "A d m i n", "A.d.m.i.n", "a_d_m_i_n",
        "adm1n", "@dmin",
        "aaadmin", "The ADMIN ✅", "Ad\u{200B}min", "A\u{2060}dm\u{AD}in", "Ad\u{E0061}min", "\u{202E}nimdA", "x \u{202E}nimdA\u{202C} y",
        "\u{2067}Admin\u{2069}",
        "\u{200F}Admin", "администратор Admin",
    ])
    func aTextIsFoundHoweverTheNameIsWritten(name: String) {
        #expect(decide([JoinerRule(nameContains: ["admin"], decision: .reject(reason: .blockedName))], name).answer == .refuse(.blockedName), "\(name)")
    }

    @Test(arguments: ["Ann", "Адам", "Ad Man", "אדמין", "أدمن", "山田", "Dominic", "Nadim", "A D", "Ahmad Minhas"])
    func anotherNameIsNotFound(name: String) {
        #expect(decide([JoinerRule(nameContains: ["admin"], decision: .reject(reason: .blockedName))], name).answer == .admit(.accepted), "\(name)")
    }

    @Test func allConditionsOfARuleHaveToHold() {
        let rules = [JoinerRule(nameContains: ["bot"], withoutImage: true, decision: .pendingReview(role: .observer))]
        #expect(decide(rules, "robot").answer == .admit(.pendingReview))
        #expect(decide(rules, "robot", image: "").answer == .admit(.pendingReview))
        #expect(decide(rules, "robot", image: "data:image/png;base64,AA==").answer == .admit(.accepted))
        #expect(decide(rules, "bob").answer == .admit(.accepted))
        let pictured = [JoinerRule(withoutImage: false, decision: .accept(role: .observer))]
        #expect(decide(pictured, "bob").role == .member)
        #expect(decide(pictured, "bob", image: "data:image/png;base64,AA==").role == .observer)
    }

    @Test func whoIsRefusedHasTheLeastRole() {
        #expect(decide([JoinerRule(decision: .reject(reason: .unknown("closed")))], "bob").role == .observer)
    }

    @Test(arguments: [
        (GroupAcceptance.accepted, false, GroupMemberStatus.accepted), (.accepted, true, .pendingReview), (.pendingApproval, true, .pendingApproval),
        (.pendingReview, false, .pendingReview),
    ])
    func theStateOfAJoinerFollowsTheDecisionAndTheReviewOfTheGroup(_ acceptance: GroupAcceptance, hasReview: Bool, status: GroupMemberStatus) {
        let admission = hasReview ? GroupMemberAdmission(review: .all) : nil
        #expect(GroupMemberStatus(.admit(acceptance), admission: admission) == status)
        #expect(GroupMemberStatus(.refuse(.longName), admission: admission) == .rejected)
    }
}
