package import ChatProtocol
package import ChatRules
package import EncryptedSQLite
package import Logging
package import SMPAgent
package import SMPClient
package import SMPProtocol

/// The settings of a ``NativeCore``.
package struct NativeCoreConfiguration: Sendable {
    /// The path of the databases: `<prefix>_chat.db`, `<prefix>_agent.db` and the lock `<prefix>.lock`; nil keeps everything in memory.
    package var prefix: String?
    /// Opens encrypted databases, or makes new ones encrypted; nil for plain ones.
    package var key: DatabaseKey?
    /// Databases of others next to the core's, under the same key: a command that changes the key changes theirs, too. They must not be
    /// open then.
    package var companions: [DatabaseSet.Member] = []
    /// The routers on which profiles make their queues until somebody chooses others for them; without preset operators there must be one.
    package var servers: [SMPServerWithAuth]
    /// File routers (`xftp://…`) that profiles begin with.
    package var fileServers: [String] = []
    /// The folder that paths of files are relative to, and in which received files are kept; nil for none: paths are then complete, and received files
    /// are kept in the folder for downloads of the system's user.
    package var filesFolder: String?
    /// The folder for received files if there is neither of those; nil for that of the system.
    package var temporaryFolder: String?
    /// Operators whose servers profiles use besides.
    package var operators: [PresetOperator] = []
    /// On what conditions they let them be used.
    package var conditions = ConditionsDocument.version6_5
    /// The channels and subscribers that a profile takes that relays for others.
    package var relayPolicy = RelayPolicy()
    /// The number of messages that joins of strangers by the link of a group may make this core send.
    package var joinPace = JoinPace()
    /// Told when the disk under a database begins to fail, and when it works again.
    package var diskHealth: @Sendable (DiskHealthChange) -> Void = { _ in }
    /// The settings of the network that commands do not change.
    package var network = NetworkOptions()
    /// Contacts that a new profile begins with, each with the address in its profile; none by default.
    package var presetContacts: [Profile]
    /// True if a core that has not been started takes all commands, so that bots are set up before they run: their messages wait in the store. Official
    /// cores refuse most commands until they are started.
    package var takesCommandsBeforeStart = true
    /// True if the core refuses posts of an owner while no relay of the channel can forward them. Official cores accept such posts, and nobody receives them.
    package var refusesPostsWithoutRelay = false
    /// True if sessions with routers are reported as `hostConnected` and `hostDisconnected`.
    package var reportsHosts = false
    /// The time for which delivered messages are remembered for their receipts, in seconds.
    package var receiptPeriod: Int64 = 21 * 86_400
    /// The retention of the idempotency keys of commands, in seconds.
    package var commandKeyPeriod: Int64 = 30 * 86_400
    /// The settings of the agent.
    package var agent = AgentConfiguration()
    /// The settings of the network, for cores with connections of their own.
    package var client = SMPClientConfiguration()
    /// Where the core logs; texts of messages, keys and links only at `debug` and below.
    package var logger: Logger

    package init(
        prefix: String?, servers: [SMPServerWithAuth], presetContacts: [Profile] = [], logger: Logger = Logger(label: "chat.engine")
    ) {
        self.prefix = prefix
        self.servers = servers
        self.presetContacts = presetContacts
        self.logger = logger
    }
}

extension NativeCoreConfiguration {
    /// True if connections whose ratchets are out of step agree on new keys without being asked. Messages for them wait then.
    package var synchronizesConnections: Bool {
        get { agent.synchronizesRatchets }
        set { agent.synchronizesRatchets = newValue }
    }

    /// Called when another copy of the databases has taken over the connections (true), and when this one has them again (false).
    package var onTakeover: @Sendable (Bool) -> Void {
        get { agent.onTakeover }
        set { agent.onTakeover = newValue }
    }

    /// The folder for transfers that are under way; nil for a core in memory.
    package var transfersFolder: String? { prefix.map { $0 + "_transfers" } }

    /// The databases that share the core's key; nil for a core in memory.
    package var databases: DatabaseSet? {
        guard let prefix else { return nil }
        let slash = prefix.lastIndex(of: "/")
        let folder = slash.map { $0 == prefix.startIndex ? "/" : String(prefix[..<$0]) } ?? "."
        let name = slash.map { String(prefix[prefix.index(after: $0)...]) } ?? prefix
        return DatabaseSet(
            folder: folder, name: name,
            members: [.init(label: "chat", path: prefix + "_chat.db"), .init(label: "agent", path: prefix + "_agent.db")] + companions)
    }
}
