package import ChatAPI

// Names of people are their own choice: whoever connects first as "ann" is "ann" in the profile. A trusted contact is somebody who was given a link.

extension BotIdentity {
    /// The name in ``Bot/trustedContacts`` of whoever has a profile; nil for strangers.
    package func trustedName(of profile: LocalProfile) -> String? { trustedContacts.contains(profile.localAlias) ? profile.localAlias : nil }
}

extension BotChat {
    /// The name in ``Bot/trustedContacts`` of the contact; nil for strangers and for groups.
    public var trustedName: String? { contact.flatMap { bot.trustedName(of: $0.profile) } }
}

extension BotMember {
    /// The name in ``Bot/trustedContacts`` of a member who came from the bot's contacts; nil for strangers, and for trusted contacts who joined by a link.
    public var trustedName: String? { group.bot.trustedName(of: member.profile) }
}

extension ItemContext {
    /// The name in ``Bot/trustedContacts`` of the one who wrote the message; nil for strangers.
    public var trustedName: String? { if let member = item.direction.member { bot.trustedName(of: member.profile) } else { chat.trustedName } }
}

extension Filter where Context: ItemContext {
    /// The message was written by one of the ``Bot/trustedContacts``.
    public static var fromTrustedContact: Self { Self { $0.trustedName != nil } }

    /// The message was written by one of these of the ``Bot/trustedContacts``.
    public static func fromTrustedContact(_ names: String...) -> Self { Self { $0.trustedName.map(names.contains) ?? false } }
}

extension BotClient {
    /// The chat with a trusted contact; nil if nobody has used the link yet, and for names that are not among ``Bot/trustedContacts``.
    public func chat(withTrusted name: String) async -> BotChat? {
        guard bot.trustedContacts.contains(name) else { return nil }
        let summary = await chats.all.first { $0.info.contact?.profile.localAlias == name }
        return summary.map { BotChat(bot: bot, info: $0.info, effects: effects) }
    }
}
