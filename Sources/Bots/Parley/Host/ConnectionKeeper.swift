internal import ChatAPI
internal import ChatModel
internal import ChatProtocol
internal import Logging

/// Connects bots with the people, groups and channels that they name, and tries again those that cannot be reached.
struct ConnectionKeeper: Sendable {
    /// The waits before a connection is tried again; the last one repeats.
    private static let waits: [Duration] = [.seconds(5), .seconds(30), .seconds(120), .seconds(600)]

    let model: ChatModel
    let bots: [(bot: Bot, identity: BotIdentity)]
    let time: BotTime
    let clock: any Clock<Duration>
    let monitor: HostMonitor
    let logger: Logger

    /// Tries each connection until it has begun.
    func run() async {
        await withDiscardingTaskGroup { group in
            for (bot, identity) in bots {
                for target in bot.connections { group.addTask { await keep(target, of: bot.id, identity.userID) } }
            }
        }
    }

    private func keep(_ target: String, of bot: String, _ user: UserID) async {
        // A link is a secret; a name is not.
        let shown = ConnectionTargetText.kind(of: target) == .name ? target : "a link"
        var attempt = 0
        while true {
            do {
                if try await connect(by: target, as: user) { logger.notice("connecting", metadata: ["bot": "\(bot)", "to": "\(shown)"]) }
                return
            } catch {
                let code = ErrorCode.of(error) ?? "connection"
                monitor.noteFailure(of: bot, code, at: "connect", time: time.now())
                logger.error(
                    "a connection of a bot is not made yet and is tried again",
                    metadata: ["bot": "\(bot)", "to": "\(shown)", "code": "\(code)", "error": "\(error)"])
            }
            do { try await clock.sleep(for: Self.waits[min(attempt, Self.waits.count - 1)]) } catch { return }
            attempt += 1
        }
    }

    /// Connects, unless that has begun before.
    ///
    /// - Returns: True if it begins now.
    private func connect(by target: String, as user: UserID) async throws(ChatCoreError) -> Bool {
        guard case .connectionPlan(_, let link, _, _, let plan) = try await model.send(.connections(.plan(user: user, link: target)), as: user) else {
            throw ChatCoreError(.invalidResponse, "the core did not show the plan for a link")
        }
        guard plan.isNew, try await !hasEnded(link, plan, of: user) else { return false }
        _ = try await model.connect(by: target, as: user)
        return true
    }

    /// True for a group that the profile has left or was removed from, and a contact that is gone: bots do not come back to those who do not want them.
    private func hasEnded(_ link: CreatedConnectionLink, _ plan: ConnectionPlan, of user: UserID) async throws(ChatCoreError) -> Bool {
        switch plan {
        case .groupLink(.ok):
            guard case .groupsList(_, let groups) = try await model.send(.groups(.list(user: user)), as: user) else { return false }
            return groups.contains { $0.viaGroupLinkURI == link.fullLink || $0.preparedGroup?.connectionLink.fullLink == link.fullLink }
        case .contactAddress(.ok):
            guard case .contactsList(_, let contacts) = try await model.send(.contacts(.list(user: user)), as: user) else { return false }
            return contacts.contains { $0.preparedContact?.connectionLink.fullLink == link.fullLink }
        default: return false
        }
    }
}

extension ConnectionPlan {
    /// True if nobody has connected by the link yet, or the attempt has reached nobody.
    fileprivate var isNew: Bool {
        switch self {
        case .invitationLink(.ok), .contactAddress(.ok), .contactAddress(.contactViaAddress), .groupLink(.ok), .error: true
        case .groupLink(.noRelays), .groupLink(.updateRequired): true
        case .contactAddress(.known(let contact)): contact.activeConnection == nil
        case .groupLink(.known(let group, _, _, _)): group.preparedGroup.map { !$0.preparedConnection } ?? false
        default: false
        }
    }
}
