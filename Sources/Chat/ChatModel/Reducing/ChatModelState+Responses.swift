public import ChatAPI

extension ChatModelState {
    /// Applies the response of a core to a command.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - command: The command; some answers do not say what was done.
    ///   - sender: The profile that the command was sent as; nil for the active one.
    /// - Returns: The changes, in order.
    @discardableResult public mutating func apply(
        _ response: ChatResponse, to command: ChatCommand, as sender: UserID? = nil
    ) -> [ChatModelChange] {
        var changes: [ChatModelChange] = []
        if let user = response.user { know(user, &changes) }
        take(response.memberReport, response.user, &changes)
        switch response {
        case .activeUser(let user): activate(user, &changes)
        case .usersList(let list): replaceUsers(list, &changes)
        case .userPrivacy(_, let user): update(user, &changes)
        case .userProfileUpdated(let user, _, _, let summary):
            update(user, &changes)
            mutate(user) { state in
                for contact in summary.changedContacts { state.update(.direct(contact: contact), &changes) }
            }
        case .chatStarted, .chatRunning: setRunning(true, &changes)
        case .chatStopped: setRunning(false, &changes)
        case .apiChats(let user, let chats): load(chats, user, command, &changes)
        case .apiChat(let user, let chat, let navigation): load(chat, navigation, user, command, &changes)
        case .chatTags(let user, let tags), .tagsUpdated(let user, let tags, _): setTags(tags, user, command, response, &changes)
        case .newChatItems(let user, let items): add(items, user, &changes)
        case .chatItemUpdated(let user, let item), .chatItemNotChanged(let user, let item), .rcvFileAccepted(let user, let item),
            .fileTransferStatusXFTP(let user, let item), .rcvFileCancelled(let user, let item?, _),
            .sndFileCancelled(let user, let item?, _, _):
            refresh([item], user, &changes)
        case .chatItemReaction(let user, _, let reaction):
            refresh([ItemInChat(chatInfo: reaction.chatInfo, chatItem: reaction.chatReaction.chatItem)], user, &changes)
        case .chatItemsDeleted(let user, let deletions, _, _): delete(deletions, user, &changes)
        case .groupChatItemsDeleted(let user, let group, let ids, _, _):
            mutate(user) { $0.remove(ids, from: .group(group.groupID), &changes) }
        case .newPreparedChat(let user, let chat): mutate(user) { $0.replace(chat, &changes) }
        case .userDeletedMembers(let user, let group, let members, true, _):
            removeItems(of: members, by: group.membership, in: group, user, &changes)
        case .itemsReadForChat(let user, let info): read(info, user, command, &changes)
        case .chatCleared(let user, let info):
            mutate(user) { state in
                state.update(info, &changes)
                if let reference = info.reference { state.clear(reference.whole, &changes) }
            }
        case .userContactLink(let user, let link), .userContactLinkUpdated(let user, let link): setAddress(link, user, &changes)
        case .userContactLinkDeleted(let user): setAddress(nil, user, &changes)
        case .archiveImported: reset(&changes)
        case .cmdOk: applyDone(command, as: sender, &changes)
        default: applyChats(response, command, &changes)
        }
        return changes
    }

    /// Answers that tell chats as they are now, or that they are gone.
    private mutating func applyChats(_ response: ChatResponse, _ command: ChatCommand, _ changes: inout [ChatModelChange]) {
        guard let user = response.user else { return }
        switch response {
        case .contactDeleted(_, let contact): removed(contact, user, command, &changes)
        case .contactConnectionDeleted(_, let connection):
            mutate(user) { $0.remove(.connection(connection.connectionID), &changes) }
        case .contactRequestRejected(_, let request, let contact):
            mutate(user) { state in
                state.remove(.contactRequest(request.contactRequestID), &changes)
                if let contact { state.remove(.direct(contact.contactID), buried: true, &changes) }
            }
        case .groupMembers(_, let group):
            mutate(user) { state in
                state.update(.group(groupInfo: group.groupInfo, scope: nil), &changes)
                state.loadMembers(group, &changes)
            }
        case .memberSupportChatRead(_, let group, _):
            mutate(user) { state in
                state.update(.group(groupInfo: group, scope: nil), &changes)
                if case .chats(.markRead(let reference)) = command { state.markRead(nil, in: reference, &changes) }
            }
        case .memberSupportChatDeleted(_, let group, let member):
            mutate(user) { state in
                state.update(.group(groupInfo: group, scope: nil), &changes)
                state.clear(.group(group.groupID, scope: .memberSupport(member.groupMemberID)), &changes)
            }
        case .groupDeletedUser(_, let group, _):
            mutate(user) { $0.remove(.group(group.groupID), buried: true, &changes) }
        case .connectionUserChanged(_, let old, let new, let newUser):
            mutate(user) { $0.remove(.connection(old.connectionID), &changes) }
            move(.contactConnection(contactConnection: new), to: newUser, &changes)
        case .contactUserChanged(_, let old, let newUser, let new):
            mutate(user) { $0.remove(.direct(old.contactID), &changes) }
            move(.direct(contact: new), to: newUser, &changes)
        case .groupUserChanged(_, let old, let newUser, let new):
            mutate(user) { $0.remove(.group(old.groupID), &changes) }
            move(.group(groupInfo: new, scope: nil), to: newUser, &changes)
        default:
            let infos = response.chatInfos
            mutate(user) { state in
                for info in infos { state.update(info, &changes) }
            }
        }
    }

    private mutating func move(_ info: ChatInfo, to user: User, _ changes: inout [ChatModelChange]) {
        know(user, &changes)
        mutate(user) { state in
            if let reference = info.reference { state.deletedChats.remove(reference) }
            state.update(info, &changes)
        }
    }

    /// A contact was deleted: with its conversation, or one of the two.
    private mutating func removed(
        _ contact: Contact, _ user: User, _ command: ChatCommand, _ changes: inout [ChatModelChange]
    ) {
        let mode: ChatDeleteMode =
            switch command {
            case .chats(.delete(_, let mode)): mode
            case .console(.contact(_, .delete(let mode))): mode
            default: .full()
            }
        mutate(user) { state in
            switch mode {
            case .full: state.remove(.direct(contact.contactID), buried: true, &changes)
            case .entity: state.update(.direct(contact: contact), &changes)
            case .messages:
                state.update(.direct(contact: contact), &changes)
                state.clear(.direct(contact.contactID), &changes)
            }
        }
    }
}

extension ChatResponse {
    /// The chats as they are now, for answers that tell no more than that.
    var chatInfos: [ChatInfo] {
        switch self {
        case .contactInfo(_, let contact, _, _), .contactSwitchStarted(_, let contact, _),
            .contactSwitchAborted(_, let contact, _), .contactRatchetSyncStarted(_, let contact, _),
            .contactCode(_, let contact, _), .acceptingContactRequest(_, let contact), .contactAlreadyExists(_, let contact),
            .startedConnectionToContact(_, let contact, _), .sentInvitationToContact(_, let contact, _),
            .contactAliasUpdated(_, let contact), .contactPrefsUpdated(_, _, let contact), .memberContactAccepted(_, let contact):
            [.direct(contact: contact)]
        case .contactsList(_, let contacts): contacts.map { .direct(contact: $0) }
        case .groupsList(_, let groups): groups.map { .group(groupInfo: $0, scope: nil) }
        case .invitation(_, _, let connection), .connectionIncognitoUpdated(_, let connection, _),
            .sentConfirmation(_, let connection, _), .sentInvitation(_, let connection, _),
            .connectionAliasUpdated(_, let connection):
            [.contactConnection(contactConnection: connection)]
        case .groupInfo(_, let group), .groupCreated(_, let group), .publicGroupCreated(_, let group, _, _),
            .userAcceptedGroupSent(_, let group, _), .userDeletedMembers(_, let group, _, _, _),
            .sentGroupInvitation(_, let group, _, _), .startedConnectionToGroup(_, let group, _, _),
            .leftMemberUser(_, let group), .relayGroupAllowed(_, let group), .groupAliasUpdated(_, let group), .joinedGroupMember(_, let group, _),
            .memberAccepted(_, let group, _), .membersRoleUser(_, let group, _, _, _),
            .membersBlockedForAllUser(_, let group, _, _, _), .groupUpdated(_, _, let group, _, _), .groupProfile(_, let group),
            .groupDescription(_, let group), .groupLinkCreated(_, let group, _), .groupLink(_, let group, _),
            .groupLinkDeleted(_, let group), .groupRelays(_, let group, _), .groupRelaysAdded(_, let group, _, _), .memberSupportChats(_, let group, _),
            .groupMemberInfo(_, let group, _, _):
            [.group(groupInfo: group, scope: nil)]
        case .newMemberContact(_, let contact, let group, _), .newMemberContactSentInv(_, let contact, let group, _):
            [.group(groupInfo: group, scope: nil), .direct(contact: contact)]
        default: []
        }
    }
}
