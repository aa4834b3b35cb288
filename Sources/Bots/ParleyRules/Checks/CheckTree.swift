/// A key of a condition with its value: one question about an event.
struct Check: Sendable {
    /// The key in the file.
    let key: String
    /// The position of its value.
    let position: SourcePosition
    /// The question.
    let test: any CheckTest
    /// True for checks directly in `when`, and not in `all`, `any`, `not` or `unless`.
    var isOutermost = false
    /// True for checks of `unless`.
    var isException = false
}

/// Checks that are put together.
indirect enum CheckTree: Sendable {
    case check(Check)
    case all([CheckTree], SourcePosition)
    case any([CheckTree], SourcePosition)
    case not(CheckTree, SourcePosition)

    /// The deepest tree: `when` itself is the first level.
    static let maximumDepth = 8
    /// Checks and branches of one rule at the most.
    static let maximumSize = 64

    /// All checks, in the order of the file.
    var checks: [Check] {
        switch self {
        case .check(let check): [check]
        case .all(let trees, _), .any(let trees, _): trees.flatMap(\.checks)
        case .not(let tree, _): tree.checks
        }
    }

    /// True if it asks for no more than the kind of message, the role, the mention and the change of a member.
    var isPlain: Bool {
        guard case .all(let trees, _) = self else { return false }
        return trees.allSatisfy { tree in
            guard case .check(let check) = tree else { return false }
            return check.test is MessageKindCheck || check.test is MentionCheck || check.test is RoleCheck || check.test is MemberChangeCheck
        }
    }
}
