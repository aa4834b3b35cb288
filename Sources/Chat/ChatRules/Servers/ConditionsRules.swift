package import ChatAPI
package import ChatProtocol

/// The rules for accepting conditions of use.
package struct ConditionsRules {
    /// The last acceptance of an operator's conditions.
    package struct Acceptance: Sendable, Hashable {
        package var commit: String
        package var acceptedAt: UTCTimestamp?
        package var wasAutomatic: Bool

        package init(
            commit: String, acceptedAt: UTCTimestamp? = nil, wasAutomatic: Bool
        ) {
            self.commit = commit
            self.acceptedAt = acceptedAt
            self.wasAutomatic = wasAutomatic
        }
    }

    /// Seconds after the publication of new conditions within which a user must be notified to keep using the servers for a while.
    package static let grace: Int64 = 14 * 86_400
    /// The duration.
    package static let respite: Int64 = 31 * 86_400

    package var current: UsageConditions
    /// The version that was accepted last, for whichever operator.
    package var latestAccepted: String?
    package var now: UTCTimestamp

    package init(
        current: UsageConditions, latestAccepted: String? = nil, now: UTCTimestamp
    ) {
        self.current = current
        self.latestAccepted = latestAccepted
        self.now = now
    }

    /// The state of an operator.
    package func acceptance(_ last: Acceptance?) -> ConditionsAcceptance {
        guard let latestAccepted, let last, last.commit == latestAccepted else { return .required(deadline: nil) }
        guard current.conditionsCommit == latestAccepted else { return .required(deadline: deadline) }
        return .accepted(acceptedAt: last.acceptedAt, autoAccepted: last.wasAutomatic)
    }

    /// Until when the old conditions do; nil if the new ones are to be accepted first.
    private var deadline: UTCTimestamp? {
        let told = current.notifiedAt ?? now
        return told < current.createdAt.adding(seconds: Self.grace) ? told.adding(seconds: Self.respite) : nil
    }

    /// The action that is due; nil if no operator is used.
    package func action(for operators: [ServerOperator]) -> UsageConditionsAction? {
        let used = operators.filter(\.enabled)
        guard !used.isEmpty else { return nil }
        let missing = used.filter { !$0.hasAcceptedConditions }
        if missing.isEmpty { return .accepted(operators: operators.filter(\.hasAcceptedConditions)) }
        return .review(operators: missing, deadline: deadline, showNotice: current.notifiedAt == nil)
    }
}

extension ServerOperator {
    fileprivate var hasAcceptedConditions: Bool {
        if case .accepted = conditionsAcceptance { true } else { false }
    }
}
