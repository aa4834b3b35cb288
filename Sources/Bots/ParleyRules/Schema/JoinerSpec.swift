internal import ChatAPI
internal import ChatProtocol

/// Reads `joiners:` of a group: the rules for those who ask to join by its link.
enum JoinerSpec {
    /// The answers to a joiner.
    enum Decision: Sendable {
        case accept, approve, review, reject
    }

    static let decisions: KeyValuePairs<String, Decision> = ["accept": .accept, "approve": .approve, "review": .review, "reject": .reject]
    /// Lengths of names that can be named.
    static let lengths = 1...JoinerAdmission.longestText

    static func read(_ reader: NodeReader) -> [JoinerRule] {
        let rules = reader.list()?.compactMap(rule) ?? []
        // The rules after a rule for everybody are never tried.
        if let (item, _) = zip(reader.list() ?? [], rules).dropLast().first(where: { $1.fitsEverybody }) {
            item.warn(.unreachable, "the later rules never apply: this rule has no condition", hint: "put it last")
        }
        if let fault = JoinerAdmission(rules: rules).fault { reader.report(.badValue, fault) }
        return rules
    }

    private static func rule(_ reader: NodeReader) -> JoinerRule? {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.joiner)
        let texts = mapping.value("name-contains")?.listOrOne()?.compactMap { $0.nonEmptyString() }
        let role = mapping.value("role")?.word(of: GroupSpec.joinerRoles)
        guard let decision = mapping.required("then", hint: "write accept, approve, review or reject")?.word(of: decisions) else { return nil }
        let reason = mapping.value("reason")
        if decision != .reject { reason?.report(.badValue, "only reject has a reason", hint: "leave it out") }
        if decision == .reject { mapping.value("role")?.report(.badValue, "a rejected joiner gets no role", hint: "leave it out") }
        let isLong = mapping.value("name-longer") != nil
        let answer: JoinerDecision =
            switch decision {
            case .accept: .accept(role: role)
            case .approve: .pendingApproval(role: role)
            case .review: .pendingReview(role: role)
            // The reasons that official apps know.
            case .reject: .reject(reason: reason?.nonEmptyString().map { .unknown($0) } ?? (isLong ? .longName : .blockedName))
            }
        return JoinerRule(
            nameLongerThan: mapping.value("name-longer")?.integer(in: lengths), nameContains: texts,
            withoutImage: mapping.value("picture")?.bool().map { !$0 }, decision: answer)
    }
}

extension JoinerRule {
    fileprivate var fitsEverybody: Bool { nameLongerThan == nil && nameContains == nil && withoutImage == nil }
}
