public import ChatProtocol

/// The rules by which the host of a group answers those who ask to join by its link.
///
/// The first rule that fits decides. Who fits none is accepted with the role of the link.
///
/// ```json
/// {"rules": [
///     {"nameLongerThan": 40, "decision": {"type": "reject", "reason": "long_name"}},
///     {"nameContains": ["casino"], "decision": {"type": "reject", "reason": "blocked_name"}},
///     {"withoutImage": true, "decision": {"type": "pendingApproval"}}
/// ]}
/// ```
public struct JoinerAdmission: JSONObjectConvertible, Hashable, Sendable {
    /// The number of rules at most.
    public static let largestRuleCount = 100
    /// The number of texts in all rules together, at most.
    public static let largestTextCount = 2_000
    /// The length of a text, and of a reason, in Unicode scalars, at most.
    public static let longestText = 100

    /// The rules, the first of them to be tried first.
    public var rules: [JoinerRule]

    /// Makes an admission by rules.
    public init(rules: [JoinerRule]) { self.rules = rules }

    /// Reads the members of the object, which are no others than `rules`.
    public init(object: JSONObject) throws(JSONError) {
        try object.require(only: ["rules"])
        rules = try object.required("rules")
    }

    /// Adds the members of the value to an object.
    public func write(into object: inout JSONObjectWriter) { object.add("rules", rules) }

    /// The error in the rules, as a text for a person; nil if the rules are valid.
    public var fault: String? {
        if rules.count > Self.largestRuleCount { return "more than \(Self.largestRuleCount) rules" }
        if rules.reduce(0, { $0 + ($1.nameContains?.count ?? 0) }) > Self.largestTextCount { return "more than \(Self.largestTextCount) texts" }
        return rules.indices.lazy.compactMap { index in rules[index].fault.map { "rule \(index + 1): \($0)" } }.first
    }
}

/// A rule for those who ask to join a group by its link. It applies if all of its conditions hold; without conditions, it applies to everybody.
public struct JoinerRule: JSONObjectConvertible, Hashable, Sendable {
    /// The condition that the display name has more Unicode scalars than this.
    public var nameLongerThan: Int?
    /// The condition that the display name has one of these texts in it, in any case. Characters that are not seen do not count.
    public var nameContains: [String]?
    /// The condition that the profile has no picture, or that it has one.
    public var withoutImage: Bool?
    /// The answer.
    public var decision: JoinerDecision

    /// Makes a rule.
    public init(nameLongerThan: Int? = nil, nameContains: [String]? = nil, withoutImage: Bool? = nil, decision: JoinerDecision) {
        self.nameLongerThan = nameLongerThan
        self.nameContains = nameContains
        self.withoutImage = withoutImage
        self.decision = decision
    }

    /// Reads the members of the object. An unknown member is an error: without it, the rule would apply to more people than intended.
    public init(object: JSONObject) throws(JSONError) {
        try object.require(only: ["nameLongerThan", "nameContains", "withoutImage", "decision"])
        nameLongerThan = try object.optional("nameLongerThan")
        nameContains = try object.optional("nameContains")
        withoutImage = try object.optional("withoutImage")
        decision = try object.required("decision")
    }

    /// Adds the members of the value to an object.
    public func write(into object: inout JSONObjectWriter) {
        object.add("nameLongerThan", nameLongerThan)
        object.add("nameContains", nameContains)
        object.add("withoutImage", withoutImage)
        object.add("decision", decision)
    }

    fileprivate var fault: String? {
        let limit = JoinerAdmission.longestText
        if let nameLongerThan, nameLongerThan < 0 { return "nameLongerThan is negative" }
        if let nameContains {
            guard !nameContains.isEmpty, nameContains.allSatisfy({ $0.isVisible && $0.unicodeScalars.count <= limit }) else {
                return "nameContains takes visible texts of 1 to \(limit) characters"
            }
        }
        switch decision {
        case .accept(let role), .pendingApproval(let role), .pendingReview(let role):
            guard let role, role > .member else { return nil }
            return "those who join by a link begin as members at most"
        case .reject(let reason):
            return reason.code.isEmpty || reason.code.unicodeScalars.count > limit ? "a reason has 1 to \(limit) characters" : nil
        case .other(let tag, _): return "there is no decision \"\(tag)\""
        }
    }
}

/// The answer of a host to somebody who asks to join a group by its link. Without a role, it is that of the link.
@JSONForms
public enum JoinerDecision: JSONTagged, Hashable, Sendable {
    /// Admits to the group, or to the review if the group has one.
    case accept(role: GroupMemberRole?)
    /// A wait until the host admits the joiner. The host and the joiner can write to each other; other members are not notified.
    case pendingApproval(role: GroupMemberRole?)
    /// A wait until a moderator admits the joiner.
    case pendingReview(role: GroupMemberRole?)
    /// Refuses.
    case reject(reason: GroupRejectionReason)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension JSONObject {
    /// Refuses members with other names.
    fileprivate func require(only names: Set<String>) throws(JSONError) {
        guard let unknown = keys.first(where: { !names.contains($0) }) else { return }
        throw JSONError(.invalidValue, "there is no such member here", path: [unknown])
    }
}

extension String {
    /// True if there is anything to see: every name has the rest of a text in it from which nothing is left.
    fileprivate var isVisible: Bool {
        unicodeScalars.contains { !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint }
    }
}
