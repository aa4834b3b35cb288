import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPProtocol
import SMPWire

// Commands about links.

/// Commands that make connections, by links and invitations.
struct ConnectionCommands: CommandFeature {
    let runner: CommandRunner
}

extension CommandRunner {
    /// Commands that make connections.
    var connectionCommands: ConnectionCommands { ConnectionCommands(runner: self) }
}

extension ConnectionCommands {
    func run(_ command: ConnectionCommand) async throws(ChatCoreError) -> ChatResponse {
        switch command {
        case .add(let id, let incognito): try await addInvitation(user: id, incognito: incognito)
        case .plan(let id, let target, let mode, let signature): try await plan(target, user: id, resolving: mode, signature: signature)
        case .prepareContact(let id, let link, let data, let domain): try await prepareContact(link, data, user: id, domain: domain)
        case .prepareGroup(let id, let link, let isDirect, let data, let domain):
            try await prepareGroup(link, isDirect: isDirect, data, user: id, domain: domain)
        case .connect(let id, let incognito, let link): try await connect(link, user: id, incognito: incognito)
        case .connectLink(let incognito, let link): try await connectLink(link, incognito: incognito)
        case .connectSimplex: try await refuse("connecting to the developers")
        case .setIncognito(let id, let incognito): try await setIncognito(incognito, connection: id)
        case .changeUser(let id, let newUser): try await changeUser(connection: id, to: newUser)
        case .setAlias(let id, let alias):
            try await transaction { transaction in
                let user = try transaction.user()
                _ = try transaction.pendingConnections.find(id, of: user)
                try transaction.db.connections.update(id, alias: alias, at: transaction.now)
                return .connectionAliasUpdated(user: user, connection: try transaction.pendingConnections.find(id, of: user))
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
    /// - Parameter replacing: The link that it replaces, which is deleted.
    private func makeInvitation(
        user: User, incognito: Profile?, replacing old: ChatConnectionID?
    ) async throws(ChatCoreError) -> (User, PendingContactConnection) {
        let shared = user.sharedProfile(incognito: incognito, contactPreferences: nil, usesProfileTTL: true)
        let agentUser = try runner.agentUser(of: user)
        let data = try userData(ContactShortLinkData(profile: shared))
        let created = try await core.agent { agent throws(AgentError) in
            try await agent.createConnection(
                user: agentUser, mode: .invitation, linkData: .invitation(data), clientData: nil, pq: .supported, subscription: .subscribe)
        }
        let link = FullLink(created.link, short: created.shortLink)
        return try await core.leftovers.orDiscard(created.id) { () throws(ChatCoreError) in
            try await transaction { transaction in
                let user = try transaction.anyUser(user.userID)
                if let old { try transaction.pendingConnections.remove(old, of: try transaction.user()) }
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
                return (user, try transaction.pendingConnections.find(id, of: user))
            }
        }
    }

    private func setIncognito(_ incognito: Bool, connection id: ChatConnectionID) async throws(ChatCoreError) -> ChatResponse {
        let (user, connection) = try await query { transaction in
            let user = try transaction.user()
            return (user, try transaction.pendingConnections.find(id, of: user))
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
            let current = try transaction.pendingConnections.find(id, of: user)
            guard current.status == .new else { throw Refusal.chat(.connectionIncognitoChangeProhibited) }
            let profileID = try profile.map {
                try transaction.db.profiles.insert($0, user: user.userID, incognito: true, at: transaction.now)
            }
            try transaction.db.connections.update(id, incognitoProfile: profileID, at: transaction.now)
            if let old = current.customUserProfileID { try transaction.db.profiles.delete(old) }
            return .connectionIncognitoUpdated(
                user: user, connection: try transaction.pendingConnections.find(id, of: user), customUserProfile: profile)
        }
    }

    /// The link of another profile cannot be the same: the old one is deleted and a new one made.
    private func changeUser(connection id: ChatConnectionID, to newUserID: UserID) async throws(ChatCoreError) -> ChatResponse {
        let (user, connection, newUser) = try await query { transaction in
            let user = try transaction.user()
            let connection = try transaction.pendingConnections.find(id, of: user)
            guard connection.status == .new, connection.invitationLink != nil else {
                throw Refusal.chat(.connectionUserChangeProhibited)
            }
            return (user, connection, try transaction.anyUser(newUserID))
        }
        let (current, made) = try await makeInvitation(user: newUser, incognito: nil, replacing: id)
        return .connectionUserChanged(user: user, fromConnection: connection, toConnection: made, newUser: current)
    }

    func userData(_ data: ContactShortLinkData) throws(ChatCoreError) -> UserLinkData {
        guard let encoded = data.userData else {
            throw ChatCoreError(AgentError(.command(.large, context: "link data")))
        }
        return encoded
    }
}
