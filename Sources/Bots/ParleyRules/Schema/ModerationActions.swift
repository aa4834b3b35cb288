internal import Parley

/// A warning that a rule gives.
public struct WarnSpec: Sendable, Hashable {
    /// The points that it adds.
    public let points: Int
    /// Seconds after which they do not count any more; nil for never.
    public let expiry: Double?
    /// The reason, for the record; nil for none.
    public let reason: String?

    static let pointRange = 1...100
    /// The longest reason, in bytes.
    static let longestReason = 200

    /// Reads `true`, points, or a mapping.
    init?(_ reader: NodeReader) {
        guard reader.keys != nil else {
            if reader.text == "true" {
                (points, expiry, reason) = (1, nil, nil)
                return
            }
            guard let points = reader.integer(in: Self.pointRange) else { return nil }
            (self.points, expiry, reason) = (points, nil, nil)
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.warn)
        points = mapping.value("points").map { $0.integer(in: Self.pointRange) ?? 1 } ?? 1
        expiry = mapping.value("expires").flatMap(TimeSpan.positive)
        reason = mapping.value("reason")?.nonEmptyString()
        if let reason, reason.utf8.count > Self.longestReason {
            mapping.value("reason")?.report(.badValue, "the reason has \(reason.utf8.count) bytes, more than \(Self.longestReason)")
        }
    }
}

extension RuleAction {
    /// Reads `true`, or a mapping with the time after which it ends.
    static func block(_ reader: NodeReader) -> RuleAction? {
        guard reader.keys != nil else { return affirmed(reader) ? .block(limit: nil) : nil }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.block)
        return mapping.required("for", hint: "write how long, for example: for: 12h").flatMap(TimeSpan.positive).map { .block(limit: $0) }
    }

    /// Reads a role, or a mapping with the time after which the member gets its role back.
    static func role(_ reader: NodeReader) -> RuleAction? {
        guard reader.keys != nil else { return reader.word(of: MemberCondition.roleWords).map { .role(MemberRole(role: $0), limit: nil) } }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.roleFor)
        let role = mapping.required("to", hint: "write the role")?.word(of: MemberCondition.roleWords)
        let limit = mapping.value("for").flatMap(TimeSpan.positive)
        return role.map { .role(MemberRole(role: $0), limit: limit) }
    }

    /// True if the record of the group gets a case of it.
    var opensCase: Bool {
        switch self {
        case .warn, .moderate, .block, .remove, .role: true
        default: false
        }
    }

    /// Seconds after which the action ends by itself; nil for never.
    var limit: Double? {
        switch self {
        case .block(let limit), .role(_, let limit): limit
        case .warn(let warn): warn.expiry
        default: nil
        }
    }
}
