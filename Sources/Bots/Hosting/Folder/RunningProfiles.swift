public import ChatAPI
internal import Foundation

/// The profiles of a process that runs bots on a data folder, in a file for other processes, which cannot open the folder while that process lives.
public struct RunningProfiles: Sendable, Codable, Hashable {
    /// One bot.
    public struct Profile: Sendable, Codable, Hashable {
        /// The name of the profile.
        public let name: String
        /// The profile's database id.
        public let userID: UserID
        /// The full address; nil for a bot without one.
        public let address: String?
        /// The short address; nil for a bot without one.
        public let shortAddress: String?

        package init(name: String, userID: UserID, address: String?, shortAddress: String?) {
            (self.name, self.userID, self.address, self.shortAddress) = (name, userID, address, shortAddress)
        }
    }

    /// The profiles of the bots.
    public let profiles: [Profile]
    private let processID: Int32

    package init(_ profiles: [Profile], processID: Int32 = getpid()) {
        self.profiles = profiles
        self.processID = processID
    }

    /// Reads the profiles of the process that runs bots on the folder now.
    ///
    /// - Returns: nil if there is no such process, or its bots cannot be reached yet.
    public static func read(dataFolder: String) -> RunningProfiles? {
        guard let data = FileManager.default.contents(atPath: path(dataFolder)),
            // For the system, zero and negative numbers mean groups of processes.
            let known = try? JSONDecoder().decode(RunningProfiles.self, from: data), known.processID > 0, kill(known.processID, 0) == 0 || errno == EPERM
        else { return nil }
        return known
    }

    /// Writes the profiles into the folder. Only the owner of the process can read them.
    package func write(dataFolder: String) throws {
        let new = Self.path(dataFolder) + ".new"
        guard FileManager.default.createFile(atPath: new, contents: try JSONEncoder().encode(self), attributes: [.posixPermissions: 0o600]) else {
            throw HostError(.dataFolder, "cannot write \(new)")
        }
        guard rename(new, Self.path(dataFolder)) == 0 else { throw HostError(.dataFolder, "cannot write \(Self.path(dataFolder))") }
    }

    package static func remove(dataFolder: String) { unlink(path(dataFolder)) }

    private static func path(_ dataFolder: String) -> String { dataFolder + "/running.json" }
}
