import ChatAPI
import ChatProtocol
import Testing

@testable import ChatRules

@Suite("Conditions of use")
struct ConditionsRuleTests {
    private static let day: Int64 = 86_400
    private static let published = RuleFixtures.time

    /// The rules when new conditions are published and the user is notified some days later.
    private func rules(notifiedAfter days: Int64? = nil, now: Int64 = 0, accepted: String? = "old", current: String = "new") -> ConditionsRules {
        let conditions = UsageConditions(
            conditionsID: 2, conditionsCommit: current, notifiedAt: days.map { Self.published.adding(seconds: $0 * Self.day) }, createdAt: Self.published)
        return ConditionsRules(current: conditions, latestAccepted: accepted, now: Self.published.adding(seconds: now * Self.day))
    }

    private static let old = ConditionsRules.Acceptance(commit: "old", acceptedAt: published, wasAutomatic: true)

    @Test("who has accepted the conditions of today has accepted them, as they did")
    func accepted() {
        #expect(rules(current: "old").acceptance(Self.old) == .accepted(acceptedAt: Self.published, autoAccepted: true))
    }

    @Test("an operator whose conditions were never accepted, or not the last time, is not used before they are")
    func required() {
        #expect(rules(accepted: nil).acceptance(nil) == .required(deadline: nil))
        #expect(rules(accepted: nil).acceptance(Self.old) == .required(deadline: nil))
        #expect(rules().acceptance(nil) == .required(deadline: nil))
        #expect(rules(accepted: "new").acceptance(Self.old) == .required(deadline: nil))
    }

    @Test(
        "new conditions leave a month from the notice, if it comes within two weeks",
        arguments: [
            (Int64?.some(0), Int64(40), Int64?.some(31)), (.some(13), 40, .some(44)), (.some(14), 40, nil), (.some(20), 40, nil), (nil, 5, .some(36)),
            (nil, 14, nil),
        ])
    func deadlines(notifiedAfter: Int64?, now: Int64, deadline: Int64?) {
        let expected = deadline.map { Self.published.adding(seconds: $0 * Self.day) }
        #expect(rules(notifiedAfter: notifiedAfter, now: now).acceptance(Self.old) == .required(deadline: expected))
    }

    @Test("conditions are reviewed for the operators in use that lack an acceptance, with a notice the first time")
    func actions() {
        let agreed = ConditionsAcceptance.accepted(acceptedAt: nil)
        let accepted = ServerFixtures.serverOperator(1, conditions: agreed), missing = ServerFixtures.serverOperator(2)
        let unused = ServerFixtures.serverOperator(3, enabled: false)
        #expect(rules().action(for: []) == nil && rules().action(for: [unused]) == nil)
        #expect(rules().action(for: [accepted, unused]) == .accepted(operators: [accepted]))
        let deadline = Self.published.adding(seconds: 31 * Self.day)
        #expect(rules().action(for: [accepted, missing, unused]) == .review(operators: [missing], deadline: deadline, showNotice: true))
        #expect(rules(notifiedAfter: 0).action(for: [missing]) == .review(operators: [missing], deadline: deadline, showNotice: false))
    }
}
