internal import ArgumentParser
internal import ChatAPI
internal import EncryptedSQLite
internal import Hosting

/// Options of `simplex-chat` 6.5 in its spelling and meaning, so that a script runs with the program exchanged.
struct ClientOptions: ParsableArguments {
    @Option(name: [.customShort("d"), .customLong("database")], help: "The databases by their prefix: PREFIX_chat.db and PREFIX_agent.db.")
    var database: String?

    @Option(
        name: [.customShort("k"), .customLong("key")],
        help: "The key of the databases. Every program on this machine can read it there: --key-file and $PARLEY_KEY_FILE are better.")
    var key: String?

    @Option(
        name: .customLong("xftp-server"),
        help: "A file router as xftp://fingerprint@host:port; several separated by spaces.")
    var xftpServer: [String] = []

    @Option(name: .customLong("files-folder"), help: "The folder for files, created if necessary.")
    var filesFolder: String?

    @Option(name: .customLong("temp-folder"), help: "The folder for temporary files, created if necessary.")
    var temporaryFolder: String?

    @Flag(name: [.customShort("m"), .customLong("maintenance")], help: "Do not start the core: the command /_start does.")
    var maintenance = false

    @Flag(name: [.customShort("y"), .customLong("yes-migrate")], help: "Nothing more: databases of older versions are always brought up to date.")
    var yesMigrate = false

    @Flag(
        name: .customLong("relay"),
        help: "Work as a chat relay: the profile made by /create chat relay user is the active one, and gets an address if it has none.")
    var relay = false

    @Option(help: "The channels that a relay serves at a time. [default: any number]")
    var relayChannels: Int?

    @Option(help: "The members that a channel may have at this relay. [default: any number]")
    var relayMembers: Int?

    @Option(help: "Serve only this channel (publicGroupId) or owner (memberPubKey); repeat it for several. [default: all]")
    var relayAllow: [String] = []

    @Option(help: "Do not serve this channel or owner; repeat it for several.")
    var relayDeny: [String] = []

    @Flag(help: "Take no new channels and no new subscribers as a relay.")
    var relayDrain = false

    func validate() throws {
        if database != nil, databases == nil {
            throw ValidationError("-d \(database ?? "") names no files: it is the beginning of their names, such as data/bot")
        }
        for server in fileServers where !server.hasPrefix("xftp://") {
            throw ValidationError("--xftp-server: \"\(server)\" is not xftp://fingerprint@host:port")
        }
        if let key, !key.isEmpty { _ = try DatabaseKey(key) }
        let isLimited = relayChannels != nil || relayMembers != nil || !relayAllow.isEmpty || !relayDeny.isEmpty || relayDrain
        if isLimited, !relay {
            throw ValidationError(
                "--relay-channels, --relay-members, --relay-allow, --relay-deny and --relay-drain are limits of a relay: add --relay, or leave them out")
        }
        for (option, names) in [("--relay-allow", relayAllow), ("--relay-deny", relayDeny)] {
            for name in names where HostRelay.comparable(name) == nil {
                throw ValidationError(
                    "\(option): \"\(name)\" is neither the publicGroupId of a channel nor the memberPubKey of an owner; /groups and parley relay status --json show them"
                )
            }
        }
        guard (relayChannels ?? 1) > 0, (relayMembers ?? 1) > 0 else { throw ValidationError("--relay-channels and --relay-members are at least 1") }
    }

    var databases: DataFolder? { database.flatMap { DataFolder(databasePrefix: $0) } }

    /// The key; an empty key means no key, as with `simplex-chat`.
    var keySource: DatabaseKeySource? {
        get throws { try key.flatMap { $0.isEmpty ? nil : DatabaseKeySource.key(try DatabaseKey($0)) } }
    }

    var fileServers: [String] { xftpServer.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) } }

    /// The limits of the relay.
    var relayLimits: HostRelay {
        var policy = HostRelay()
        (policy.maximumChannels, policy.maximumMembers) = (relayChannels, relayMembers)
        (policy.allowed, policy.denied, policy.isDraining) = (
            Set(relayAllow.compactMap(HostRelay.comparable)), Set(relayDeny.compactMap(HostRelay.comparable)), relayDrain
        )
        return policy
    }

    /// The API commands that are equivalent to the options.
    var commands: [ChatCommand] {
        [filesFolder.map { .core(.setFilesFolder($0)) }, temporaryFolder.map { .core(.setTemporaryFolder($0)) }].compactMap(\.self)
    }
}
