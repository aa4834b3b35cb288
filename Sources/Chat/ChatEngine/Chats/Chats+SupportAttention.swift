import ChatAPI
import ChatStore

// The count of messages of a member that no moderator has answered, put right when the support chat is looked at: answers of this profile, and messages
// that were read or deleted one by one, do not change it at once.

extension Chats {
    /// Tells whether the support chat of a page counts unanswered messages; true for pages of other chats.
    func isCounted(_ page: ChatResponse) throws -> Bool {
        guard let (_, member, counted) = page.supportChat else { return true }
        return try db.supportChats.unansweredMessages(of: member) == counted
    }

    /// Stores the right count, and shows it in the page.
    func correctAttention(_ page: ChatResponse) throws -> ChatResponse {
        guard case .apiChat(let user, var chat, let navigation) = page, let (shown, member, counted) = page.supportChat else { return page }
        let unanswered = try db.supportChats.unansweredMessages(of: member)
        guard unanswered != counted else { return page }
        try db.supportChats.update(member: member.groupMemberID, unanswered: unanswered, at: now)
        var group = shown
        let corrected = try transaction.conversations.member(member.groupMemberID, in: group)
        try transaction.groupItems.noteAttention(before: member, after: corrected, in: &group)
        chat.chatInfo = .group(groupInfo: group, scope: .memberSupport(groupMember: corrected))
        return .apiChat(user: user, chat: chat, navigation: navigation)
    }
}

extension ChatResponse {
    /// The member whose support chat a page shows, and the number of unanswered messages that it shows.
    fileprivate var supportChat: (group: GroupInfo, member: GroupMember, unanswered: Int)? {
        guard case .apiChat(_, let chat, _) = self, case .group(let group, .memberSupport(let member?)) = chat.chatInfo,
            let support = member.supportChat
        else { return nil }
        return (group, member, support.memberAttention)
    }
}
