import ChatProtocol

extension GroupCommand {
    static let forms: [CommandForm] = groups + membership + members + links

    private static let groups: [CommandForm] = [
        CommandForm("/_group ") { r throws(CommandMismatch) in
            let user = try r.id(UserID.self)
            let incognito = r.incognito()
            return .groups(.create(user: user, incognito: incognito, try r.spaceJSON()))
        },
        CommandForm("/_public group access #") { r throws(CommandMismatch) in
            .groups(.setPublicAccess(try r.idSpace(), try r.json()))
        },
        CommandForm("/_public group ") { r throws(CommandMismatch) in
            let user = try r.id(UserID.self)
            let incognito = r.incognito()
            try r.expect(" ")
            return .groups(.createPublic(user: user, incognito: incognito, relays: try r.ids(), try r.spaceJSON()))
        },
        CommandForm("/_get relays #") { r throws(CommandMismatch) in .groups(.relays(try r.id())) },
        CommandForm("/_add relays #") { r throws(CommandMismatch) in
            let id = try r.idSpace(GroupID.self)
            return .groups(.addRelays(id, try r.ids()))
        },
        CommandForm("/_relay allow #") { r throws(CommandMismatch) in .groups(.allowRelay(try r.id())) },
        CommandForm("/_groups ") { r throws(CommandMismatch) in
            let user = try r.id(UserID.self)
            let contact = r.optional(" @") { r throws(CommandMismatch) in try r.id(ContactID.self) }
            return .groups(.list(user: user, contact: contact, search: r.skip(" ") ? r.rest() : nil))
        },
        CommandForm("/_info #") { r throws(CommandMismatch) in .groups(.info(try r.id())) },
        CommandForm("/_get group link data #") { r throws(CommandMismatch) in .groups(.linkData(try r.id())) },
        CommandForm("/_group_profile #") { r throws(CommandMismatch) in
            .groups(.updateProfile(try r.idSpace(), try r.json()))
        },
        CommandForm("/_set alias #") { r throws(CommandMismatch) in
            .groups(.setAlias(try r.id(), r.skip(" ") ? r.rest() : ""))
        },
        CommandForm("/_set custom #") { r throws(CommandMismatch) in
            .groups(.setCustomData(try r.id(), try r.customData()))
        },
        CommandForm("/_set group user #") { r throws(CommandMismatch) in
            let (group, user) = try r.pair(GroupID.self, UserID.self)
            return .groups(.changeUser(group, to: user))
        },
        CommandForm("/_connect group #") { r throws(CommandMismatch) in
            let id = try r.id(GroupID.self)
            let incognito = r.incognito()
            let owner = r.optional(" contact=") { r throws(CommandMismatch) in
                let contact = try r.id(ContactID.self)
                try r.expect(" owner=")
                return GroupOwnerContact(contactID: contact, memberID: r.word())
            }
            return .groups(.connectPrepared(id, incognito: incognito, owner: owner, message: r.message()))
        },
    ]

    private static let membership: [CommandForm] = [
        CommandForm("/_add #") { r throws(CommandMismatch) in
            let (group, contact) = try r.pair(GroupID.self, ContactID.self)
            return .groups(.add(group, contact, try r.spaceRole()))
        },
        CommandForm("/_join #") { r throws(CommandMismatch) in .groups(.join(try r.id())) },
        CommandForm("/_accept member #") { r throws(CommandMismatch) in
            let (group, member) = try r.pair(GroupID.self, GroupMemberID.self)
            return .groups(.acceptMember(group, member, try r.spaceRole()))
        },
        CommandForm("/_delete member chat #") { r throws(CommandMismatch) in
            let (group, member) = try r.pair(GroupID.self, GroupMemberID.self)
            return .groups(.deleteMemberSupportChat(group, member))
        },
        CommandForm("/_member role #") { r throws(CommandMismatch) in
            .groups(.setRole(try r.idSpace(), try r.ids(), try r.spaceRole()))
        },
        CommandForm("/_block #") { r throws(CommandMismatch) in
            let group = try r.idSpace(GroupID.self)
            let members = try r.ids(GroupMemberID.self)
            try r.expect(" blocked=")
            return .groups(.blockForAll(group, members, try r.flag()))
        },
        CommandForm("/_remove #") { r throws(CommandMismatch) in
            let group = try r.idSpace(GroupID.self)
            let members = try r.ids(GroupMemberID.self)
            return .groups(.remove(group, members, withMessages: r.flag(after: " messages=")))
        },
        CommandForm("/_leave #") { r throws(CommandMismatch) in .groups(.leave(try r.id())) },
        CommandForm("/_members #") { r throws(CommandMismatch) in .groups(.members(try r.id())) },
    ]

    private static let members: [CommandForm] = [
        .member("/_info #") { .memberInfo($0, $1) },
        .member("/_queue info #") { .memberQueueInfo($0, $1) },
        .member("/_switch #") { .switchMember($0, $1) },
        .member("/_abort switch #") { .abortSwitchMember($0, $1) },
        .member("/_get code #") { .memberSecurityCode($0, $1) },
        .member("/_enable #") { .enableMember($0, $1) },
        .member("/_create member contact #") { .createMemberContact($0, $1) },
        CommandForm("/_member settings #") { r throws(CommandMismatch) in
            let (group, member) = try r.pair(GroupID.self, GroupMemberID.self)
            return .groups(.setMemberSettings(group, member, try r.spaceJSON()))
        },
        CommandForm("/_sync #") { r throws(CommandMismatch) in
            let (group, member) = try r.pair(GroupID.self, GroupMemberID.self)
            return .groups(.syncMemberRatchet(group, member, force: r.skip(" force=on")))
        },
        CommandForm("/_verify domain #") { r throws(CommandMismatch) in .groups(.verifyDomain(try r.id())) },
        CommandForm("/_verify code #") { r throws(CommandMismatch) in
            let (group, member) = try r.pair(GroupID.self, GroupMemberID.self)
            return .groups(.verifyMember(group, member, code: r.securityCode()))
        },
    ]

    private static let links: [CommandForm] = [
        CommandForm("/_create link #") { r throws(CommandMismatch) in
            let id = try r.id(GroupID.self)
            return .groups(.createLink(id, r.isAtEnd ? .member : try r.spaceRole()))
        },
        CommandForm("/_set link role #") { r throws(CommandMismatch) in
            .groups(.setLinkRole(try r.id(), try r.spaceRole()))
        },
        CommandForm("/_set link admission #") { r throws(CommandMismatch) in
            let id = try r.id(GroupID.self)
            return .groups(.setLinkAdmission(id, r.isAtEnd ? nil : try r.spaceJSON()))
        },
        CommandForm("/_delete link #") { r throws(CommandMismatch) in .groups(.deleteLink(try r.id())) },
        CommandForm("/_get link #") { r throws(CommandMismatch) in .groups(.link(try r.id())) },
        CommandForm("/_short link #") { r throws(CommandMismatch) in .groups(.addShortLink(try r.id())) },
    ]
}

extension CommandForm {
    /// A command about one member.
    fileprivate static func member(
        _ beginning: String, _ make: @escaping @Sendable (GroupID, GroupMemberID) -> GroupCommand
    ) -> CommandForm {
        CommandForm(beginning) { r throws(CommandMismatch) in
            let (group, member) = try r.pair(GroupID.self, GroupMemberID.self)
            return .groups(make(group, member))
        }
    }
}

extension CommandReader {
    /// A space and a role that can be given.
    mutating func spaceRole() throws(CommandMismatch) -> GroupMemberRole {
        for role in [GroupMemberRole.owner, .admin, .moderator, .member, .commenter, .observer] where skip(" \(role.code)") { return role }
        throw CommandMismatch()
    }
}
