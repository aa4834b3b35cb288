public import ChatAPI

extension ChatModelState {
    /// Applies an event of a core.
    ///
    /// - Returns: The changes, in order.
    @discardableResult public mutating func apply(_ event: ChatEvent) -> [ChatModelChange] {
        var changes: [ChatModelChange] = []
        if let user = event.user { know(user, &changes) }
        take(event.memberReport, event.user, &changes)
        switch event {
        case .activeUser(let user): activate(user, &changes)
        case .chatSuspended:
            setRunning(false, &changes)
            setSubscriptions(of: Array(subscriptions.keys), to: nil, &changes)
        case .subscriptionStatus(_, let status, let connections): setSubscriptions(of: connections, to: status, &changes)
        case .agentConnectionsDeleted(let connections): setSubscriptions(of: connections, to: nil, &changes)
        case .newChatItems(let user, let items): add(items, user, &changes)
        case .chatItemsStatusesUpdated(let user, let items): refresh(items, user, &changes)
        case .chatItemUpdated(let user, let item), .chatItemNotChanged(let user, let item), .rcvFileStart(let user, let item),
            .rcvFileAccepted(let user, let item),
            .rcvFileComplete(let user, let item), .rcvFileSndCancelled(let user, let item, _),
            .rcvFileDescrReady(let user, let item, _, _), .sndFileCompleteXFTP(let user, let item, _):
            refresh([item], user, &changes)
        case .rcvFileProgressXFTP(let user, let item?, _, _, _), .rcvFileError(let user, let item?, _, _),
            .rcvFileWarning(let user, let item?, _, _), .sndFileProgressXFTP(let user, let item?, _, _, _),
            .sndFileError(let user, let item?, _, _), .sndFileWarning(let user, let item?, _, _):
            refresh([item], user, &changes)
        case .chatItemReaction(let user, _, let reaction):
            refresh([ItemInChat(chatInfo: reaction.chatInfo, chatItem: reaction.chatReaction.chatItem)], user, &changes)
        case .chatItemsDeleted(let user, let deletions, _, _): delete(deletions, user, &changes)
        case .groupChatItemsDeleted(let user, let group, let ids, _, _):
            mutate(user) { $0.remove(ids, from: .group(group.groupID), &changes) }
        case .receivedContactRequest(let user, let request, let chat): receive(request, chat, user, &changes)
        case .contactsMerged(let user, let contact, let merged, _):
            mutate(user) { state in
                state.remove(.direct(merged.contactID), buried: true, &changes)
                state.update(.direct(contact: contact), &changes)
            }
        case .deletedMember(let user, let group, let byMember, let member, true, _):
            removeItems(of: [member], by: byMember, in: group, user, &changes)
        case .deletedMemberUser(let user, let group, let byMember, true, _):
            removeItems(of: [group.membership], by: byMember, in: group, user, &changes)
        default:
            let infos = event.chatInfos
            guard let user = event.user, !infos.isEmpty else { break }
            mutate(user) { state in
                for info in infos { state.update(info, &changes) }
            }
        }
        return changes
    }
}

extension ChatEvent {
    /// The chats as they are now, for events that tell no more than that.
    var chatInfos: [ChatInfo] {
        switch self {
        case .contactSwitch(_, let contact, _), .contactRatchetSync(_, let contact, _), .contactPQEnabled(_, let contact, _),
            .contactConnecting(_, let contact), .contactConnected(_, let contact, _), .contactSndReady(_, let contact), .contactAnotherClient(_, let contact),
            .contactDisabled(_, let contact),
            .contactUpdated(_, _, let contact), .contactDeletedByContact(_, let contact),
            .acceptingContactRequest(_, let contact), .contactRequestAlreadyAccepted(_, let contact),
            .chatItemDeletedNotFound(_, let contact, _):
            [.direct(contact: contact)]
        case .chatInfoUpdated(_, let info): [info]
        case .acceptingBusinessRequest(_, let group), .businessRequestAlreadyAccepted(_, let group),
            .groupMemberSwitch(_, let group, _, _), .groupMemberRatchetSync(_, let group, _, _),
            .userAcceptedGroupSent(_, let group, _), .groupLinkConnecting(_, let group, _),
            .sentGroupInvitation(_, let group, _, _), .receivedGroupInvitation(_, let group, _, _, _),
            .userJoinedGroup(_, let group, _), .joinedGroupMember(_, let group, _),
            .joinedGroupMemberConnecting(_, let group, _, _), .memberAcceptedByOther(_, let group, _, _),
            .memberRole(_, let group, _, _, _, _, _), .memberBlockedForAll(_, let group, _, _, _, _),
            .deletedMember(_, let group, _, _, _, _), .deletedMemberUser(_, let group, _, _, _), .leftMember(_, let group, _, _),
            .unknownMemberCreated(_, let group, _, _), .unknownMemberBlocked(_, let group, _, _),
            .unknownMemberAnnounced(_, let group, _, _, _), .groupMemberUpdated(_, let group, _, _),
            .groupDeleted(_, let group, _, _), .groupUpdated(_, _, let group, _, _),
            .acceptingGroupJoinRequestMember(_, let group, _), .groupLinkDataUpdated(_, let group, _, _, _),
            .groupRelayUpdated(_, let group, _, _):
            [.group(groupInfo: group, scope: nil)]
        case .businessLinkConnecting(_, let group, _, let contact), .newMemberContactReceivedInv(_, let contact, let group, _):
            [.group(groupInfo: group, scope: nil), .direct(contact: contact)]
        case .contactAndMemberAssociated(_, _, let group, _, let contact):
            [.group(groupInfo: group, scope: nil), .direct(contact: contact)]
        case .connectedToGroupMember(_, let group, _, let contact):
            [.group(groupInfo: group, scope: nil)] + (contact.map { [.direct(contact: $0)] } ?? [])
        default: []
        }
    }
}

extension ChatModelState {
    mutating func mutate(_ user: User, _ change: (inout UserState) -> Void) {
        guard var state = users.removeValue(forKey: user.userID) else { return }
        change(&state)
        users[user.userID] = state
    }

    /// Takes in a profile that is not known yet. Of one that is known events may show an older state.
    mutating func know(_ user: User, _ changes: inout [ChatModelChange]) {
        guard users[user.userID] == nil else { return }
        users[user.userID] = UserState(user: user)
        changes.append(.user(user.userID))
        if user.isActive, activeUserID == nil { activeUserID = user.userID }
    }

    /// Takes in a profile as it is now.
    mutating func update(_ user: User, _ changes: inout [ChatModelChange]) {
        know(user, &changes)
        guard users[user.userID]?.user != user else { return }
        users[user.userID]?.user = user
        changes.append(.user(user.userID))
    }

    /// Takes in that a profile is active.
    mutating func activate(_ user: User, _ changes: inout [ChatModelChange]) {
        update(user, &changes)
        if let old = activeUserID, old != user.userID, users[old]?.user.isActive == true {
            users[old]?.user.isActive = false
            changes.append(.user(old))
        }
        activeUserID = user.userID
    }

    mutating func setRunning(_ running: Bool, _ changes: inout [ChatModelChange]) {
        guard isRunning != running else { return }
        isRunning = running
        changes.append(.running)
    }

    /// - Parameter status: nil if it is not known any more.
    mutating func setSubscriptions(of connections: [String], to status: SubscriptionStatus?, _ changes: inout [ChatModelChange]) {
        let changed = Set(connections.filter { subscriptions[$0] != status })
        guard !changed.isEmpty else { return }
        for connection in changed { subscriptions[connection] = status }
        for (id, state) in users {
            for (reference, chat) in state.chats where chat.agentConnectionID.map(changed.contains) ?? false {
                changes.append(.subscription(id, reference))
            }
        }
    }

    mutating func add(_ items: [ItemInChat], _ user: User, _ changes: inout [ChatModelChange]) {
        mutate(user) { state in
            for item in items { state.add(item, &changes) }
        }
    }

    mutating func refresh(_ items: [ItemInChat], _ user: User, _ changes: inout [ChatModelChange]) {
        mutate(user) { state in
            for item in items { state.refresh(item, &changes) }
        }
    }

    mutating func delete(_ deletions: [ChatItemDeletion], _ user: User, _ changes: inout [ChatModelChange]) {
        mutate(user) { state in
            for deletion in deletions { state.delete(deletion, &changes) }
        }
    }

    /// Members were removed with their messages.
    mutating func removeItems(
        of members: [GroupMember], by moderator: GroupMember, in group: GroupInfo, _ user: User,
        _ changes: inout [ChatModelChange]
    ) {
        mutate(user) { state in
            state.update(.group(groupInfo: group, scope: nil), &changes)
            state.moderate(Set(members.map(\.groupMemberID)), by: moderator, in: group, &changes)
        }
    }

    private mutating func receive(
        _ request: UserContactRequest, _ chat: Chat?, _ user: User, _ changes: inout [ChatModelChange]
    ) {
        mutate(user) { state in
            guard let chat, let reference = chat.chatInfo.reference else {
                return state.update(.contactRequest(contactRequest: request), &changes)
            }
            // A repeated request shows its chat without what was known of it.
            if state.chats[reference] == nil { state.replace(chat, &changes) } else { state.update(chat.chatInfo, &changes) }
        }
    }
}
