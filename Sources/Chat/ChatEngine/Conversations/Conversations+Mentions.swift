import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

extension Conversations {
    /// The mentions of a message that this profile writes, as members.
    ///
    /// - Throws: `invalidMention` for too many, repeated or invisible ones.
    func mentions(_ mentions: [String: GroupMemberID], in content: MessageContent, group: GroupInfo) throws -> [String: MemberID] {
        guard !mentions.isEmpty, Markdown.parse(content.text) != nil else { return [:] }
        guard MentionRules.areValid(mentions, in: content.text) else { throw Refusal.store(.invalidMention) }
        return try mentions.mapValues { try member($0, in: group).memberID }
    }

    /// The members of a group that a text names.
    func mentions(in text: String, group: GroupID) throws -> [String: GroupMemberID] {
        var found: [String: GroupMemberID] = [:]
        for name in MentionRules.names(in: text) { found[name] = try db.members.id(named: name, group: group) }
        return found
    }
}
