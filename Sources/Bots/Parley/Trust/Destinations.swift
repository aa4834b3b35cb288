package import ChatAPI
internal import ChatModel
internal import ChatProtocol

// The chats that a name leads to when something is sent under it that not everybody may read.

/// A name as a person writes it: `ann`, `@ann` for a contact, `#team` for a group.
package struct ChatName: Sendable, Hashable {
    /// The kind that the sign before the name says; nil without one.
    package let kind: ChatType?
    /// The name without the sign.
    package let name: String

    /// Reads a name.
    package init(_ text: String) {
        switch text.first {
        case "@": (kind, name) = (.direct, String(text.dropFirst()))
        case "#": (kind, name) = (.group, String(text.dropFirst()))
        default: (kind, name) = (nil, text)
        }
    }

    /// The one of the names that is meant: upper and lower case count only where they tell two apart.
    package func choose<Choice>(among choices: [Choice], name nameOf: (Choice) -> String, kind kindOf: (Choice) -> ChatType) -> Choice? {
        let choices = choices.filter { kind == nil || kind == kindOf($0) }
        if let exact = choices.first(where: { nameOf($0) == name }) { return exact }
        let similar = choices.filter { nameOf($0).lowercased() == name.lowercased() }
        return similar.count == 1 ? similar.first : nil
    }
}

/// A group or channel that a bot declares.
struct DeclaredChat: Sendable, Hashable {
    /// The name that the bot gives it.
    let name: String
    /// The name under which its id is stored.
    let storeName: String

    /// The groups and channels of a bot.
    static func all(of bot: Bot) -> [DeclaredChat] {
        bot.groups.map { DeclaredChat(name: $0.settings.name, storeName: $0.id) }
            + bot.channels.map { DeclaredChat(name: $0.settings.name, storeName: $0.storeName) }
    }
}

extension BotClient {
    /// A chat to which a name can refer if something confidential is sent.
    private enum Destination {
        case trusted(String)
        case declared(DeclaredChat)
        case pinned(String, GroupInfo)
        case own(GroupInfo)

        var name: String {
            switch self {
            case .trusted(let name), .pinned(let name, _): name
            case .declared(let chat): chat.name
            case .own(let group): group.groupProfile.displayName
            }
        }

        var kind: ChatType { if case .trusted = self { .direct } else { .group } }
    }

    /// The chat that a name leads to for certain: where forwarded messages, notices and other things go that a stranger must not get.
    ///
    /// That is the chat with one of the ``Bot/trustedContacts``, one of the ``Bot/groups`` or ``Bot/channels`` by the name in its settings, or another group
    /// that the bot has made or to which a trusted contact has invited it. The name of such another group is bound to it at its first use. A contact who only
    /// has the name, and a group to which such a contact has invited the bot, are never meant.
    ///
    /// - Parameter name: The name; `@` before it says that a contact is meant, `#` a group. Upper and lower case count only where they tell two chats apart.
    /// - Returns: nil if nothing is known under the name, or it does not exist yet.
    public func destination(_ name: String) async throws -> BotChat? {
        guard let services = effects.services else { return nil }
        let people = trustedPeople, pins = try await services.store.pinnedChats(of: bot.userID)
        // The oldest first: a later group of the same name does not take it.
        let vouched = await chats.all.compactMap(\.info.groupInfo).filter { $0.isVouchedFor(by: people) }.sorted { $0.groupID < $1.groupID }
        var declared: Set<GroupID> = []
        for chat in services.declaredChats { if let id = try await services.store.groupID(of: chat.storeName, bot: bot.id) { declared.insert(id) } }
        let pinned = pins.compactMap { name, id in vouched.first { $0.groupID == id }.map { (name, $0) } }.sorted { $0.0 < $1.0 }
        let pinnedIDs = Set(pinned.map(\.1.groupID))
        let choices: [Destination] =
            bot.trustedContacts.sorted().map { .trusted($0) } + services.declaredChats.map { .declared($0) } + pinned.map { .pinned($0, $1) }
            + vouched.filter { !declared.contains($0.groupID) && !pinnedIDs.contains($0.groupID) }.map { .own($0) }
        switch ChatName(name).choose(among: choices, name: \.name, kind: \.kind) {
        case .trusted(let name): return await chat(withTrusted: name)
        case .declared(let chat):
            guard let id = try await services.store.groupID(of: chat.storeName, bot: bot.id) else { return nil }
            return await self.chat(.group(id, scope: nil))
        case .pinned(_, let group): return await chat(.group(group.groupID, scope: nil))
        case .own(let group):
            try await services.store.pin(group.groupProfile.displayName, to: group.groupID, of: bot.userID)
            return await chat(.group(group.groupID, scope: nil))
        case nil: return nil
        }
    }
}

extension BotGroups {
    /// One of the ``Bot/groups`` or ``Bot/channels`` of the bot, by its id there; nil while it does not exist.
    public func managed(_ id: String) async throws -> BotGroup? {
        guard let services = effects.services else { return nil }
        for storeName in [id, ManagedChannel.storeName(of: id)] {
            if let group = try await services.store.groupID(of: storeName, bot: bot.id), let found = await self.group(group) { return found }
        }
        return nil
    }
}

extension GroupInfo {
    /// True for a group that this profile has made. The names of chats with customers are those of the customers.
    var isOwnCreation: Bool { membership.invitedBy == .user && businessChat == nil }

    /// True for a group whose name a stranger has chosen: a group to which somebody other than a trusted contact has invited this profile, and a chat with a
    /// customer.
    package func isNamedByStranger(among people: TrustedPeople) -> Bool {
        if case .contact(let contact) = membership.invitedBy { return people.name(of: contact) == nil }
        return businessChat != nil
    }

    /// True for a group that this profile has made, or to which a trusted contact has invited it.
    fileprivate func isVouchedFor(by people: TrustedPeople) -> Bool {
        guard membership.status.isCurrentMember, businessChat == nil else { return false }
        if case .contact(let contact) = membership.invitedBy { return people.name(of: contact) != nil }
        return isOwnCreation
    }
}
