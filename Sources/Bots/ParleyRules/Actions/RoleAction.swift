internal import ChatProtocol
internal import Parley

/// Another role of the member: `role: observer`, or for a time.
struct RoleAction: ModeratingAction {
    static let key = "role"
    static let shape = Shape.anyOf([MemberCondition.roleWords.shape, .mapping("role-for")])
    static let summary = "Give the member another role."
    static let mapping = MappingSchema(
        "role-for",
        [
            .required("to", MemberCondition.roleWords.shape, "The role."),
            .key("for", Schemas.span, "The time after which the member gets its role back."),
        ])

    private let role: GroupMemberRole
    private(set) var limit: Double?

    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        guard reader.keys != nil else {
            guard let role = reader.word(of: MemberCondition.roleWords) else { return nil }
            self.role = role
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Self.mapping)
        let role = mapping.required("to", hint: "write the role")?.word(of: MemberCondition.roleWords)
        limit = mapping.value("for").flatMap(TimeSpan.positive)
        guard let role else { return nil }
        self.role = role
    }

    func detail(_ values: TemplateValues) -> String? { role.code }
    func moderate(_ subject: RuleSubject, _ member: BotMember) async throws { try await member.setRole(role) }
    func complete(_ new: inout ModerationCase, of member: BotMember) { new.roleBefore = member.role.code }
}
