internal import ChatProtocol

/// The role of the writer or the member: `role: [moderator, admin]`.
struct RoleCheck: RuleCheck {
    static let key = "role"
    static let shape = Shape.listOrOne(MemberCondition.roleWords.shape)
    static let summary = "The role of the writer or the member."

    let roles: Set<GroupMemberRole>

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let roles = MemberCondition.roles(reader) else { return nil }
        self.roles = roles
    }

    var groupPart: GroupPart? { .member }
    func answer(_ facts: inout InputFacts) -> Truth { Truth(facts.input.role.map(roles.contains) ?? false) }
    func reason(_ facts: inout InputFacts) -> String { facts.input.role.map { "the role is \($0.code)" } ?? "no role" }
}
