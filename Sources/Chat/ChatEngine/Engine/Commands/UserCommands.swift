import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import GRDB
import SMPAgent

// Commands about profiles.

/// Commands about profiles of this program.
struct UserCommands: CommandFeature {
    let runner: CommandRunner
}

extension CommandRunner {
    /// Commands about profiles.
    var userCommands: UserCommands { UserCommands(runner: self) }
}

extension UserCommands {
    func run(_ command: UserCommand) async throws(ChatCoreError) -> ChatResponse {
        switch command {
        case .create(let new): try await create(new)
        case .showActive: try await query { .activeUser(user: try $0.user()) }
        case .list: try await query { .usersList(users: try $0.users.infos()) }
        case .setActive(let id, let password): try await activate(password) { try $0.users.known(id) }
        case .setActiveNamed(let name, let password): try await activate(password) { try $0.users.known(named: name) }
        case .setAllReceipts(let enabled):
            try await transaction { transaction in
                _ = try transaction.user()
                try transaction.db.users.updateAllReceipts(enabled: enabled)
                return .cmdOk(user: nil)
            }
        case .setContactReceipts(let id, let settings):
            try await changeSetting(of: id) {
                try $0.users.updateContactReceipts(user: $1, enabled: settings.enable, clearOverrides: settings.clearOverrides)
            }
        case .setGroupReceipts(let id, let settings):
            try await changeSetting(of: id) {
                try $0.users.updateGroupReceipts(user: $1, enabled: settings.enable, clearOverrides: settings.clearOverrides)
            }
        case .setAutoAcceptMemberContacts(let id, let enabled):
            try await changeSetting(of: id) { try $0.users.updateAutoAcceptMemberContacts(user: $1, enabled: enabled) }
        case .hide(let id, let password): try await transaction { try $0.users.hide(id, password: password) }
        case .unhide(let id, let password): try await transaction { try $0.users.unhide(id, password: password) }
        case .mute(let id): try await transaction { try $0.users.setNotifications(ofUser: id, to: false) }
        case .unmute(let id): try await transaction { try $0.users.setNotifications(ofUser: id, to: true) }
        case .delete(let id, let deleteQueues, let password):
            try await transaction { try $0.users.delete(try $0.users.known(id), deleteQueues: deleteQueues, password: password) }
        case .deleteNamed(let name, let password):
            try await transaction { transaction in
                guard let user = try transaction.db.users.find(named: name) else {
                    throw Refusal.store(.userNotFoundByName(contactName: name))
                }
                return try transaction.users.delete(user, deleteQueues: true, password: password)
            }
        case .updateProfile(let id, let profile):
            try await transactionThatPublishes { try $0.users.updateProfile(of: try $0.user(id), to: profile) }
        case .setDomain(let id, let domain): try await runner.connectionCommands.setDomain(domain, user: id)
        case .showProfile:
            try await query {
                let user = try $0.user(); return .userProfile(user: user, profile: user.profile.published)
            }
        case .showProfileImage:
            try await query {
                let user = try $0.user(); return .userProfileImage(user: user, profile: user.profile.published)
            }
        case .renameProfile(let name, let description):
            try await changeProfile {
                $0.displayName = name; $0.shortDescription = description; $0.fullName = ""
            }
        case .updateProfileImage(let image): try await changeProfile { $0.image = image }
        case .setBotCommands(let commands):
            try await changeProfile { profile in
                profile.preferences = profile.preferences ?? ChatPreferences()
                profile.preferences?.commands = commands
                profile.peerType = .bot
            }
        case .setFeature(let feature, let allowed):
            try await changeProfile { profile in
                profile.preferences = profile.preferences ?? ChatPreferences()
                profile.preferences?.set(feature, allow: allowed)
            }
        case .setTimedMessages(let enabled):
            try await changeProfile { profile in
                profile.preferences = profile.preferences ?? ChatPreferences()
                profile.preferences?.setTimedMessages(enabled ? .yes : .no, ttl: nil)
            }
        case .setThemes(let id, let themes):
            try await transaction { transaction in
                let user = try transaction.anyUser(id)
                try transaction.db.users.update(id, uiThemes: themes)
                return .cmdOk(user: user)
            }
        case .markRead(let id):
            try await transaction { transaction in
                let user = try transaction.user(id)
                try transaction.chats.markAllRead(of: user)
                return .cmdOk(user: user)
            }
        case .setMessageTTL(let id, let seconds): try await setMessageTTL(seconds, user: id)
        case .messageTTL(let id):
            try await query { transaction in
                let user = try transaction.user(id)
                return .chatItemTTL(user: user, ttl: try transaction.db.users.itemTTL(user: user.userID) ?? 0)
            }
        }
    }

    /// Sets how long a profile's messages are kept, and deletes those that are older.
    private func setMessageTTL(_ seconds: Int64, user id: UserID?) async throws(ChatCoreError) -> ChatResponse {
        let user = try await transaction { transaction in
            let user = try transaction.user(id)
            try transaction.db.users.updateItemTTL(user: user.userID, seconds: seconds > 0 ? seconds : nil)
            return user
        }
        try await core.transactions.applyRetention(to: .user(user.userID))
        return .cmdOk(user: user)
    }

    private func create(_ new: NewUser) async throws(ChatCoreError) -> ChatResponse {
        let profile = new.profile ?? RandomProfile.make(core.random)
        try await query { try $0.users.checkNew(new, name: profile.displayName) }
        try await core.servers.apply()
        let configuration = core.configuration.drawingServers(using: core.random), servers = configuration.initialRouters
        let agentID = try await core.agent { agent throws(AgentError) in try await agent.createUser(servers: servers) }
        let presets = core.configuration.presetContacts
        return try await core.leftovers.orDiscard(.profile(.deleteUser(deleteQueues: true)), agentUser: agentID) { () throws(ChatCoreError) in
            try await transaction { transaction in
                // Somebody may have been faster.
                try transaction.users.checkNew(new, name: profile.displayName)
                let user = try transaction.users.add(new, profile: profile, agentID: agentID, presets: presets)
                try transaction.servers.offer(configuration, to: user.userID)
                return .activeUser(user: user)
            }
        }
    }

    private func activate(
        _ password: String?, _ find: @escaping @Sendable (ChatTransaction) throws -> User
    ) async throws(ChatCoreError) -> ChatResponse {
        guard core.isRunning else { throw ChatCoreError(Refusal.chat(.chatNotStarted).error) }
        return try await transaction { transaction in
            let user = try find(transaction)
            try transaction.users.check(password, of: user, asked: try? transaction.user())
            try transaction.db.users.activate(user.userID)
            return .activeUser(user: try transaction.anyUser(user.userID))
        }
    }

    /// Changes a setting of a profile that is not hidden; the answer shows the profile of the command.
    private func changeSetting(
        of id: UserID?, _ change: @escaping @Sendable (Database, UserID) throws -> Void
    ) async throws(ChatCoreError) -> ChatResponse {
        try await transaction { transaction in
            let user = try transaction.user()
            let target = try id.map { try transaction.users.known($0) } ?? user
            try transaction.users.check(nil, of: target, asked: user)
            try change(transaction.db, target.userID)
            return .cmdOk(user: try transaction.anyUser(user.userID))
        }
    }

    private func changeProfile(_ change: @escaping @Sendable (inout Profile) -> Void) async throws(ChatCoreError) -> ChatResponse {
        try await transactionThatPublishes { transaction in
            let user = try transaction.user()
            var profile = user.profile.published
            change(&profile)
            return try transaction.users.updateProfile(of: user, to: profile)
        }
    }
}
