internal import ChatAPI
internal import ChatModel
internal import ChatProtocol
internal import Logging

/// Brings the core's profiles to what bots say of themselves. Running it again changes nothing.
struct Provisioner {
    struct Provisioned {
        let identity: BotIdentity
        let report: HostReady.Profile
        let services: BotServices
    }

    let model: ChatModel
    let store: BotStateStore
    var filesFolder: String?
    var encryptsFiles = false
    let time: BotTime
    let timers: TimerDispatcher
    let directory: BotDirectory
    /// The locks of all bots.
    let locks = ChangeLocks()
    let logger: Logger
    /// Measures the pace of what is sent.
    var clock: any Clock<Duration> = ContinuousClock()
    /// Takes the effects of bots in a dry run; nil if they happen.
    var dryRun: (@Sendable (SuppressedEffect) -> Void)?

    /// The profiles of a core at the start.
    struct Profiles {
        fileprivate var byID: [UserID: User] = [:]
        fileprivate var byName: [String: User] = [:]
    }

    /// Reads the profiles that there are, once for all bots.
    func profiles() async throws(ChatCoreError) -> Profiles {
        var profiles = Profiles()
        for user in try await allUsers() {
            profiles.byID[user.userID] = user
            profiles.byName[user.localDisplayName] = user
        }
        return profiles
    }

    /// - Parameter profiles: The profiles from before the first bot.
    func provision(_ bot: Bot, among profiles: Profiles) async throws -> Provisioned {
        let user = try await user(of: bot, among: profiles)
        guard user.isChatRelay == bot.isRelay else {
            throw HostError(
                .handlers,
                "the profile of \(bot.id) was made \(user.isChatRelay ? "as a relay" : "for a bot that is not a relay"), and that cannot be changed: give the bot another id and name"
            )
        }
        try await updateProfile(bot, of: user)
        try await updateRetention(bot, of: user.userID)
        let link = try await address(of: bot, user: user)
        let identity = BotIdentity(id: bot.id, name: bot.profile.name, userID: user.userID, trustedContacts: bot.trustedContacts)
        let groups = try await groups(of: bot, identity: identity)
        let trusted = try await trustedContacts(of: bot, user: user.userID)
        let services = BotServices(
            store: store, time: time, timers: timers, directory: directory, dialogues: DialogueTable(try await store.dialogues(of: user.userID)),
            trust: TrustRegistry(trusted.people, store: store, userID: user.userID), declaredChats: DeclaredChat.all(of: bot),
            commands: bot.commandHelp, texts: bot.texts, pacer: SendingPacer(bot.pace, clock: clock), locks: locks, encryptsFiles: encryptsFiles,
            dryRun: dryRun.map { DryRun(bot: bot.id, model: model, logger: logger, report: $0) })
        let client = BotClient(
            bot: identity, effects: Effects(model: model, userID: user.userID, event: nil, filesFolder: filesFolder, services: services))
        let report = HostReady.Profile(
            id: bot.id, name: bot.profile.name, address: link?.fullLink, shortAddress: link?.shortLink, client: client, managedGroups: groups,
            invitations: trusted.invitations)
        return Provisioned(identity: identity, report: report, services: services)
    }

    // MARK: Profile

    private func user(of bot: Bot, among profiles: Profiles) async throws -> User {
        if let id = try await store.userID(of: bot.id), let user = profiles.byID[id] { return user }
        if let user = profiles.byName[bot.profile.name] {
            // The profile is older than what is known of the bot: what has happened in it is taken as handled.
            try await adopt(user)
            try await store.setUserID(user.userID, of: bot.id)
            return user
        }
        let request = NewUser(profile: profile(of: bot), pastTimestamp: false, isChatRelay: bot.isRelay)
        guard case .activeUser(let user) = try await model.send(.users(.create(request)), as: nil) else {
            throw ChatCoreError(.invalidResponse, "the core did not make a profile for \(bot.id)")
        }
        try await store.setUserID(user.userID, of: bot.id)
        logger.info("profile made", metadata: ["bot": "\(bot.id)", "user": "\(user.userID)"])
        return user
    }

    private func allUsers() async throws(ChatCoreError) -> [User] {
        do throws(ChatCoreError) {
            guard case .usersList(let infos) = try await model.send(.users(.list), as: nil) else { return [] }
            return infos.map(\.user)
        } catch {
            guard error.isNoActiveUser else { throw error }
            return []
        }
    }

    private func adopt(_ user: User) async throws {
        guard case .apiChats(_, let chats) = try await model.send(.chats(.list(user: user.userID)), as: user.userID) else { return }
        for chat in chats {
            if case .direct(let contact) = chat.chatInfo, contact.isReady {
                note(.once(.connected, contact.contactID.rawValue), of: user.userID)
            }
            if let reference = chat.chatInfo.reference, let last = chat.chatItems.last {
                note(.item(last.id, chat: "\(reference)"), of: user.userID)
            }
        }
    }

    private func note(_ mark: HandledMark, of user: UserID) {
        store.note(mark, of: user)
        // What was there before a dry run is old for the runs after it, too.
        store.original?.note(mark, of: user)
    }

    private func updateRetention(_ bot: Bot, of user: UserID) async throws {
        guard let wanted = bot.retention?.seconds else { return }
        if case .chatItemTTL(_, let seconds) = try await model.send(.users(.messageTTL(user: user)), as: user), seconds ?? 0 == wanted { return }
        _ = try await model.send(.users(.setMessageTTL(user: user, seconds: wanted)), as: user)
        logger.info("retention of messages set", metadata: ["bot": "\(bot.id)", "seconds": "\(wanted)"])
    }

    private func updateProfile(_ bot: Bot, of user: User) async throws {
        var wanted = profile(of: bot)
        let present = user.profile.published
        // The address is the core's to publish, and what newer programs have set is theirs.
        wanted.contactLink = present.contactLink
        wanted.addUnknownMembers(of: present)
        guard wanted != present else { return }
        _ = try await model.send(.users(.updateProfile(user: user.userID, wanted)), as: user.userID)
    }

    private func profile(of bot: Bot) -> Profile {
        var preferences = ChatPreferences()
        preferences.calls = SimplePreference(allow: .no)
        if !bot.menu.isEmpty {
            preferences.commands = bot.menu.map { .command(keyword: $0.keyword, label: $0.label, params: $0.parameters) }
        }
        return Profile(
            displayName: bot.profile.name, fullName: "", shortDescription: bot.profile.bio, image: bot.profile.image.map(ImageData.init),
            preferences: preferences, peerType: .bot)
    }

    // MARK: Address

    private func address(of bot: Bot, user: User) async throws -> CreatedConnectionLink? {
        if case .none = bot.address { return nil }
        let id = user.userID
        var link = try await existingAddress(of: user)
        if link == nil { link = try await makeAddress(of: user) }
        guard let link else { return nil }
        // Only owners of channels, and people who test the relay, use the address of a relay.
        guard !bot.isRelay else { return link.connectionLink }
        let wanted = settings(of: bot.address)
        if link.addressSettings != wanted {
            _ = try await model.send(.address(.setSettings(user: id, wanted)), as: id)
        }
        if user.profile.contactLink == nil {
            _ = try await model.send(.address(.setInProfile(user: id, true)), as: id)
        }
        return link.connectionLink
    }

    private func existingAddress(of user: User) async throws(ChatCoreError) -> UserContactLink? {
        do throws(ChatCoreError) {
            guard case .userContactLink(_, let link) = try await model.send(.address(.show(user: user.userID)), as: user.userID) else {
                return nil
            }
            return link
        } catch {
            guard error.isAddressNotFound else { throw error }
            return nil
        }
    }

    private func makeAddress(of user: User) async throws -> UserContactLink {
        _ = try await model.send(.address(.create(user: user.userID)), as: user.userID)
        guard let link = try await existingAddress(of: user) else {
            throw ChatCoreError(.invalidResponse, "the core made an address and does not have it")
        }
        return link
    }

    private func settings(of address: BotAddress) -> AddressSettings {
        var accepts: AutoAccept?
        var isBusiness = false
        switch address {
        case .automatic: accepts = AutoAccept(acceptIncognito: false)
        case .business: (accepts, isBusiness) = (AutoAccept(acceptIncognito: false), true)
        case .manual, .none: break
        }
        return AddressSettings(
            isBusinessAddress: isBusiness, autoAccept: accepts, autoReply: address.welcome.map(MessageContent.text))
    }
}
