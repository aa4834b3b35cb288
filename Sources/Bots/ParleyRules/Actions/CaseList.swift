internal import ChatAPI
internal import Parley

// Cases hold deleted texts, which members must not read again.
extension RulePerformer {
    /// Sends the newest cases to the moderator who asks for them, where members do not read: into the direct chat or, if there is none, into the moderator's
    /// conversation with the other moderators. A message in the group says where the list is.
    func listCases() async throws {
        guard let record = try await record(), let member = subject.member else { return try await reply(MentioningText(texts[.caseNone])) }
        let list = record.cases.isEmpty ? texts[.caseNone] : record.report(withTexts: true)
        if let chat = await directChat(with: member) {
            try await chat.send(list)
            return try await reply(MentioningText(texts[.casesInDirectChat]))
        }
        if isIn(chatOf: member) { return try await reply(MentioningText(list)) }
        do {
            try await member.supportChat.send(list)
        } catch let error as ChatCoreError where !error.isTemporary {
            // The group has no such conversations. Deleted texts are left out.
            return try await reply(MentioningText(record.cases.isEmpty ? texts[.caseNone] : record.report(withTexts: false)))
        }
        try await reply(MentioningText(texts[.casesInModeratorChat]))
    }

    /// The direct chat with a member who is also a contact; nil for other members.
    private func directChat(with member: BotMember) async -> BotChat? {
        guard let id = member.member.contactID, let chat = await subject.client.chat(.direct(id)), chat.contact?.isReady == true else { return nil }
        return chat
    }

    /// True if the command came in the conversation of its writer with the moderators.
    private func isIn(chatOf member: BotMember) -> Bool {
        guard case .group(_, .memberSupport(let subject?)?) = subject.chat.info else { return false }
        return subject.groupMemberID == member.id
    }
}
