internal import ChatAPI

// People choose their names: the first person who connects as "ann" is "ann" in the profile. A trusted contact is somebody who was given a link, and is
// known by the connection that the link has made.

extension Effects {
    /// The trusted contacts as they are known now.
    var trustedPeople: TrustedPeople { services?.trust.current ?? [] }
}

extension BotClient {
    /// The trusted contacts as they are known now.
    package var trustedPeople: TrustedPeople { effects.trustedPeople }
}

extension BotChat {
    /// The name in ``Bot/trustedContacts`` of the contact; nil for strangers and for groups.
    public var trustedName: String? { contact.flatMap { effects.trustedPeople.name(of: $0) } }

    /// The alias that the owner of the bot's profile has given the contact; empty without one. It is for the owner's eyes: the contact does not know it.
    public var alias: String { contact?.profile.localAlias ?? "" }
}

extension BotMember {
    /// The name in ``Bot/trustedContacts`` of a member whom the bot has invited from its contacts; nil for strangers, and for trusted contacts who came by
    /// another way.
    public var trustedName: String? { group.effects.trustedPeople.name(of: member) }
}

extension ItemContext {
    /// The name in ``Bot/trustedContacts`` of the author of the message; nil for strangers, and for forwarded messages.
    public var trustedName: String? {
        guard item.meta.forwardedByMember == nil else { return nil }
        return if let member = item.direction.member { chat.effects.trustedPeople.name(of: member) } else { chat.trustedName }
    }
}

extension ReactionContext {
    /// The name in ``Bot/trustedContacts`` of the person who reacted, not of the author of the message; nil for strangers.
    public var trustedName: String? { if let member { member.trustedName } else { chat.trustedName } }
}

extension InvitationContext {
    /// The name in ``Bot/trustedContacts`` of the contact who invites; nil for strangers.
    public var trustedName: String? { chat.trustedName }
}

extension Filter where Context: ItemContext {
    /// The message was written by one of the ``Bot/trustedContacts``; a reaction was given by one.
    public static var fromTrustedContact: Self { Self { $0.trustedName != nil } }

    /// The message was written by one of these of the ``Bot/trustedContacts``; a reaction was given by one.
    public static func fromTrustedContact(_ names: String...) -> Self { Self { $0.trustedName.map(names.contains) ?? false } }
}

extension Filter where Context == InvitationContext {
    /// The invitation comes from one of the ``Bot/trustedContacts``.
    public static var fromTrustedContact: Self { Self { $0.trustedName != nil } }

    /// The invitation comes from one of these of the ``Bot/trustedContacts``.
    public static func fromTrustedContact(_ names: String...) -> Self { Self { $0.trustedName.map(names.contains) ?? false } }
}

extension BotClient {
    /// The chat with a trusted contact; nil if nobody has used the link yet, and for names that are not among ``Bot/trustedContacts``.
    public func chat(withTrusted name: String) async -> BotChat? {
        guard bot.trustedContacts.contains(name) else { return nil }
        let people = trustedPeople
        let summary = await chats.all.first { $0.info.contact.flatMap { people.name(of: $0) } == name }
        return summary.map { BotChat(bot: bot, info: $0.info, effects: effects) }
    }
}
