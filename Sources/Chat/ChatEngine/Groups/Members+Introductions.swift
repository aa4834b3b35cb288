import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPCrypto

extension Members {
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
        try transaction.outbox.sendDirectly([event], to: member, in: group)
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
        try transaction.outbox.send(.newMember(transaction.info(of: member, in: group), scope: scope), to: others, in: group)
        var relations = try db.members.relations(ofMember: member.groupMemberID)
        for other in others {
            relations.introduce(other.indexInGroup, isIntroducedToSubject: true)
            var known = try db.members.relations(ofMember: other.groupMemberID)
            known.introduce(member.indexInGroup, isIntroducedToSubject: false)
            try db.members.update(other.groupMemberID, relations: known)
        }
        try db.members.update(member.groupMemberID, relations: relations)
        // Administrators first, and those with a picture before the others, in an order that tells nothing.
        let events = try shuffled(others).sorted { Self.introductionRank($0) < Self.introductionRank($1) }.map { other in
            ChatMessageEvent.introduceMember(
                try transaction.info(of: other, in: group), restrictions: other.blockedByAdmin ? MemberRestrictions(restriction: .blocked) : nil)
        }
        try transaction.outbox.sendDirectly(events, to: member, in: group)
    }

    private static func introductionRank(_ member: GroupMember) -> Int {
        (member.role >= .admin ? 0 : 2) + (member.profile.image == nil ? 1 : 0)
    }

    private func shuffled(_ members: [GroupMember]) -> [GroupMember] {
        members.map { (random.bytes(8), $0) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
    }
}
