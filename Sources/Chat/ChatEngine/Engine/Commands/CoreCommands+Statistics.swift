import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPProtocol
import SMPWire

// Commands about the counters of the agent, and about its subscriptions.

extension CoreCommands {
    func serversSummary(user id: UserID) async throws(ChatCoreError) -> ChatResponse {
        let (user, hidden, known, knownForFiles) = try await query { transaction in
            let user = try transaction.user(id)
            let hidden = try transaction.db.users.users().filter { $0.viewPasswordHash != nil }.compactMap { Int64($0.agentUserID) }
            let servers = try transaction.servers.servers(of: user).smpServers.compactMap { try? SMPServerWithAuth(wireString: $0.server).server }
            let fileServers = try transaction.servers.servers(of: user).xftpServers.compactMap { try? XFTPServerWithAuth(wireString: $0.server).server }
            return (user, Set(hidden), Set(servers), Set(fileServers))
        }
        let files = await core.files.service.serversSummary()
        let report = ServersReport(
            await core.agent.serversSummary(), files: files, user: try runner.agentUser(of: user), hidden: hidden, known: known, knownForFiles: knownForFiles)
        return .agentServersSummary(user: user, summary: report.json)
    }

    func subscriptionsTotal(user id: UserID) async throws(ChatCoreError) -> ChatResponse {
        let (user, counted) = try await query { transaction in
            let user = try transaction.user(id)
            // Hidden profiles do not show, but to themselves.
            let counted = try transaction.db.users.users().filter { $0.viewPasswordHash == nil || $0.userID == user.userID }
            return (user, Set(counted.compactMap { Int64($0.agentUserID) }))
        }
        let total = await core.agent.subscriptionTotal(of: counted)
        return .agentSubsTotal(user: user, subscriptions: ServersReport.json(total.subscriptions), hasSession: total.isConnected)
    }

    func subscriptions(showsDetails: Bool) async throws(ChatCoreError) -> ChatResponse {
        let all = core.agent.subscriptions()
        func list(_ isListed: (AgentSubscriptionStatus) -> Bool) -> [QueueSubscriptionStatus] { all.filter { isListed($0.status) } }
        let lists = (active: list(\.isActive), pending: list(\.isPending), removed: list { !$0.isActive && !$0.isPending })
        if showsDetails {
            func details(_ list: [QueueSubscriptionStatus]) -> JSONValue {
                .array(list.sorted { ($0.server.wireString, $0.queue.description) < ($1.server.wireString, $1.queue.description) }.map(\.json))
            }
            return .agentSubsDetails(subscriptions: [
                "activeSubscriptions": details(lists.active), "pendingSubscriptions": details(lists.pending), "removedSubscriptions": details(lists.removed),
            ])
        }
        func byServer(_ list: [QueueSubscriptionStatus], _ value: ([QueueSubscriptionStatus]) -> JSONValue) -> JSONValue {
            .object(JSONObject(Dictionary(grouping: list, by: \.server).map { ($0.wireString, value($1)) }.sorted { $0.0 < $1.0 }))
        }
        func counts(_ list: [QueueSubscriptionStatus]) -> JSONValue { byServer(list) { .int(Int64($0.count)) } }
        let errors = byServer(lists.removed) { .array($0.compactMap(\.status.error).sorted().map { .string($0) }) }
        return .agentSubs(active: counts(lists.active), pending: counts(lists.pending), removed: errors)
    }
}

extension AgentSubscriptionStatus {
    fileprivate var isActive: Bool { self == .active }
    fileprivate var isPending: Bool { self == .pending }

    /// Why there is no subscription.
    fileprivate var error: String? {
        if case .removed(let error) = self { error } else { nil }
    }
}

extension QueueSubscriptionStatus {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "userId": .int(user), "server": .string(server.wireString), "rcvId": .string(Base64URL.encode(queue.bytes)),
        ]
        if let error = status.error { object["subError"] = .string(error) }
        return .object(object)
    }
}
