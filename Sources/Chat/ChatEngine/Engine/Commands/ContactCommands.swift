import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPWire

// Commands about contacts.

/// Commands about contacts.
struct ContactCommands: CommandFeature {
    let runner: CommandRunner
}

extension CommandRunner {
    /// Commands about contacts.
    var contactCommands: ContactCommands { ContactCommands(runner: self) }
}

extension ContactCommands {
    func run(_ command: ContactCommand) async throws(ChatCoreError) -> ChatResponse {
        switch command {
        case .list(let id):
            try await query(isLong: true) { transaction in
                let user = try transaction.user(id)
                return .contactsList(user: user, contacts: try transaction.db.contacts.contacts(of: user).filter { $0.activeConnection != nil })
            }
        case .info(let id): try await info(id)
        case .queueInfo(let id): try await queueInfo(id)
        case .setPreferences(let id, let preferences): try await transaction { try $0.contacts.setPreferences(preferences, of: id) }
        case .setAlias(let id, let alias):
            try await transaction { transaction in
                let user = try transaction.user()
                let contact = try transaction.conversations.contact(id, of: user)
                try transaction.db.profiles.updateProfileAlias(contact.profile.profileID, alias: alias)
                return .contactAliasUpdated(user: user, contact: try transaction.conversations.contact(id, of: user))
            }
        case .setCustomData(let id, let data):
            try await transaction { transaction in
                let user = try transaction.user()
                _ = try transaction.conversations.contact(id, of: user)
                try transaction.db.contacts.update(id, customData: data)
                return .cmdOk(user: user)
            }
        case .switchQueue(let id):
            try await switchQueue(id)
        case .abortSwitch(let id):
            try await withAgent(id) { agent, connection throws(AgentError) in
                try await agent.abortSwitch(of: connection)
            } answer: {
                .contactSwitchAborted(user: $0, contact: $1, connectionStats: $2.api)
            }
        case .syncRatchet(let id, let force): try await syncRatchet(id, force: force)
        case .securityCode(let id): try await securityCode(id)
        case .verify(let id, let code): try await verify(id, code: code)
        case .verifyDomain(let id): try await runner.connectionCommands.verifyDomain(of: id)
        case .enable(let id):
            try await transaction { transaction in
                let user = try transaction.user()
                let contact = try transaction.conversations.contact(id, of: user)
                guard let connection = contact.activeConnection else { throw Refusal.chat(.contactNotActive(contact: contact)) }
                try transaction.db.connections.update(connection.connectionID, authErrors: 0, quotaErrors: connection.quotaErrorCounter)
                return .cmdOk(user: user)
            }
        case .changeUser(let id, let newUser): try await transaction { try $0.contacts.move(id, to: newUser) }
        case .connectPrepared(let id, let incognito, let message):
            try await runner.connectionCommands.connectPrepared(id, incognito: incognito, message: message)
        case .connectViaAddress(let user, let incognito, let id): try await runner.connectionCommands.connectViaAddress(id, user: user, incognito: incognito)
        case .inviteMemberContact(let id, let message): try await transaction { try $0.memberContacts.invite(id, message: message) }
        case .acceptMemberContact(let id): try await runner.connectionCommands.acceptMemberContact(id)
        }
    }

    /// A contact with a connection, for the profile of the command.
    private func connected(_ id: ContactID) async throws(ChatCoreError) -> (User, Contact, Connection, ConnectionID) {
        try await query { transaction in
            let user = try transaction.user()
            let contact = try transaction.conversations.contact(id, of: user)
            guard let connection = contact.activeConnection, let agentID = Base64URL.decode(connection.agentConnectionID) else {
                throw Refusal.chat(.contactNotActive(contact: contact))
            }
            return (user, contact, connection, ConnectionID(agentID))
        }
    }

    private func withAgent<T: Sendable>(
        _ id: ContactID, _ call: (any AgentService, ConnectionID) async throws(AgentError) -> T,
        answer: (User, Contact, T) -> ChatResponse
    ) async throws(ChatCoreError) -> ChatResponse {
        let (user, contact, _, agentID) = try await connected(id)
        let value = try await core.agent { agent throws(AgentError) in try await call(agent, agentID) }
        return answer(user, contact, value)
    }

    private func info(_ id: ContactID) async throws(ChatCoreError) -> ChatResponse {
        let (user, contact, incognito) = try await query { transaction in
            let user = try transaction.user()
            let contact = try transaction.conversations.contact(id, of: user)
            return (user, contact, try transaction.users.incognitoProfile(contact.activeConnection))
        }
        var stats: AgentConnectionStats?
        if let agentID = contact.activeConnection.flatMap({ Base64URL.decode($0.agentConnectionID) }) {
            stats = try await core.agent { agent throws(AgentError) in try await agent.stats(of: ConnectionID(agentID)) }
        }
        return .contactInfo(user: user, contact: contact, connectionStats: stats?.api, customUserProfile: incognito)
    }

    private func queueInfo(_ id: ContactID) async throws(ChatCoreError) -> ChatResponse {
        let (user, _, _, agentID) = try await connected(id)
        return .queueInfo(user: user, receivedMessage: nil, queueInfo: try await queueInfo(of: agentID))
    }

    /// The state of a connection's queue at its router.
    func queueInfo(of agentID: ConnectionID) async throws(ChatCoreError) -> JSONValue {
        try await core.agent { agent throws(AgentError) in try await agent.queueState(of: agentID) }.api
    }

    private func switchQueue(_ id: ContactID) async throws(ChatCoreError) -> ChatResponse {
        let (user, contact, _, agentID) = try await connected(id)
        let stats = try await core.agent { agent throws(AgentError) in try await agent.switchQueue(of: agentID) }
        // The steps are reported by the agent.
        return .contactSwitchStarted(user: user, contact: contact, connectionStats: stats.api)
    }

    private func syncRatchet(_ id: ContactID, force: Bool) async throws(ChatCoreError) -> ChatResponse {
        let (user, contact, connection, agentID) = try await connected(id)
        let stats = try await core.agent { agent throws(AgentError) in
            try await agent.synchronizeRatchet(of: agentID, pqSupport: connection.pqSupport, force: force)
        }
        try await transaction { transaction in
            var current = try transaction.conversations.contact(id, of: user)
            try transaction.items.addInternal(
                [.sentConnectionEvent(event: .ratchetSync(status: stats.ratchetSyncState.api, member: nil))], isSent: true, to: &current,
                of: user)
        }
        return .contactRatchetSyncStarted(user: user, contact: contact, connectionStats: stats.api)
    }

    // MARK: Security codes

    func code(_ connection: ConnectionID) async throws(ChatCoreError) -> SecurityCode {
        SecurityCode(hash: try await core.agent { agent throws(AgentError) in try await agent.ratchetHash(of: connection) })
    }

    private func securityCode(_ id: ContactID) async throws(ChatCoreError) -> ChatResponse {
        let (user, contact, connection, agentID) = try await connected(id)
        let code = try await code(agentID)
        guard let confirmed = connection.connectionCode, !code.matches(confirmed.securityCode) else {
            return .contactCode(user: user, contact: contact, connectionCode: code.text)
        }
        return try await transaction { transaction in
            try transaction.db.connections.update(connection.connectionID, securityCode: nil)
            return .contactCode(user: user, contact: try transaction.conversations.contact(id, of: user), connectionCode: code.text)
        }
    }

    private func verify(_ id: ContactID, code entered: String?) async throws(ChatCoreError) -> ChatResponse {
        let (user, _, connection, agentID) = try await connected(id)
        return try await verify(connection, agentID, code: entered, user: user)
    }

    /// Compares the security code of a connection; nil takes the confirmation back.
    func verify(
        _ connection: Connection, _ agentID: ConnectionID, code entered: String?, user: User
    ) async throws(ChatCoreError) -> ChatResponse {
        let code = try await code(agentID)
        let isVerified = entered.map(code.matches) ?? false
        if isVerified || entered == nil {
            try await transaction { transaction in
                let confirmed = isVerified ? ConfirmedSecurityCode(securityCode: code.text, verifiedAt: transaction.now) : nil
                try transaction.db.connections.update(connection.connectionID, securityCode: confirmed)
            }
        }
        return .connectionVerified(user: user, verified: isVerified, expectedCode: code.text)
    }
}
