internal import ChatAPI
internal import ChatEngine
package import ChatProtocol
internal import Foundation

/// A request of an operator to the profile of a data folder that relays for others.
package enum RelayOperation: String, Sendable, CaseIterable {
    /// Reports the work of the relay.
    case status = "relay"
    /// Stops taking new channels and subscribers, also after a restart.
    case drain = "relay.drain"
    /// Takes new channels and subscribers again.
    case resume = "relay.resume"
}

package enum RelayOperator {
    /// The answer of a process in which no profile relays.
    static let noRelay: JSONValue = ["relaying": .bool(false)]

    /// Performs a request in the process that runs bots on a folder or, if none does, on its databases.
    ///
    /// - Returns: The report of the relay after that; nil if no profile relays. `isRunning` is false if no process runs the bots.
    /// - Throws: ``HostError`` `dataFolder` if there is no such folder or nothing in it, `dataFolderInUse` if another process uses it and does not answer at
    ///   its socket.
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

    /// - Returns: nil if no profile relays.
    static func report(_ operation: RelayOperation, _ core: NativeCore, isDraining: Bool) async throws -> RelayReport? {
        switch operation {
        case .status: break
        case .drain: guard try await core.setRelayDrained(true) else { return nil }
        case .resume: guard try await core.setRelayDrained(false) else { return nil }
        }
        let now = UTCTimestamp(seconds: Int64(Date().timeIntervalSince1970))
        return try await core.relayStatistics().map { RelayReport($0, isDraining: isDraining || $0.isDrained, at: now) }
    }
}
