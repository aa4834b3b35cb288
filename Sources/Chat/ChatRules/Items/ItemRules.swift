package import ChatAPI
package import ChatProtocol

/// Rules and periods for changing items.
package enum ItemRules {
    /// Seconds for which a sent message can be edited and deleted for both sides.
    package static let editingPeriod: Int64 = 86_400
    /// Seconds after which a deletion by the sender is not followed any more: three days, and a margin for its delay on the way.
    package static let deletionPeriod: Int64 = 78 * 3600

    /// Tells whether this profile can still delete an item for both sides.
    package static func isDeletable(content: ItemContent, isDeleted: Bool, sentAt: UTCTimestamp, isDirect: Bool, now: UTCTimestamp) -> Bool {
        guard case .sentMessage = content, !isDeleted else { return false }
        return !isDirect || now.seconds - sentAt.seconds < editingPeriod
    }

    /// Tells whether a deletion for both sides is still accepted, a few hours after it is no longer offered.
    package static func canDeleteForBoth(_ item: ChatItem, at now: UTCTimestamp) -> Bool {
        guard case .sentMessage = item.content, item.meta.deleted == nil, item.meta.sharedMessageID != nil else { return false }
        return now.seconds - item.meta.itemTimestamp.seconds < editingPeriod + 6 * 3600
    }

    /// The quote of a message in its answer: large content is represented by its text only.
    package static func quoted(_ quoted: MessageContent, in content: MessageContent, fileName: String?) -> MessageContent {
        let text = quoted.text.isEmpty ? fileName ?? "" : quoted.text
        switch content.kind {
        case .text, .file, .voice, .report: break
        default: return .text(text)
        }
        switch quoted.kind {
        case .image(_, let image): return .image(text: text, image: image)
        case .file: return .file(text)
        default: return quoted
        }
    }

    /// Tells whether the other side may still delete an item of its own here.
    package static func acceptsDeletion(of item: ChatItem, at time: UTCTimestamp) -> Bool {
        item.meta.deleted == nil && time.seconds - item.meta.itemTimestamp.seconds < deletionPeriod
    }

    /// Tells whether an item is a message that can be reacted to.
    package static func acceptsReaction(_ item: ChatItem) -> Bool {
        item.content.message != nil && item.meta.deleted == nil
    }

    /// Tells whether a message has a link: by its kind, or by what its text contains.
    package static func hasLink(_ content: MessageContent) -> Bool {
        if content.type == .link { return true }
        return Markdown.parse(content.text).map(Markdown.hasLinks) ?? false
    }
}

/// When messages of a chat disappear.
package enum ItemTiming {
    /// The time to live of messages in a chat: nil when messages do not disappear in it.
    ///
    /// - Returns: `.some(nil)` when they may disappear but each must say when.
    package static func ttl(of contact: Contact) -> Int?? {
        let preference = contact.mergedPreferences.timedMessages
        guard preference.enabled.forUser, preference.enabled.forContact else { return nil }
        return .some(preference.userPreference.preference.ttl)
    }

    /// The timer of a message that is sent; one that is still being typed starts it later.
    ///
    /// - Parameter chatTTL: See ``ttl(of:)``.
    package static func sent(chatTTL: Int??, ttl: Int?, isLive: Bool, at now: UTCTimestamp) -> ItemTimer? {
        guard let chatTTL, let asked = ttl ?? chatTTL else { return nil }
        let seconds = TimeToLive.bounded(asked)
        return ItemTimer(ttl: seconds, deleteAt: isLive ? nil : now.adding(seconds: Int64(seconds)))
    }

    /// The timer of a message that came: it starts when the message is read.
    package static func received(chatTTL: Int??, ttl: Int?) -> ItemTimer? {
        guard chatTTL != nil, let ttl, ttl > 0 else { return nil }
        return ItemTimer(ttl: TimeToLive.bounded(ttl))
    }
}

/// Rules for reactions: how many each side may give, and how they are counted.
package enum ReactionRules {
    /// Tells whether a change follows from the reactions that one side has made: each once, and not more than three.
    package static func isAllowed(_ reaction: MessageReaction, isAdded: Bool, after reactions: [MessageReaction]) -> Bool {
        if isAdded { return !reactions.contains(reaction) && reactions.count < ChatLimits.reactionsPerMessage }
        return reactions.contains(reaction)
    }

    /// Refuses a reaction of this profile that changes nothing or is one too many.
    package static func check(_ reaction: MessageReaction, isAdded: Bool, after reactions: [MessageReaction]) throws {
        let isThere = reactions.contains(reaction)
        if isAdded, isThere { throw Refusal.command("reaction already added") }
        if isAdded, reactions.count >= ChatLimits.reactionsPerMessage { throw Refusal.command("too many reactions") }
        if !isAdded, !isThere { throw Refusal.command("reaction already removed") }
    }

    /// Counts reactions that are stored as `1{…}` for this profile's and `0{…}` for the other side's, joined by U+001F.
    package static func counts(stored text: String?) throws(JSONError) -> [ReactionCount] {
        guard let text else { return [] }
        var counts: [(json: Substring, count: ReactionCount)] = []
        for entry in text.split(separator: "\u{1F}") {
            let byUser = entry.first == "1"
            let json = entry.dropFirst()
            if let index = counts.firstIndex(where: { $0.json == json }) {
                counts[index].count.totalReacted += 1
                counts[index].count.userReacted = counts[index].count.userReacted || byUser
            } else {
                let reaction = try MessageReaction(parsing: String(json))
                counts.append((json, ReactionCount(reaction: reaction, userReacted: byUser, totalReacted: 1)))
            }
        }
        return counts.sorted { $0.json.utf8.lexicographicallyPrecedes($1.json.utf8) }.map(\.count)
    }
}
