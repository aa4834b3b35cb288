package import ChatProtocol

/// The answer of a process to a health check, the same for every command that has one.
package struct HealthReport: Sendable, Hashable {
    /// Something that is wrong, in a word that does not change.
    package enum Problem: String, Sendable, CaseIterable {
        case starting, stopping
        /// The core is not started: a command stopped it, or none has started it.
        case stopped
        /// There is no profile.
        case noProfile
        /// The disk fails.
        case storage
        /// Another copy of the folder receives what is sent to it.
        case anotherCopy
        /// The agent does not know half or more of the connections of a profile.
        case connections
        /// No router of the profiles' queues can be reached, so that nothing is received.
        case routers
        /// Channels without a relay. The process works all the same.
        case channels

        /// True if the process does not do its work.
        var isFailure: Bool { self != .channels }
    }

    package var problems: [Problem]
    package var version: String
    package var profiles: Int
    package var unreachableRouters: Int
    package var channelsWithoutRelay: Int

    package init(problems: [Problem] = [], version: String, profiles: Int = 0, unreachableRouters: Int = 0, channelsWithoutRelay: Int = 0) {
        self.problems = problems
        self.version = version
        self.profiles = profiles
        self.unreachableRouters = unreachableRouters
        self.channelsWithoutRelay = channelsWithoutRelay
        if channelsWithoutRelay > 0 { self.problems.append(.channels) }
    }

    /// True if the process does its work.
    package var isHealthy: Bool { !problems.contains(where: \.isFailure) }

    /// The answer in JSON.
    package var json: JSONValue {
        [
            "status": isHealthy ? "ok" : "unavailable", "problems": .array(problems.map { .string($0.rawValue) }), "version": .string(version),
            "profiles": .int(profiles), "unreachableRouters": .int(unreachableRouters), "channelsWithoutRelay": .int(channelsWithoutRelay),
        ]
    }
}

extension HostHealth {
    /// The problems of the data folder.
    package var problems: [HealthReport.Problem] {
        HealthReport.Problem.folder(isStorageFailing: isStorageFailing, isTakenOver: isTakenOver, hasLostConnections: hasLostConnections)
    }
}

extension HealthReport.Problem {
    /// The problems of a data folder.
    package static func folder(isStorageFailing: Bool, isTakenOver: Bool, hasLostConnections: Bool) -> [Self] {
        (isStorageFailing ? [.storage] : []) + (isTakenOver ? [.anotherCopy] : []) + (hasLostConnections ? [.connections] : [])
    }
}
