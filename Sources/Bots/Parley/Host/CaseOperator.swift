package import ChatAPI
package import ChatProtocol
internal import Foundation

/// The cases of the groups of a data folder, for those who run its bots.
package enum CaseOperator {
    /// The name of the request for the list at the local socket.
    static let listRequest = "cases"
    /// The name of the request that takes a case back; its argument is the JSON of an ``Undo``.
    static let undoRequest = "cases.undo"

    /// A request to take a case back.
    struct Undo: Codable, Sendable, Hashable {
        var user: Int64
        var group: Int64
        var number: Int
    }

    /// The cases of all groups, the newest first: by the process that runs bots on a folder or, if none does, from its databases.
    ///
    /// - Returns: objects with `user`, `bot`, `group`, `groupName`, `number`, `action`, `member`, `name`, `rule`, `reason`, `by`, `time`, `end`, `undoneBy`,
    ///   `unconfirmed` and `text`. Times are in seconds since 1970.
    /// - Throws: ``HostError`` `dataFolder` if there is no such folder or nothing in it, `dataFolderInUse` if another process uses it and does not answer at
    ///   its socket.
    package static func list(_ configuration: HostConfiguration) async throws -> [JSONValue] {
        do {
            return try await StoredFolder.withStoppedCore(configuration) { core -> [JSONValue] in
                let store = try BotStateStore(
                    path: configuration.data.path + "/bots.db", key: try configuration.databaseKey?.load(), logger: configuration.logger)
                let listed: [JSONValue]
                do {
                    listed = try await list(store, core)
                } catch {
                    try? await store.close()
                    throw error
                }
                try await store.close()
                return listed
            }
        } catch let error as HostError where error.code == .dataFolderInUse {
            guard let running = await RunningHost.connect(configuration.data) else { throw error }
            do {
                let answer = try await running.report(listRequest)
                await running.close()
                return answer.arrayValue ?? []
            } catch {
                await running.close()
                throw error
            }
        }
    }

    /// Takes the action of a case back, in the process that runs the bots.
    ///
    /// - Returns: a sentence about the case.
    /// - Throws: ``CaseOperatorError`` `notRunning` if no bots run on the folder; `ChatCoreError` with the code `moderation.…` for a case that is not taken back.
    package static func undo(_ number: Int, in group: GroupID, of user: UserID, _ configuration: HostConfiguration) async throws -> String {
        guard let running = await RunningHost.connect(configuration.data) else {
            // The folder's own error comes first: there may be none.
            try await StoredFolder.withStoppedCore(configuration) { _ in }
            throw CaseOperatorError.notRunning
        }
        do {
            let argument = try JSONEncoder().encode(Undo(user: user.rawValue, group: group.rawValue, number: number))
            let answer = try await running.report(undoRequest, argument: String(decoding: argument, as: UTF8.self))
            await running.close()
            return answer["said"]?.stringValue ?? ""
        } catch {
            await running.close()
            throw error
        }
    }

    /// The cases in a store, with the names that a core has for their groups.
    static func list(_ store: BotStateStore, _ core: any ChatCore) async throws -> [JSONValue] {
        var listed: [(time: Double, number: Int, json: JSONValue)] = []
        for (user, bot, group, record) in try await store.moderationRecords() {
            let name = await groupName(group, of: user, core)
            for entry in record.cases { listed.append((entry.time, entry.number, entry.json(user: user, bot: bot, group: group, groupName: name))) }
        }
        return listed.sorted { ($0.time, $0.number) > ($1.time, $1.number) }.map(\.json)
    }

    /// The name of a group; empty for one that is gone.
    private static func groupName(_ group: GroupID, of user: UserID, _ core: any ChatCore) async -> String {
        guard case .groupInfo(_, let found)? = try? await core.send(.groups(.info(group)), as: user) else { return "" }
        return found.groupProfile.displayName
    }
}

/// The reason why a case cannot be taken back from outside.
package enum CaseOperatorError: Error, Equatable {
    /// No bots run on the data folder.
    case notRunning
}

extension ModerationCase {
    fileprivate func json(user: UserID, bot: String, group: GroupID, groupName: String) -> JSONValue {
        var object = JSONObjectWriter()
        object["user"] = Int(user.rawValue)
        object["bot"] = bot
        object["group"] = Int(group.rawValue)
        object["groupName"] = groupName
        object["number"] = number
        object["action"] = action
        object["member"] = member.map { Int($0) }
        object["name"] = name
        object["rule"] = rule
        object["reason"] = reason
        object["by"] = actor
        object["time"] = Int(time)
        object["end"] = expires.map { Int($0) }
        object["undoneBy"] = undoneBy
        if isUnconfirmed { object["unconfirmed"] = true }
        object["text"] = evidence
        return object.json
    }
}

extension HostSession {
    /// Takes a case back for the one who runs the bots.
    func undoCase(_ request: CaseOperator.Undo) async throws(ChatCoreError) -> JSONValue {
        let user = UserID(request.user), group = GroupID(request.group)
        guard let (client, undo) = caseUndo(of: user), let found = await client.groups.group(group) else {
            throw ChatCoreError(.init(rawValue: ModerationError.Code.noCase.rawValue), "there is no group \(request.group)")
        }
        do {
            if let undo { return ["said": .string(try await undo(client, found, request.number))] }
            let undone = try await found.undoCase(request.number, by: "operator")
            return ["said": .string("Case \(undone.number) is undone: \(undone.action) \(undone.name).")]
        } catch let error as ChatCoreError {
            throw error
        } catch {
            throw ChatCoreError(.init(rawValue: ErrorCode.of(error) ?? "handler"), (error as? ModerationError)?.message ?? "\(error)")
        }
    }
}
