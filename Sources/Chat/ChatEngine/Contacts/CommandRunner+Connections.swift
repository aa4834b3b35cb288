import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPProtocol
import SMPWire

// Commands about links.

extension CommandRunner {
    func run(_ command: ConnectionCommand) async throws(ChatCoreError) -> ChatResponse {
        switch command {
        case .add(let id, let incognito): try await addInvitation(user: id, incognito: incognito)
        case .plan(let id, let link, let resolvesKnown, let signature):
            try await plan(link, user: id, resolvesKnown: resolvesKnown, signature: signature)
        case .prepareContact(let id, let link, let data): try await transaction { try $0.prepareContact(link, data, user: id) }
        case .prepareGroup(let id, let link, let isDirect, let data):
            try await transaction { try $0.prepareGroup(link, isDirect: isDirect, data, user: id) }
        case .connect(let id, let incognito, let link): try await connect(link, user: id, incognito: incognito)
        case .connectLink(let incognito, let link): try await connectLink(link, incognito: incognito)
        case .connectSimplex: try await refuse("connecting to the developers")
        case .setIncognito(let id, let incognito): try await setIncognito(incognito, connection: id)
        case .changeUser(let id, let newUser): try await changeUser(connection: id, to: newUser)
        case .setAlias(let id, let alias):
            try await transaction { transaction in
                let user = try transaction.user()
                _ = try transaction.pendingConnection(id, of: user)
                try transaction.db.connections.update(id, alias: alias, at: transaction.now)
                return .connectionAliasUpdated(user: user, connection: try transaction.pendingConnection(id, of: user))
            }
        }
    }

    // MARK: One-time links

    private func addInvitation(user id: UserID?, incognito: Bool) async throws(ChatCoreError) -> ChatResponse {
        let user = try await query { try $0.user(id) }
        let profile = incognito ? RandomProfile.make(core.random) : nil
        let (user2, connection) = try await makeInvitation(user: user, incognito: profile, replacing: nil)
        guard let link = connection.invitationLink else { throw ChatCoreError(Refusal.chat(.invalidConnectionRequest).error) }
        return .invitation(user: user2, connectionLink: link, connection: connection)
    }

    /// Makes a one-time link with the profile behind it.
    ///
    /// - Parameter replacing: A link that it stands for, which is deleted.
    private func makeInvitation(
        user: User, incognito: Profile?, replacing old: ChatConnectionID?
    ) async throws(ChatCoreError) -> (User, PendingContactConnection) {
        let shared = user.sharedProfile(incognito: incognito, contactPreferences: nil, usesProfileTTL: true)
        let agentUser = try agentUser(of: user)
        let data = try userData(ContactShortLinkData(profile: shared))
        let created = try await core.agent { agent throws(AgentError) in
            try await agent.createConnection(
                user: agentUser, mode: .invitation, linkData: .invitation(data), clientData: nil, pq: .supported, subscription: .subscribe)
        }
        let link = FullLink(created.link, short: created.shortLink)
        return try await core.leftovers.orDiscard(created.id) { () throws(ChatCoreError) in
            try await transaction { transaction in
                let user = try transaction.anyUser(user.userID)
                if let old { try transaction.removeConnection(old, of: try transaction.user()) }
                var record = NewConnectionRecord(
                    userID: user.userID, agentConnectionID: created.id.bytes, status: .new, chatVersion: ChatVersions.initial.max)
                record.isInitiated = true
                record.linkKey = link.key
                record.fullLink = link.created.fullLink
                record.shortLink = link.created.shortLink
                record.incognitoProfileID = try incognito.map {
                    try transaction.db.profiles.insert($0, user: user.userID, incognito: true, at: transaction.now)
                }
                let id = try transaction.db.connections.insert(record, at: transaction.now)
                return (user, try transaction.pendingConnection(id, of: user))
            }
        }
    }

    private func setIncognito(_ incognito: Bool, connection id: ChatConnectionID) async throws(ChatCoreError) -> ChatResponse {
        let (user, connection) = try await query { transaction in
            let user = try transaction.user()
            return (user, try transaction.pendingConnection(id, of: user))
        }
        guard connection.status == .new, (connection.customUserProfileID == nil) == incognito,
            let agentID = Base64URL.decode(connection.agentConnectionID)
        else { throw ChatCoreError(Refusal.chat(.connectionIncognitoChangeProhibited).error) }
        let profile = incognito ? RandomProfile.make(core.random) : nil
        if connection.invitationLink?.shortLink != nil {
            let shared = user.sharedProfile(incognito: profile, contactPreferences: nil, usesProfileTTL: true)
            let data = try userData(ContactShortLinkData(profile: shared))
            _ = try await core.agent { agent throws(AgentError) in
                try await agent.setShortLink(ConnectionID(agentID), linkData: .invitation(data), clientData: nil)
            }
        }
        return try await transaction { transaction in
            let current = try transaction.pendingConnection(id, of: user)
            guard current.status == .new else { throw Refusal.chat(.connectionIncognitoChangeProhibited) }
            let profileID = try profile.map {
                try transaction.db.profiles.insert($0, user: user.userID, incognito: true, at: transaction.now)
            }
            try transaction.db.connections.update(id, incognitoProfile: profileID, at: transaction.now)
            if let old = current.customUserProfileID { try transaction.db.profiles.delete(old) }
            return .connectionIncognitoUpdated(
                user: user, connection: try transaction.pendingConnection(id, of: user), customUserProfile: profile)
        }
    }

    /// The link of another profile cannot be the same: the old one is deleted and a new one made.
    private func changeUser(connection id: ChatConnectionID, to newUserID: UserID) async throws(ChatCoreError) -> ChatResponse {
        let (user, connection, newUser) = try await query { transaction in
            let user = try transaction.user()
            let connection = try transaction.pendingConnection(id, of: user)
            guard connection.status == .new, connection.invitationLink != nil else {
                throw Refusal.chat(.connectionUserChangeProhibited)
            }
            return (user, connection, try transaction.anyUser(newUserID))
        }
        let (current, made) = try await makeInvitation(user: newUser, incognito: nil, replacing: id)
        return .connectionUserChanged(user: user, fromConnection: connection, toConnection: made, newUser: current)
    }

    // MARK: Help

    func agentUser(of user: User) throws(ChatCoreError) -> AgentUserID {
        guard let id = Int64(user.agentUserID) else { throw ChatCoreError(AgentError(.noUser)) }
        return id
    }

    func userData(_ data: ContactShortLinkData) throws(ChatCoreError) -> UserLinkData {
        guard let encoded = data.userData else {
            throw ChatCoreError(AgentError(.command(.large, context: "link data")))
        }
        return encoded
    }
}

extension ChatCoreError {
    /// An error of the agent for the caller of a command.
    init(_ fault: AgentError) {
        self.init(.agent(error: fault.api, agentConnectionID: "", entity: nil), isTemporary: fault.isTemporary)
    }
}

extension ChatTransaction {
    func pendingConnection(_ id: ChatConnectionID, of user: User) throws -> PendingContactConnection {
        guard let connection = try db.connections.pendingConnection(id, user: user.userID) else {
            throw Refusal.store(.pendingConnectionNotFound(connectionID: id))
        }
        return connection
    }

    /// Deletes a connection that has no contact, here and in the agent.
    func removeConnection(_ id: ChatConnectionID, of user: User) throws {
        guard let record = try db.connections.find(id) else { throw Refusal.store(.pendingConnectionNotFound(connectionID: id)) }
        try enqueue(.delete(connections: [record.agentConnectionID], after: []), user: user)
        try db.connections.delete(id)
    }

    /// Makes a contact from a link, before anybody is connected.
    func prepareContact(_ link: CreatedConnectionLink, _ data: ContactShortLinkData, user id: UserID) throws -> ChatResponse {
        let user = try user(id)
        let full = try FullLink(link)
        if full.kind == .contact, data.business { return try prepareBusinessChat(link, data, of: user) }
        var new = NewContactRecord(profile: data.profile)
        new.preparedLink = full.created
        new.preparedLinkType = full.kind
        new.welcomeSharedMessageID = data.message == nil ? nil : newSharedMessageID()
        new.userPreferences = user.preferences(forNewContact: data.profile)
        let contactID = try db.contacts.insert(new, user: user.userID, at: now)
        var contact = try contact(contactID, of: user)
        try addOpening(to: &contact, pqEnabled: full.offersPostQuantum, of: user)
        var items: [ChatItem] = []
        if let message = data.message {
            var draft = ItemDraft(.receivedMessage(content: message), isSent: false)
            draft.sharedMessageID = new.welcomeSharedMessageID
            var item = try addItem(draft, to: &contact, of: user)
            // Official cores show the id only when the item is read again.
            item.meta.sharedMessageID = nil
            items = [item]
        }
        contact = try self.contact(contactID, of: user)
        let stats = items.first.map { ChatStats(unreadCount: 1, minUnreadItemID: $0.meta.itemID) } ?? ChatStats()
        return .newPreparedChat(user: user, chat: Chat(chatInfo: .direct(contact: contact), chatItems: items, chatStats: stats))
    }
}

extension User {
    /// The preferences for a new contact: both sides that let messages disappear agree on the longer time.
    func preferences(forNewContact profile: Profile) -> ChatPreferences {
        let own = fullPreferences.timedMessages
        guard let offered = profile.preferences?.timedMessages, own.allow != .no, offered.allow != .no,
            let ttl = [own.ttl, offered.ttl].compactMap({ $0 }).max()
        else { return ChatPreferences() }
        return ChatPreferences(timedMessages: TimedMessagesPreference(allow: own.allow, ttl: ttl))
    }
}
