import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// Console commands about groups and members by name.

extension ConsoleCommands {
    func run(_ command: NamedGroupCommand, group name: String) async throws(ChatCoreError) -> ChatResponse {
        let (user, group) = try await query { transaction in
            let user = try transaction.user()
            return (user, try transaction.conversations.group(named: name, of: user))
        }
        let id = group.groupID
        switch command {
        case .info: return try await runner.run(.groups(.info(id)))
        case .members: return try await runner.run(.groups(.members(id)))
        case .supportChats:
            let members = try await query(isLong: true) { try $0.db.members.members(of: id).filter { $0.supportChat != nil } }
            return .memberSupportChats(user: user, groupInfo: group, members: members)
        case .join(let isMuted):
            let response = try await runner.run(.groups(.join(id)))
            guard isMuted else { return response }
            return try await transaction { transaction in
                var settings = group.chatSettings
                settings.notifications = .none
                try transaction.db.groups.update(id, settings: settings)
                return .userAcceptedGroupSent(user: user, groupInfo: try transaction.conversations.group(id, of: user), hostContact: nil)
            }
        case .leave: return try await runner.run(.groups(.leave(id)))
        case .setPublicAccess(let access): return try await runner.run(.groups(.setPublicAccess(id, access)))
        case .allowRelay: return try await runner.run(.groups(.allowRelay(id)))
        case .delete: return try await runner.run(.chats(.delete(.group(id), mode: .full(notify: true))))
        case .clear: return try await runner.run(.chats(.clear(.group(id))))
        case .profile: return .groupProfile(user: user, groupInfo: group)
        case .rename(let name, let description):
            return try await update(group) { profile in
                (profile.displayName, profile.fullName, profile.shortDescription) = (name, "", description)
            }
        case .setWelcome(let text): return try await update(group) { $0.description = text }
        case .welcome: return .groupDescription(user: user, groupInfo: group)
        case .createLink(let role): return try await runner.run(.groups(.createLink(id, role)))
        case .setLinkRole(let role): return try await runner.run(.groups(.setLinkRole(id, role)))
        case .deleteLink: return try await runner.run(.groups(.deleteLink(id)))
        case .link: return try await runner.run(.groups(.link(id)))
        case .remove(let names, let withMessages):
            let members = try await query { transaction in try names.map { try transaction.conversations.member(named: $0, in: group).groupMemberID } }
            return try await runner.run(.groups(.remove(id, members, withMessages: withMessages)))
        case .setFeature(let feature, let enable, let role):
            return try await update(group) { profile in
                var preferences = profile.groupPreferences ?? GroupPreferences()
                preferences.set(feature, enable, role: role)
                profile.groupPreferences = preferences
            }
        case .setTimedMessages(let seconds):
            return try await update(group) { profile in
                var preferences = profile.groupPreferences ?? GroupPreferences()
                preferences.setTimedMessages(seconds == nil ? .off : .on, ttl: seconds ?? 86_400)
                profile.groupPreferences = preferences
            }
        case .setAdmissionReview(let review):
            return try await update(group) { $0.memberAdmission = GroupMemberAdmission(review: review).keepingUnknownMembers(of: $0.memberAdmission) }
        case .report(let member, let reason, let text):
            let item = try await query { transaction in
                let author = try member.map { try transaction.conversations.member(named: $0, in: group).groupMemberID }
                guard let item = try transaction.db.items.id(group: id, textPrefix: text, author: author, isSent: nil) else {
                    throw Refusal.store(.chatItemNotFoundByText(text: text))
                }
                return item
            }
            return try await runner.run(.messages(.report(id, item, reason: reason, text: "")))
        case .share(let chat):
            let (reference, asGroup) = try await query { transaction in
                let reference = try transaction.conversations.reference(chat, of: user)
                return (reference, try transaction.console.sendsAsGroup(reference, of: user))
            }
            guard let target = asGroup ? .group(GroupID(reference.id), asGroup: true) : SendTarget(reference) else {
                return try await refuse("sharing to such a chat")
            }
            let shared = try await runner.run(.messages(.share(.group(id), to: target)))
            guard case .chatMsgContent(_, let content) = shared else { return shared }
            return try await runner.run(.messages(.send(to: target, [ComposedMessage(content: content)])))
        }
    }

    private func update(
        _ group: GroupInfo, _ change: (inout GroupProfile) -> Void
    ) async throws(ChatCoreError) -> ChatResponse {
        var profile = group.groupProfile
        change(&profile)
        return try await runner.run(.groups(.updateProfile(group.groupID, profile)))
    }

    func run(_ command: NamedMemberCommand, member name: String, group groupName: String) async throws(ChatCoreError) -> ChatResponse {
        if case .add(let role) = command {
            let (group, contact) = try await query { transaction in
                let user = try transaction.user()
                return (
                    try transaction.conversations.group(named: groupName, of: user).groupID,
                    try transaction.conversations.contact(named: name, of: user).contactID
                )
            }
            return try await runner.run(.groups(.add(group, contact, role)))
        }
        let (group, member) = try await query { transaction in
            let group = try transaction.conversations.group(named: groupName, of: try transaction.user())
            return (group, try transaction.conversations.member(named: name, in: group))
        }
        let id = group.groupID, memberID = member.groupMemberID
        let known: GroupCommand =
            switch command {
            case .add(let role), .accept(let role): .acceptMember(id, memberID, role)
            case .setRole(let role): .setRole(id, [memberID], role)
            case .blockForAll(let isBlocked): .blockForAll(id, [memberID], isBlocked)
            case .showMessages(let shows):
                if group.membership.role >= .moderator {
                    throw ChatCoreError(
                        Refusal.chat(.cantBlockMemberForSelf(groupInfo: group, member: member, setShowMessages: shows)).error)
                } else {
                    .setMemberSettings(id, memberID, GroupMemberSettings(showsMessages: shows))
                }
            case .info: .memberInfo(id, memberID)
            case .queueInfo: .memberQueueInfo(id, memberID)
            case .switchQueue: .switchMember(id, memberID)
            case .abortSwitch: .abortSwitchMember(id, memberID)
            case .syncRatchet(let force): .syncMemberRatchet(id, memberID, force: force)
            case .securityCode: .memberSecurityCode(id, memberID)
            case .verify(let code): .verifyMember(id, memberID, code: code)
            case .enable: .enableMember(id, memberID)
            }
        return try await runner.run(.groups(known))
    }

    /// Writes to a member directly: over its contact, which is made and invited if there is none.
    func send(_ text: String, toMember name: String, inGroup groupName: String) async throws(ChatCoreError) -> ChatResponse {
        let (user, group, member) = try await query { transaction in
            let user = try transaction.user()
            let group = try transaction.conversations.group(named: groupName, of: user)
            return (user, group, try transaction.conversations.member(named: name, in: group))
        }
        if let contact = member.contactID {
            return try await runner.run(.messages(.send(to: .direct(contact), [ComposedMessage(content: .text(text))])))
        }
        guard group.allowsUser(.directMessages) else { throw ChatCoreError(Refusal.command("direct messages not allowed").error) }
        core.hub.publish(.noMemberContactCreating(user: user, groupInfo: group, member: member))
        let response = try await runner.run(.groups(.createMemberContact(group.groupID, member.groupMemberID)))
        guard case .newMemberContact(_, let contact, _, _) = response else { return response }
        core.hub.publish(.terminalEvent(event: .newMemberContact(user: user, contact: contact, groupInfo: group, member: member)))
        return try await runner.run(.contacts(.inviteMemberContact(contact.contactID, message: .text(text))))
    }
}
