import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPCrypto
import SMPWire

// Forwarding: an administrator who has introduced two members passes on their messages until they are connected.

extension ChatTransaction {
    /// The version from which clients read the binary form of forwarded messages, which has room for the longest ones.
    static let binaryForwarding = ChatVersions.memberSupportVoice

    /// Forwards messages of a member to those to whom it was introduced and is not connected yet. That it has left everybody hears to whom it was introduced:
    /// it may have told this profile alone, and have kept its connections with the others.
    func forward(_ messages: [GroupMessage], from sender: GroupMember, to audience: ForwardAudience, in group: GroupInfo) throws {
        let relations = try db.members.relations(ofMember: sender.groupMemberID)
        try forward(messages.filter { $0.message.event != .leaveGroup }, from: sender, to: audience, relations.forwardedIndexes, in: group)
        try forward(messages.filter { $0.message.event == .leaveGroup }, from: sender, to: audience, relations.introducedIndexes, in: group)
    }

    private func forward(
        _ messages: [GroupMessage], from sender: GroupMember, to audience: ForwardAudience, _ indexes: [Int64], in group: GroupInfo
    ) throws {
        guard !messages.isEmpty, !indexes.isEmpty else { return }
        let receivers = try db.members.members(of: group.groupID, indexes: indexes).filter { member in
            switch audience {
            case .group(let includesPending): member.status.isCurrent || (includesPending && member.status.isPending)
            case .channel, .comments, .everybodyAtLast: member.status.isCurrent
            case .support(let subject):
                member.groupMemberID == subject
                    || (member.role >= .moderator && member.status.isCurrent && member.supports(ChatVersions.groupKnocking))
            }
        }
        try forward(messages, from: sender, to: receivers, in: group)
    }

    /// Forwards messages of a member to others. Those whose queues are full get them once there is room, and those whose connections are not made yet
    /// get nothing: their own connection comes first.
    func forward(_ messages: [GroupMessage], from sender: GroupMember, to receivers: [GroupMember], in group: GroupInfo) throws {
        let connected = receivers.compactMap { member in member.openConnection.map { (member, $0) } }
        guard !messages.isEmpty, !connected.isEmpty else { return }
        let forwards = messages.map { MessageForward(sender: .member(sender.memberID, name: sender.shortName), brokerTimestamp: $0.sentAt) }
        let elements = zip(forwards, messages).map { forward, message in forward.element(message.element) }
        try forward(elements, to: connected.filter { $0.0.supports(Self.binaryForwarding) })
        let old = connected.filter { !$0.0.supports(Self.binaryForwarding) && $0.0.supports(ChatVersions.groupForwarding) }
        guard !old.isEmpty else { return }
        // What is too long in this form is left out: it must not take the others with it.
        let nested = zip(forwards, messages).compactMap { try? OutgoingMessage(.forwardMessage($0, $1.message), id: newSharedMessageID()) }
        let waiting = old.filter(\.1.isInactive).map(\.0.groupMemberID)
        try db.pendingMessages.insert(nested.map { ($0.body, nil) }, for: waiting, at: now)
        var encoder = OutgoingBodyEncoder(nested)
        for (member, connection) in old where !connection.isInactive {
            for body in try encoder.bodies(for: connection, isBatched: member.supports(ChatVersions.directBatching), store: db.deliveries.insertBody) {
                effects.deliveries.append(try db.deliveries.insert(to: DeliveryTarget(connection), body: body.stored, notifies: false, at: now))
            }
        }
    }

    /// Sends elements in binary batches, or keeps them for members whose queues are full.
    private func forward(_ elements: [Bytes], to members: [(GroupMember, Connection)]) throws {
        let waiting = members.filter { $0.0.readyConnection == nil }.map(\.0.groupMemberID)
        try db.pendingMessages.insert(elements.map { ($0, nil) }, for: waiting, at: now)
        let ready = members.filter { $0.0.readyConnection != nil }
        guard !ready.isEmpty else { return }
        for body in Self.binaryBatches(elements) {
            let stored = try db.deliveries.insertBody(body)
            for (_, connection) in ready {
                effects.deliveries.append(try db.deliveries.insert(to: DeliveryTarget(connection), body: stored, notifies: false, at: now))
            }
        }
    }

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

    // MARK: Introductions

    /// Introduces a member to those to whom it was not introduced yet, and them to it.
    func introduce(_ member: GroupMember, in group: GroupInfo) throws {
        let relations = try db.members.relations(ofMember: member.groupMemberID)
        let others = try db.members.current(of: group.groupID).filter {
            $0.groupMemberID != member.groupMemberID && relations[$0.indexInGroup] == .new
        }
        try introduce(member, to: others, scope: nil, in: group)
    }

    /// Introduces a member who waits for a review to the moderators.
    func introduceToModerators(_ member: GroupMember, in group: GroupInfo) throws {
        let event: ChatMessageEvent =
            member.supports(ChatVersions.groupKnocking)
            ? .groupLinkAcceptance(.pendingReview, role: member.role, memberID: member.memberID)
            : .newMessage(MessageContainer(content: .text(Self.pendingReviewText)))
        try sendDirectly([event], to: member, in: group)
        let moderators = try db.members.moderators(of: group.groupID).filter {
            $0.status.isCurrent && $0.groupMemberID != member.groupMemberID && $0.supports(ChatVersions.groupKnocking)
        }
        try introduce(member, to: moderators, scope: .member(member.memberID), in: group)
    }

    /// The text for clients that do not know reviews.
    private static let pendingReviewText = "Your request to join the group is waiting for its moderators."
    /// The text for clients that do not know reviews, once the member is let in.
    static let acceptedText = "The moderators have let you into the group."

    private func introduce(_ member: GroupMember, to others: [GroupMember], scope: MessageScope?, in group: GroupInfo) throws {
        guard member.activeConnection != nil else { throw Refusal.chat(.internalError(message: "member connection not active")) }
        try send(.newMember(MemberInfo(member, in: group), scope: scope), to: others, in: group)
        var relations = try db.members.relations(ofMember: member.groupMemberID)
        for other in others {
            relations.introduce(other.indexInGroup, isIntroducedToSubject: true)
            var known = try db.members.relations(ofMember: other.groupMemberID)
            known.introduce(member.indexInGroup, isIntroducedToSubject: false)
            try db.members.update(other.groupMemberID, relations: known)
        }
        try db.members.update(member.groupMemberID, relations: relations)
        // Administrators first, and those with a picture before the others, in an order that tells nothing.
        let events = shuffled(others).sorted { Self.introductionRank($0) < Self.introductionRank($1) }.map { other in
            ChatMessageEvent.introduceMember(
                MemberInfo(other, in: group), restrictions: other.blockedByAdmin ? MemberRestrictions(restriction: .blocked) : nil)
        }
        try sendDirectly(events, to: member, in: group)
    }

    private static func introductionRank(_ member: GroupMember) -> Int {
        (member.role >= .admin ? 0 : 2) + (member.profile.image == nil ? 1 : 0)
    }

    private func shuffled(_ members: [GroupMember]) -> [GroupMember] {
        members.map { (random.bytes(8), $0) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
    }

    // MARK: History

    /// Messages that a joining member gets at most.
    static let historyLength = 100

    /// Sends the newest messages of a group to a member who joins, if its preferences say so, and the welcome message.
    func sendHistory(to member: GroupMember, in group: GroupInfo) throws {
        guard group.allows(.history), member.supports(ChatVersions.batching) else { return }
        let isChannel = group.usesRelays
        var items = try db.items.history(of: group.groupID, for: member.groupMemberID, limit: Self.historyLength, at: now)
        let posts = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
        if isChannel, group.allows(.comments), try knowsComments(member) {
            items += try db.items.comments(on: Array(posts.keys), limit: Self.historyLength, at: now)
            items.sort { ($0.item.meta.itemTimestamp, $0.id) < ($1.item.meta.itemTimestamp, $1.id) }
        }
        var events = try items.flatMap { item in
            try historyEvents(item, in: GroupConversation(group, post: item.item.meta.parentItemID.flatMap { posts[$0] }))
        }
        // A relay writes nothing of its own: the welcome message of a channel is shown by its link.
        if !isChannel, member.supports(ChatVersions.groupHistoryWelcome), let welcome = group.groupProfile.description,
            try db.members.joinRequest(member: member.groupMemberID).welcome == nil
        {
            events.append(.newMessage(MessageContainer(content: .text(welcome))))
        }
        try sendDirectly(events, to: member, in: group)
    }

    /// A message of the history as it is forwarded, with the description of its file. Of one whose file cannot be fetched any more, the text is.
    private func historyEvents(_ stored: StoredItem, in chat: GroupConversation) throws -> [ChatMessageEvent] {
        let group = chat.group
        let author: GroupMember?
        switch stored.item.direction {
        case .groupSent: author = group.membership
        case .groupReceived(let member) where !member.blockedByAdmin: author = member
        case .channelReceived where group.usesRelays: author = nil
        default: return []
        }
        let file = try historyFile(of: stored)
        guard let message = stored.message, file != nil || !message.text.isEmpty || stored.item.file == nil else { return [] }
        let (content, mentions) = MentionRules.renamed(
            stored.item.file == nil || file != nil ? message : .text(message.text), mentions: stored.item.mentions)
        var container = MessageContainer(content: content, mentions: MessageMentions(mentions))
        container.file = file?.invitation
        container.ttl = stored.item.meta.timed?.ttl
        if author == nil { container.asGroup = true }
        container.parent = chat.postReference
        if let quote = stored.item.quotedItem {
            let quoted: MemberID? =
                switch quote.direction {
                case .groupSent: group.membership.memberID
                case .groupReceived(let member): member.memberID
                default: nil
                }
            container.quote = QuotedMessage(
                reference: MessageReference(
                    messageID: quote.sharedMessageID, sentAt: quote.sentAt, sent: quote.direction == .groupSent, memberID: quoted),
                content: quote.content)
        }
        let forward = MessageForward(
            sender: author.map { .member($0.memberID, name: $0.shortName) } ?? .channel, brokerTimestamp: stored.item.meta.itemTimestamp)
        let versions = (author ?? group.membership).versionRange
        let shared = stored.item.meta.sharedMessageID
        let parts = file.flatMap { file in shared.map { shared in file.parts.map { ChatMessageEvent.fileDescription(messageID: shared, $0) } } } ?? []
        return [.forwardMessage(forward, ChatMessage(versions: versions, messageID: shared, event: .newMessage(container)))]
            + parts.map { .forwardMessage(forward, ChatMessage(versions: versions, event: $0)) }
    }

    /// The file of a message, if routers still have it and its description is complete.
    private func historyFile(of stored: StoredItem) throws -> (invitation: FileInvitation, parts: [FileDescriptionPart])? {
        guard let shown = stored.item.file, shown.fileProtocol == .xftp, stored.item.meta.sharedMessageID != nil,
            stored.item.meta.itemTimestamp > now.adding(seconds: -FileLimits.routerPeriod), let file = try db.files.find(shown.fileID), !file.isCancelled,
            let description = file.description, description.isComplete
        else { return nil }
        return (FileInvitation(name: file.name, size: file.size, fileDescription: .pending), FileDescriptionPart.parts(of: description.text))
    }
}
