internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Parley

// The input of rules from a message, arriving or stored.

extension RuleInput {
    /// A message without the circumstances that its chat tells.
    init(message item: ChatItem, _ content: MessageContent) {
        self.init(event: .message, kind: MessageKind(content), text: item.meta.text)
        attached = content.attachedTexts
        mentionsBot = item.meta.userMention
        file = item.file.map { Attachment(name: $0.fileName, size: $0.fileSize) }
        mentions = item.mentions.count
        isForwarded = item.meta.forwarded != nil
        isPassedOn = item.meta.forwardedByMember != nil
        isComment = item.meta.parentItemID != nil
    }

    /// Sets the facts about the chat, the member of the actions, and the time.
    ///
    /// - Parameter trusted: the trusted contacts.
    mutating func describe(_ info: ChatInfo, target member: GroupMember?, trusted: TrustedPeople, at now: Date) {
        chat = ChatKinds(info)
        if sender == nil, member == nil {
            setSender(info.localDisplayName, info.contact?.profile, info.contact.flatMap { trusted.name(of: $0) }, among: trusted)
        }
        if displayName == nil { describe(member, trusted: trusted, at: now) }
        target = member?.provenRole
        if case .direct(let contact) = info {
            displayName = contact.profile.displayName
            isFromBot = contact.profile.peerType == .bot
        }
        if let group = info.groupInfo {
            (groupNames, isForeignGroup) = ([group.groupProfile.displayName, group.localDisplayName], group.isNamedByStranger(among: trusted))
        }
        describe(time: now)
    }

    /// Sets the facts about the time.
    mutating func describe(time now: Date) { (minuteOfDay, time) = (Int(now.timeIntervalSince1970 / 60) % 1_440, now) }

    /// Sets the facts about the member who wrote, or who is the subject of the event.
    mutating func describe(_ member: GroupMember?, trusted: TrustedPeople, at now: Date) {
        guard let member else { return }
        setSender(member.localDisplayName, member.profile, trusted.name(of: member), among: trusted)
        role = member.provenRole
        displayName = member.profile.displayName
        isFromBot = member.profile.peerType == .bot
        // Others were there before the bot, and when they joined is not known.
        let hasJoinedLater = member.category == .post || member.category == .invitee
        memberAge = hasJoinedLater ? max(0, now.timeIntervalSince1970 - member.createdAt.timeIntervalSince1970) : nil
    }

    /// - Parameter known: the name of a trusted contact; nil for strangers.
    private mutating func setSender(_ name: String, _ profile: LocalProfile?, _ known: String?, among trusted: TrustedPeople) {
        // A forwarded message proves nothing about its author.
        let known = isPassedOn ? nil : known
        sender = known ?? name
        isTrusted = known != nil
        let alias = profile?.localAlias ?? ""
        self.alias = known ?? (trusted.names.contains(alias) ? "" : alias)
    }
}

extension TemplateValues {
    /// The values of an event in a chat.
    ///
    /// - Parameter member: the name of the member who wrote; empty in a chat with a contact.
    init(_ input: RuleInput, _ info: ChatInfo, member: String, bot: String, at now: Date) {
        let time = now.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: false))
        self.init(
            botName: bot, contactName: member.isEmpty ? info.publishedName : member, text: input.text, emoji: input.emoji, date: String(time.prefix(10)),
            time: String(time.dropFirst(11).prefix(5)))
        memberName = member
        alias = input.alias
        groupName = info.groupInfo?.groupProfile.displayName ?? ""
        if input.event == .invitation { (inviterName, groupName) = (info.publishedName, input.groupNames.first ?? "") }
        (fileName, error) = (input.file?.name ?? "", input.error ?? "")
    }
}
