import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import Logging
import SMPAgent
import SMPWire
import Synchronization

/// Stores the servers and operators that profiles use.
struct Servers: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Servers and operators that profiles use.
    var servers: Servers { Servers(transaction: self) }
}

extension Servers {
    func servers(of user: User) throws -> UserServerSet {
        try db.servers.servers(ofUser: user.userID, operators: try db.operators.operatorConditions(at: now).serverOperators)
    }

    func validation(of servers: [UserOperatorServers], user: User) throws -> UserServersValidation {
        for server in servers.flatMap({ $0.smpServers + $0.xftpServers }) where RouterHosts.parse(server.server) == nil {
            throw Refusal.command("not the address of a server: \(server.server)")
        }
        let others = try db.users.users().filter { $0.userID != user.userID }
        return UserServersValidation(servers, others: try others.map { ($0, try self.servers(of: $0).byOperator) })
    }

    func set(_ servers: [UserOperatorServers], user: User) throws -> ChatResponse {
        if let fault = try validation(of: servers, user: user).fault { throw Refusal.command(fault) }
        try db.servers.setServers(servers, user: user.userID)
        try enqueue(.profile(.setServers), user: user)
        return .cmdOk(user: nil)
    }

    func setOperators(_ operators: [ServerOperator]) throws -> ChatResponse {
        try db.operators.update(operators)
        for user in try db.users.users() { try enqueue(.profile(.setServers), user: user) }
        return .serverOperatorConditions(conditions: try db.operators.operatorConditions(at: now))
    }

    /// Operators with other roles.
    func operators(with roles: [ServerOperatorRoles]) throws -> [ServerOperator] {
        let known = try db.operators.stored()
        return try roles.map { roles in
            guard var one = known.first(where: { $0.operatorID == roles.operatorID }) else {
                throw Refusal.store(.operatorNotFound(operatorID: roles.operatorID))
            }
            (one.enabled, one.smpRoles, one.xftpRoles) = (roles.enabled, roles.smpRoles, roles.xftpRoles)
            return one
        }
    }

    /// Operators and conditions as the core is set up with, and servers of profiles for which nobody has chosen any.
    ///
    /// - Returns: the profiles whose servers are not as they were, by the agent's ids.
    func configure(_ configuration: NativeCoreConfiguration) throws -> [AgentUserID] {
        try db.operators.insertConditions(commit: configuration.conditions.commit, at: now)
        try db.operators.delete(except: configuration.operators.map(\.tag))
        for preset in configuration.operators { try db.operators.upsert(preset) }
        try acceptOverdueConditions()
        var changed: [AgentUserID] = []
        for user in try db.users.users() {
            guard try offer(configuration.drawingServers(using: random), to: user.userID) else { continue }
            try enqueue(.profile(.setServers), user: user)
            if let agentUser = Int64(user.agentUserID) { changed.append(agentUser) }
        }
        return changed
    }

    /// Conditions whose time for objections is over count as accepted, as they say themselves.
    private func acceptOverdueConditions() throws {
        let state = try db.operators.operatorConditions(at: now)
        let overdue = state.serverOperators.filter { one in
            if case .required(let deadline?) = one.conditionsAcceptance { deadline < now } else { false }
        }
        try db.operators.acceptConditions(
            state.currentConditions.conditionsID, operators: overdue.compactMap(\.operatorID), automatically: true, at: now)
    }

    /// Gives a profile the servers that the core is set up with: all of its operators', and, if nobody has chosen any for it, the others.
    ///
    /// - Returns: whether that changed anything.
    @discardableResult
    func offer(_ configuration: NativeCoreConfiguration, to user: UserID) throws -> Bool {
        let known = try db.servers.servers(ofUser: user, operators: [])
        let isChosen = try db.servers.hasChosenServers(user: user)
        let smp = configuration.operators.flatMap(\.smpServers), xftp = configuration.operators.flatMap(\.xftpServers)
        var isChanged = try offer(smp, .smp, to: user, known: known.smpServers.filter(\.isPreset), isPreset: true, isChosen: isChosen)
        isChanged = try offer(xftp, .xftp, to: user, known: known.xftpServers.filter(\.isPreset), isPreset: true, isChosen: isChosen) || isChanged
        try offer(configuration.operators.flatMap(\.chatRelays), to: user, known: known.chatRelays)
        guard !isChosen else { return isChanged }
        let own = configuration.servers.map { PresetOperator.Server($0.wireString) }
        let files = configuration.fileServers.map { PresetOperator.Server($0) }
        isChanged = try offer(own, .smp, to: user, known: known.smpServers.filter { !$0.isPreset }, isPreset: false) || isChanged
        return try offer(files, .xftp, to: user, known: known.xftpServers.filter { !$0.isPreset }, isPreset: false) || isChanged
    }

    /// Gives a profile the relays that operators have now, and takes those that they do not have any more. Whether one is used stays as it was chosen.
    private func offer(_ relays: [UserChatRelay], to user: UserID, known: [UserChatRelay]) throws {
        for gone in known where gone.preset && !relays.contains(where: { $0.address == gone.address }) {
            if let id = gone.chatRelayID { try db.servers.deletePresetRelay(id, user: user) }
        }
        for relay in relays where !known.contains(where: { $0.address == relay.address }) {
            var new = relay
            new.chatRelayID = nil
            try db.servers.set(new, user: user)
        }
    }

    private func offer(
        _ servers: [PresetOperator.Server], _ kind: ServerProtocol, to user: UserID, known: [UserServer], isPreset: Bool, isChosen: Bool = false
    ) throws -> Bool {
        let gone = known.filter { server in !servers.contains { $0.address == server.server } }
        for server in gone { if let id = server.serverID { try db.servers.delete(id, user: user) } }
        let new = servers.filter { server in !known.contains { $0.server == server.address } }
        for server in new {
            try db.servers.insert(server.address, kind, user: user, isPreset: isPreset, isEnabled: server.isEnabled, isChosen: isChosen)
        }
        return !gone.isEmpty || !new.isEmpty
    }
}
