package import ChatAPI
package import ChatProtocol

/// The content that a group does not take, and from whom.
package enum GroupContentRules {
    /// The feature that forbids a message; nil if it may be sent.
    ///
    /// The order is that of official clients: it tells which feature is named when several forbid the message.
    ///
    /// - Parameters:
    ///   - author: The member who writes; the membership for sent messages.
    ///   - isSent: True if this profile writes.
    package static func forbidding(
        _ content: MessageContent, hasFile: Bool, by author: GroupMember, in conversation: GroupConversation, isSent: Bool
    ) -> GroupFeature? {
        let group = conversation.group
        let isSupport = conversation.scope != nil
        if isSupport {
            let subject = conversation.supportMember ?? group.membership
            // A moderator may begin a talk with a member whatever the preference says: sending makes the chat.
            let isBegunByModerator = isSent && conversation.supportMember != nil && group.membership.role >= .moderator
            if !group.allows(.support), subject.supportChat == nil, !isBegunByModerator { return .support }
        }
        if content.isVoice, !group.allows(.voice, author), !isHostVoice(author, conversation, isSent: isSent) { return .voice }
        guard !isSupport else { return nil }
        if !content.isVoice, hasFile, !group.allows(.files, author) { return .files }
        if content.isReport {
            // Moderators do not report, and nobody else receives reports.
            let isModerator = group.membership.role >= .moderator
            if isModerator == isSent || !group.allows(.reports) { return .reports }
        }
        return forbidsLinks(content, by: author, in: group) ? .simplexLinks : nil
    }

    /// A voice message between a member who waits for approval and the host, which no preference forbids.
    private static func isHostVoice(_ author: GroupMember, _ conversation: GroupConversation, isSent: Bool) -> Bool {
        let membership = conversation.group.membership
        guard case .memberSupport(let subject) = conversation.scope else { return false }
        if isSent { return membership.role >= .admin && subject?.status == .pendingApproval }
        return author.category == .host && subject == nil && membership.status == .pendingApproval
    }

    /// Tells whether a message has a SimpleX link that its author may not send.
    package static func forbidsLinks(_ content: MessageContent, by author: GroupMember, in group: GroupInfo) -> Bool {
        guard !group.allows(.simplexLinks, author) else { return false }
        if content.type == .chat { return true }
        return Markdown.hasSimplexLink(content.text) || content.attachedTexts.contains(where: Markdown.hasSimplexLink)
    }
}

/// The mentions of members in messages.
package enum MentionRules {
    /// Mentions in a sent message, at most.
    package static let sentLimit = 3
    /// Mentions in a received message that count.
    package static let receivedLimit = 5

    /// The names that a text mentions, in their order, each once.
    package static func names(in text: String) -> [String] {
        var names: [String] = []
        for part in Markdown.parse(text) ?? [] {
            if case .mention(let name)? = part.format, !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// Tells whether a sent message may mention these members: not too many, each once, and each by a name in the text.
    package static func areValid(_ mentions: [String: GroupMemberID], in text: String) -> Bool {
        let names = Set(names(in: text))
        return mentions.count <= sentLimit && mentions.keys.allSatisfy(names.contains) && Set(mentions.values).count == mentions.count
    }

    /// The mentions of a received message that count: those whose names are in the text, each member once, the first of them.
    package static func counted(_ mentions: [String: MemberID], in text: String) -> [String: MemberID] {
        var counted: [String: MemberID] = [:]
        var seen: Set<MemberID> = []
        for name in names(in: text) where counted.count < receivedLimit {
            guard let member = mentions[name], seen.insert(member).inserted else { continue }
            counted[name] = member
        }
        return counted
    }

    /// A text in which mentions have the names that the members have now, with the mentions by those names.
    ///
    /// Names that are the member's with a number behind them stay, as they tell members of one name apart.
    package static func renamed(_ content: MessageContent, mentions: [String: ItemMention]) -> (content: MessageContent, mentions: [String: MemberID]) {
        let unchanged = mentions.mapValues(\.memberID)
        guard !mentions.isEmpty, let parts = Markdown.parse(content.text), !mentions.allSatisfy({ isCurrent($0.key, $0.value) }) else {
            return (content, unchanged)
        }
        var renamed: [String: MemberID] = [:]
        var text = ""
        for part in parts {
            guard case .mention(let name)? = part.format, let mention = mentions[name] else {
                text += part.text
                continue
            }
            let base = mention.member?.displayName ?? name
            var unique = base
            var suffix = 1
            while renamed[unique] != nil {
                unique = "\(base)_\(suffix)"
                suffix += 1
            }
            renamed[unique] = mention.memberID
            text += "@" + (unique.contains(" ") ? "'\(unique)'" : unique)
        }
        return (content.replacing(text: text), renamed)
    }

    private static func isCurrent(_ name: String, _ mention: ItemMention) -> Bool {
        guard let current = mention.member?.displayName, name.hasPrefix(current) else { return mention.member == nil }
        let rest = name.dropFirst(current.count)
        return rest.isEmpty || (rest.first == "_" && rest.dropFirst().allSatisfy(\.isNumber))
    }
}
