package import ChatAPI
package import ChatEngine
package import ChatProtocol
internal import ChatRules
internal import Foundation

/// A request of an operator to the profile of a data folder that relays for others.
package enum RelayOperation: String, Sendable, CaseIterable {
    /// Reports the work of the relay.
    case status = "relay"
    /// Refuses new channels and subscribers, also after a restart.
    case drain = "relay.drain"
    /// Accepts new channels and subscribers again.
    case resume = "relay.resume"
}

/// The reason why a relay did not leave a channel.
package enum RelayOperatorError: Error, Equatable {
    /// No profile of the data folder relays for others.
    case noRelay
    /// No process runs bots on the data folder, which could deliver the waiting messages.
    case notRunning
    /// The relay serves no channel of this number.
    case unknownChannel(GroupID)
    /// The relay has left no channel of this number.
    case notLeft(GroupID)
}

package enum RelayOperator {
    /// The answer of a process in which no profile relays.
    package static let noRelay: JSONValue = ["relaying": .bool(false)]

    /// Performs a request in the process that runs bots on a folder or, if there is none, on the folder's databases.
    ///
    /// - Returns: The report of the relay after that; nil if no profile relays. `isRunning` is false if no process runs the bots.
    /// - Throws: ``HostError`` `dataFolder` if the folder is missing or empty, `dataFolderInUse` if another process uses it and does not answer at its
    ///   socket.
    package static func perform(_ operation: RelayOperation, _ configuration: HostConfiguration) async throws -> (report: JSONValue?, isRunning: Bool) {
        do {
            let stored = try await StoredFolder.withStoppedCore(configuration) { core -> JSONValue? in
                try await report(operation, core, isDraining: configuration.relay.isDraining)?.json
            }
            return (stored, false)
        } catch let error as HostError where error.code == .dataFolderInUse {
            guard let running = await RunningHost.connect(configuration.data) else { throw error }
            do {
                let answer = try await running.report(operation.rawValue)
                await running.close()
                // A nil literal would be JSON's null.
                return (answer == noRelay ? Optional.none : answer, true)
            } catch {
                await running.close()
                throw error
            }
        }
    }

    /// Ends the service for a channel: the relay delivers what it has accepted, announces that it leaves, and deletes the connections of the channel.
    ///
    /// - Parameter channel: The number of the channel in the report.
    /// - Returns: The name of the channel.
    /// - Throws: ``RelayOperatorError``; `ChatCoreError` if the core refuses; ``HostError`` as ``perform(_:_:)``.
    package static func leave(_ channel: GroupID, _ configuration: HostConfiguration) async throws -> String {
        guard let running = await RunningHost.connect(configuration.data) else {
            // An error of the folder takes precedence: the folder may be missing.
            try await StoredFolder.withStoppedCore(configuration) { _ in }
            throw RelayOperatorError.notRunning
        }
        do {
            let name = try await leave(channel, running.core)
            await running.close()
            return name
        } catch {
            await running.close()
            throw error
        }
    }

    /// Accepts invitations to a channel again that the relay has left.
    ///
    /// - Parameter channel: The number of the channel in the report.
    /// - Returns: The name of the channel.
    /// - Throws: ``RelayOperatorError``; `ChatCoreError` if the core refuses; ``HostError`` as ``perform(_:_:)``.
    package static func allow(_ channel: GroupID, _ configuration: HostConfiguration) async throws -> String {
        guard let running = await RunningHost.connect(configuration.data) else {
            return try await StoredFolder.withStoppedCore(configuration) { core in try await allow(channel, core) }
        }
        do {
            let name = try await allow(channel, running.core)
            await running.close()
            return name
        } catch {
            await running.close()
            throw error
        }
    }

    private static func allow(_ channel: GroupID, _ core: any ChatCore) async throws -> String {
        let (relay, group) = try await find(channel, core)
        guard let group, group.relayOwnStatus == .rejected else { throw RelayOperatorError.notLeft(channel) }
        _ = try await core.send(.groups(.allowRelay(channel)), as: relay.userID)
        return group.groupProfile.displayName
    }

    private static func leave(_ channel: GroupID, _ core: any ChatCore) async throws -> String {
        let (relay, group) = try await find(channel, core)
        guard let group, group.membership.status.isCurrent else { throw RelayOperatorError.unknownChannel(channel) }
        _ = try await core.send(.groups(.leave(channel)), as: relay.userID)
        return group.groupProfile.displayName
    }

    /// The profile that relays, and a channel that it serves or has served.
    private static func find(_ channel: GroupID, _ core: any ChatCore) async throws -> (User, GroupInfo?) {
        guard case .usersList(let users) = try await core.send(.users(.list), as: nil), let relay = users.map(\.user).first(where: \.isChatRelay) else {
            throw RelayOperatorError.noRelay
        }
        do {
            guard case .groupInfo(_, let group) = try await core.send(.groups(.info(channel)), as: relay.userID), group.membership.role == .relay else {
                return (relay, nil)
            }
            return (relay, group)
        } catch {
            guard error.isMissingChat else { throw error }
            return (relay, nil)
        }
    }

    /// - Returns: nil if no profile relays.
    package static func report(_ operation: RelayOperation, _ core: NativeCore, isDraining: Bool) async throws -> RelayReport? {
        switch operation {
        case .status: break
        case .drain: guard try await core.setRelayDrained(true) else { return nil }
        case .resume: guard try await core.setRelayDrained(false) else { return nil }
        }
        let now = UTCTimestamp(seconds: Int64(Date().timeIntervalSince1970))
        return try await core.relayStatistics().map { RelayReport($0, isDraining: isDraining || $0.isDrained, at: now) }
    }
}
