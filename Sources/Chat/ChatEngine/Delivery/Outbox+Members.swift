import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPWire

// Sending to members. A post is one transaction and one stored body for each encoding that the members' clients need, whatever their number.

extension Outbox {
    /// Sends messages to members of a group, each by its route, and records the status of their items at each member.
    func send(_ messages: [OutgoingMessage], to members: [GroupMember], in group: GroupInfo) throws {
        // A member who reuses the identifier of a message of this profile is detected by the record of received messages.
        for message in messages where message.itemID != nil {
            _ = try db.receivedMessages.insert(
                message.id, group: group.groupID, author: group.membership.groupMemberID, forwardedBy: nil, at: now)
        }
        guard !messages.isEmpty, !members.isEmpty else { return }
        let known = Dictionary(members.map { ($0.groupMemberID, $0) }, uniquingKeysWith: { first, _ in first })
        var encoder = OutgoingBodyEncoder(messages, mode: group.batchMode)
        let notifies = messages.contains(where: \.notifies)
        if group.usesRelays, !group.membership.isRelay {
            // Relays may forward this profile's own messages to it.
            for message in messages {
                try db.receivedMessages.noteSentMessage(message.id, group: group.groupID, author: group.membership.groupMemberID, at: now)
            }
        }
        var waiting: [GroupMemberID] = []
        // Administrators first: they forward to those who are not connected.
        for member in members.filter({ $0.role >= .admin }) + members.filter({ $0.role < .admin }) {
            let inviterID = member.category == .pre ? group.membership.invitedByGroupMemberID : member.invitedByGroupMemberID
            let route = try MemberRoute(of: messages, to: member, in: group) { try inviterID.flatMap { try known[$0] ?? db.members.find($0) } }
            switch route {
            case .none: continue
            case .send(let connection, let isBatched):
                // What waited for the connection goes first. Once it is ready, nothing waits.
                if connection.status == .sendReady { try sendPendingMessages(to: member) }
                let target = DeliveryTarget(connection)
                for body in try encoder.bodies(for: connection, isBatched: isBatched, store: db.deliveries.insertBody) {
                    let delivery = try db.deliveries.insert(to: target, body: body.stored, notifies: notifies, at: now)
                    for item in body.items {
                        try db.deliveries.linkDelivery(delivery.id, item: item)
                        try db.itemStatuses.setStatus(.new, ofItem: item, at: member.groupMemberID)
                    }
                    transaction.effects.deliveries.append(delivery)
                }
            case .wait:
                waiting.append(member.groupMemberID)
                for item in messages.compactMap(\.itemID) { try db.itemStatuses.setStatus(.inactive, ofItem: item, at: member.groupMemberID) }
            case .forwarded:
                for item in messages.compactMap(\.itemID) { try db.itemStatuses.setStatus(.forwarded, ofItem: item, at: member.groupMemberID) }
            }
        }
        try db.pendingMessages.insert(messages.map { ($0.body, $0.itemID) }, for: waiting, at: now)
    }

    /// Sends one event to members of a group.
    func send(_ event: ChatMessageEvent, to members: [GroupMember], in group: GroupInfo, itemID: ChatItemID? = nil) throws {
        try send([outgoing(event, itemID: itemID, in: group)], to: members, in: group)
    }

    /// A message to members of a group, signed if the group asks for that.
    func outgoing(
        _ event: ChatMessageEvent, id: SharedMessageID? = nil, itemID: ChatItemID? = nil, in group: GroupInfo
    ) throws -> OutgoingMessage {
        let signer = group.usesRelays && event.tag.requiresSignature ? ChannelSigner(group) : nil
        return try OutgoingMessage(event, id: id ?? newSharedMessageID(), itemID: itemID, signer: signer)
    }

    /// Sends events over the connection of one member, whatever the state of the membership. Nothing is sent without a connection.
    func sendDirectly(_ events: [ChatMessageEvent], to member: GroupMember, in group: GroupInfo) throws {
        guard let connection = member.activeConnection, !connection.isDisabled else { return }
        let messages = try events.map { try OutgoingMessage($0, id: newSharedMessageID()) }
        var encoder = OutgoingBodyEncoder(messages, mode: group.batchMode)
        let target = DeliveryTarget(connection)
        for body in try encoder.bodies(for: connection, isBatched: member.supports(ChatVersions.batching), store: db.deliveries.insertBody) {
            transaction.effects.deliveries.append(
                try db.deliveries.insert(to: target, body: body.stored, notifies: messages.contains(where: \.notifies), at: now))
        }
    }

    /// Sends the messages that waited for the connection of a member, in order. In channels they wait for relays only.
    func sendPendingMessages(to member: GroupMember) throws {
        guard let connection = member.activeConnection, !connection.isDisabled else { return }
        let target = DeliveryTarget(connection)
        var rest = try db.pendingMessages.take(member: member.groupMemberID)[...]
        let mode: MessageBatching.Mode = member.isRelay ? .binary : .json
        while let first = rest.first {
            let isForwarded = MessageForward.isElement(first.body)
            let run = rest.prefix { MessageForward.isElement($0.body) == isForwarded }
            rest = rest.dropFirst(run.count)
            guard !isForwarded else {
                for body in Self.binaryBatches(run.map(\.body)) {
                    transaction.effects.deliveries.append(
                        try db.deliveries.insert(to: target, body: try db.deliveries.insertBody(body), notifies: false, at: now))
                }
                continue
            }
            var encoder = OutgoingBodyEncoder(run.map { OutgoingMessage(encoded: $0.body, id: newSharedMessageID(), itemID: $0.itemID) }, mode: mode)
            for body in try encoder.bodies(for: connection, isBatched: member.supports(ChatVersions.batching), store: db.deliveries.insertBody) {
                let delivery = try db.deliveries.insert(to: target, body: body.stored, notifies: true, at: now)
                for item in body.items {
                    try db.deliveries.linkDelivery(delivery.id, item: item)
                    try db.itemStatuses.setStatus(.new, ofItem: item, at: member.groupMemberID)
                }
                transaction.effects.deliveries.append(delivery)
            }
        }
    }

    // MARK: Audiences

    /// The members that messages in a conversation go to.
    ///
    /// - Parameter version: The version that moderators need for messages in support chats.
    /// - Throws: `commandError` if this profile takes no part, or nobody can read the message.
    func audience(of conversation: GroupConversation, moderatorsSupporting version: ChatVersion) throws -> [GroupMember] {
        let group = conversation.group
        func isReader(_ member: GroupMember) -> Bool { member.status.isCurrent && member.supports(version) }
        func requireMembership() throws {
            guard group.membership.status.isCurrent, group.membership.status.isActive else { throw Refusal.command("not current member") }
        }
        if group.usesRelays, !group.membership.isRelay {
            try requireMembership()
            let relays = try db.members.relayMembers(of: group.groupID)
            guard conversation.post != nil else { return relays }
            let able = try relays.filter(transaction.conversations.knowsComments)
            guard !able.isEmpty else { throw Refusal.command(CommentRefusal.noRelay.rawValue) }
            return able
        }
        switch conversation.scope {
        case nil, .other:
            try requireMembership()
            return try db.members.current(of: group.groupID)
        case .memberSupport(nil):
            let moderators = try db.members.moderators(of: group.groupID).filter(isReader)
            guard !moderators.isEmpty else { throw Refusal.command("no admins support this message") }
            return moderators
        case .memberSupport(let subject?):
            try requireMembership()
            guard subject.status.isCurrent || subject.status.isPending else { throw Refusal.command("support member not current or pending") }
            guard subject.status != .pendingApproval else { return [subject] }
            return [subject] + (try db.members.moderators(of: group.groupID)).filter { isReader($0) && $0.groupMemberID != subject.groupMemberID }
        }
    }

    /// Sends this profile's changed profile to the members, before the first message after the change.
    func sendProfileIfChanged(to members: [GroupMember], in group: GroupInfo, of user: User) throws {
        guard !group.isIncognito, let changed = user.userMemberProfileUpdatedAt else { return }
        if let sent = group.userMemberProfileSentAt, sent >= changed { return }
        let profile = user.profile.published.redacted(for: group, role: group.membership.role, isOfMember: false)
        try send(.info(profile), to: members.filter { $0.supports(ChatVersions.memberProfileUpdate) }, in: group)
        try db.groups.update(group.groupID, ownProfileSentAt: now)
    }

    // MARK: Statuses

    /// Records the delivery state of items at a member.
    ///
    /// - Returns: The items whose own status changed.
    func updateStatus(of items: [ChatItemID], at member: GroupMember, to status: GroupSendStatus, viaProxy: Bool?, in group: GroupInfo) throws -> [StoredItem] {
        try items.compactMap { id in
            guard let stored = try db.items.find(id, owner: .group(group.groupID), at: now) else { return nil }
            if case .sendReceived(_, .complete) = stored.item.meta.status { return nil }
            if let viaProxy { try db.itemStatuses.setViaProxy(viaProxy, ofItem: id, at: member.groupMemberID) }
            guard let old = try db.itemStatuses.status(ofItem: id, at: member.groupMemberID), old != status else { return nil }
            if case .received = old { return nil }
            try db.itemStatuses.setStatus(status, ofItem: id, at: member.groupMemberID)
            let summary = GroupStatusSummary(try db.itemStatuses.statusCounts(ofItem: id)).itemStatus
            guard summary != stored.item.meta.status else { return nil }
            try db.items.update(id, status: summary, at: now)
            return try db.items.find(id, owner: .group(group.groupID), at: now)
        }
    }
}

extension Outbox {
    /// The version from which clients read the binary form of forwarded messages, which has room for the longest ones.
    static let binaryForwarding = ChatVersions.memberSupportVoice

    /// Binary batches of elements, in order. An element that is too large for any is left out.
    static func binaryBatches(_ elements: [Bytes]) -> [Bytes] {
        var rest = elements[...]
        var batches: [Bytes] = []
        while !rest.isEmpty {
            let (body, done, _) = MessageBatching.delivery(of: rest)
            if !body.isEmpty { batches.append(body) }
            guard done > 0 else { break }
            rest = rest.dropFirst(done)
        }
        return batches
    }

    /// The receivers of a conversation's messages.
    ///
    /// - Parameter reports: Whether a report is sent, which older moderators understand, too.
    /// - Throws: An error that says why nothing can be sent, such as `contactNotReady`.
    func audience(of conversation: Conversation, reports: Bool = false) throws -> Audience {
        switch conversation {
        case .notes: return .nobody
        case .contact(let contact):
            let connection = try sendingConnection(contact)
            guard let record = try db.connections.find(connection.connectionID) else {
                throw Refusal.store(.connectionNotFoundByID(connectionID: connection.connectionID))
            }
            return .contact(record)
        case .group(let chat):
            return .members(
                try audience(of: chat, moderatorsSupporting: reports ? ChatVersions.contentReports : ChatVersions.groupKnocking))
        }
    }

    /// Sends messages to the receivers of a conversation.
    ///
    /// - Parameter asGroup: True for messages in the name of the group, before which no profile is sent.
    func send(
        _ messages: [OutgoingMessage], to audience: Audience, in conversation: Conversation, asGroup: Bool = false, of user: User
    ) throws {
        switch (audience, conversation) {
        case (.contact(let record), _): try send(messages, over: [record])
        case (.members(let members), .group(let chat)):
            if chat.scope == nil, !asGroup { try sendProfileIfChanged(to: members, in: chat.group, of: user) }
            try send(messages, to: members, in: chat.group)
        default: break
        }
    }
}
