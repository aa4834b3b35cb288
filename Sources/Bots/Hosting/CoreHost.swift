public import ChatAPI
package import ChatEngine
internal import ChatRules
package import EncryptedSQLite
internal import Foundation
package import Logging
package import SMPClient
internal import SMPProtocol
internal import SMPServer
internal import SMPWire
internal import XFTPServer

/// A chat core of this process on a data folder, with a router in the same process if no other routers are named.
///
/// The folder holds `parley_chat.db` and `parley_agent.db` (the core), `bots.db` (the state of the bots) and `router/`. One
/// process at a time can use it.
public final class CoreHost: Sendable {
    /// The core, open and not started yet.
    public let core: any ChatCore
    /// The routers for new queues, without their passwords.
    public let servers: [String]
    /// The file routers for uploads, without their passwords.
    public let fileServers: [String]
    package let data: DataFolder
    package var dataFolder: String { data.path }
    /// The key of the folder's databases; nil for unencrypted databases.
    package let key: DatabaseKey?
    package let logger: Logger
    package let native: NativeCore
    private let identity: FolderIdentity
    private let router: SMPRouter?
    private let fileRouter: FileRouter?
    /// The folder of files of chats; nil where commands name it.
    package let filesFolder: String?
    /// True if received files are encrypted on the disk.
    package let encryptsFiles: Bool
    /// True if a router runs inside this process: contacts reach its profiles only while the process runs.
    package var runsRouter: Bool { router != nil }
    /// The messages that wait in the router inside this process.
    package var waitingMessages: Int { router?.statistics.messages ?? 0 }
    /// The messages that recipients have acknowledged at the router inside this process so far.
    package var takenMessages: Int { router.map { Int($0.statistics.counters.messagesAcknowledged) } ?? 0 }
    /// True while a router inside this process accepts nothing because the disk fails.
    package var isRouterStorageFailing: Bool { router?.isStorageFailing == true || fileRouter?.isStorageFailing == true }
    /// Counts the messages of any kind that no router has yet, and those that relays still have to deliver.
    package func unfinishedMessages() async throws -> Int { try await native.unfinishedMessages() }
    /// Removes expired messages.
    package func removeExpiredMessages() async throws { try await native.removeExpiredMessages() }
    /// Performs a request of an operator of the profile that relays for others.
    ///
    /// - Returns: nil if no profile relays.
    package func relayReport(_ operation: RelayOperation) async throws -> RelayReport? {
        try await RelayOperator.report(operation, native, isDraining: isRelayDraining)
    }

    /// True if the configuration drains the relay.
    private let isRelayDraining: Bool
    private let lock: FolderLock

    private init(
        native: NativeCore, identity: FolderIdentity, router: SMPRouter?, fileRouter: FileRouter?, servers: [String], fileServers: [String],
        filesFolder: String?,
        encryptsFiles: Bool, data: DataFolder, key: DatabaseKey?, isRelayDraining: Bool, lock: FolderLock, logger: Logger
    ) {
        self.isRelayDraining = isRelayDraining
        self.lock = lock
        self.logger = logger
        self.key = key
        core = native
        self.native = native
        self.identity = identity
        self.router = router
        self.fileRouter = fileRouter
        self.servers = servers
        self.fileServers = fileServers
        self.filesFolder = filesFolder
        self.encryptsFiles = encryptsFiles
        self.data = data
    }

    /// Opens the data folder, creates it if necessary, and starts a router if none is named.
    ///
    /// - Throws: ``HostError`` for an invalid server address, a port in use, an unreadable key, or a folder that another process uses or whose
    ///   parts do not belong together; `StorageError` for databases that cannot be used, or that the key does not open.
    public static func open(_ configuration: HostConfiguration) async throws -> CoreHost { try await open(configuration, network: nil) }

    /// - Parameter network: the connections to routers; nil: the core makes its own.
    package static func open(_ configuration: HostConfiguration, network: (any SMPRouting)?) async throws -> CoreHost {
        try await open(configuration, health: HostHealth()) { setup in
            try network.map { try NativeCore.open(setup, network: $0) } ?? NativeCore.open(setup)
        }
    }

    /// - Parameter openCore: opens the core with the complete configuration.
    package static func open(
        _ configuration: HostConfiguration, openCore: (NativeCoreConfiguration) throws -> NativeCore
    ) async throws -> CoreHost { try await open(configuration, health: HostHealth(), openCore: openCore) }

    package static func open(
        _ configuration: HostConfiguration, health: HostHealth, openCore: (NativeCoreConfiguration) throws -> NativeCore = { try NativeCore.open($0) }
    ) async throws -> CoreHost {
        let usesPresets = configuration.network.usesPresetOperators
        try configuration.requireOneNetwork()
        let data = configuration.data, folder = data.path
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw HostError(.dataFolder, "cannot create the data folder \(folder): \(FileFault.text(error)). Name another one with --data or PARLEY_DATA")
        }
        var servers = try configuration.servers.map(Self.address)
        let key = try configuration.databaseKey?.load()
        let encryptsFiles = configuration.encryptsFiles ?? (key != nil)
        let lock = try data.lock()
        var fileServers = try configuration.fileServers.map(Self.fileAddress)
        var router: SMPRouter?
        var fileRouter: FileRouter?
        do {
            try FolderRestore.recover(data)
            let identity = try FolderIdentity.open(data, key: key)
            try await identity.raise()
            let isRestored = await identity.mustSynchronize, restoredAt = await identity.restoredAt
            if servers.isEmpty, !usesPresets {
                let started = try await EmbeddedRouter.start(configuration.router, folder: data.routerFolder, logger: configuration.logger)
                servers = [started.address]
                router = started.router
                if fileServers.isEmpty {
                    let started = try await EmbeddedRouter.startForFiles(configuration.router, folder: data.fileRouterFolder, logger: configuration.logger)
                    fileServers = [started.address]
                    fileRouter = started.router
                }
            }
            var setup = NativeCoreConfiguration(
                prefix: data.corePrefix, servers: servers, presetContacts: configuration.presetContacts, logger: configuration.logger)
            setup.network = configuration.network.options
            setup.diskHealth = health.note
            setup.key = key
            setup.fileServers = fileServers.map(\.wireString)
            setup.filesFolder = try Self.makeFilesFolder(data)
            setup.companions = data.companions
            setup.takesCommandsBeforeStart = configuration.takesCommandsBeforeStart
            setup.refusesPostsWithoutRelay = configuration.refusesPostsWithoutRelay
            setup.relayPolicy = configuration.relay.policy
            setup.joinPace = configuration.joins.pace
            setup.synchronizesConnections = configuration.synchronizesConnections || restoredAt != nil
            setup.onTakeover = health.noteTakeover
            if usesPresets { setup.operators = PresetOperator.publicNetwork }
            let native = try openCore(setup)
            do {
                if isRestored {
                    try await synchronize(native, isCopy: await identity.isCopy, configuration.logger)
                } else if await identity.hasUnsteadyInodes {
                    configuration.logger.warning(
                        "the file system gives the files of the data folder other numbers at each start: a copy of the folder is not noticed. Mark copies with parley db mark-copy",
                        metadata: ["path": "\(data.path)", "code": "folder.unsteadyInodes"])
                }
                try await identity.establish(native.databases)
                try await lookForLostConnections(native, health, configuration.logger)
                if encryptsFiles { _ = try await native.send(.core(.setEncryptLocalFiles(true)), as: nil) }
                if usesPresets { try await PresetConditions.settle(native, accepts: configuration.network.acceptsConditions) }
            } catch {
                await native.close()
                throw error
            }
            return CoreHost(
                native: native, identity: identity, router: router, fileRouter: fileRouter,
                servers: servers.map(\.server.wireString), fileServers: fileServers.map(\.server.wireString), filesFolder: data.filesFolder,
                encryptsFiles: encryptsFiles, data: data,
                key: key, isRelayDraining: configuration.relay.isDraining, lock: lock,
                logger: configuration.logger)
        } catch {
            await fileRouter?.stop()
            await router?.stop()
            lock.release()
            throw error
        }
    }

    /// Marks the encryption of all connections as out of step, so that they agree on new keys before anything is sent.
    private static func synchronize(_ native: NativeCore, isCopy: Bool, _ logger: Logger) async throws {
        let count = try await native.putAllOutOfStep()
        if isCopy {
            logger.warning(
                "the folder is a copy of another data folder: its connections agree on new keys before anything is sent. Do not run both",
                metadata: ["connections": "\(count)", "code": "folder.copied"])
        } else {
            logger.notice(
                "the folder comes from a backup: its connections agree on new keys before anything is sent",
                metadata: ["connections": "\(count)", "code": "folder.restored"])
        }
    }

    /// Logs the profiles with connections that the agent does not know: these neither send nor receive.
    private static func lookForLostConnections(_ native: NativeCore, _ health: HostHealth, _ logger: Logger) async throws {
        let lost = try await native.profilesWithoutConnections()
        for (user, missing, count) in lost {
            logger.error(
                "connections of a profile are unknown to the agent: nothing is sent or received in them. Restore the folder from a backup, or have the contacts connect again",
                metadata: ["user": "\(user)", "missing": "\(missing)", "connections": "\(count)", "code": "connections.missing"])
        }
        health.noteLostConnections(lost.contains { $0.missing * 2 >= $0.of })
    }

    /// The identity of the folder.
    var manifest: FolderManifest { get async { await identity.current } }

    /// Copies the journals of the routers inside this process.
    @Sendable func copyRouters(message: String, file: String) throws {
        try router?.copyJournal(to: message)
        try fileRouter?.copyJournal(to: file)
    }

    /// Writes the folder's identity to the database of the bots.
    package func establish(_ bots: DatabaseFile) async throws { try await identity.establish([FolderPart.bots.rawValue: bots]) }

    private static func makeFilesFolder(_ data: DataFolder) throws(HostError) -> String? {
        guard let folder = data.filesFolder else { return nil }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw HostError(.dataFolder, "cannot create the folder \(folder): \(FileFault.text(error))")
        }
        return folder
    }

    /// Opens a data folder for the time of `body`.
    public static func with<Result: Sendable>(
        _ configuration: HostConfiguration, _ body: @Sendable (CoreHost) async throws -> Result
    ) async throws -> Result {
        try await with(configuration, health: HostHealth(), body)
    }

    /// - Parameter health: gets what becomes known about the folder.
    package static func with<Result: Sendable>(
        _ configuration: HostConfiguration, health: HostHealth, _ body: @Sendable (CoreHost) async throws -> Result
    ) async throws -> Result {
        let host = try await open(configuration, health: health)
        do {
            let result = try await body(host)
            await host.close()
            return result
        } catch {
            await host.close()
            throw error
        }
    }

    /// Stops the core, then the routers, and releases the folder. No accepted data is lost.
    public func close() async {
        await native.close()
        await fileRouter?.stop()
        await router?.stop()
        lock.release()
    }

    static func fileAddress(_ text: String) throws(HostError) -> XFTPServerWithAuth {
        let address: XFTPServerWithAuth
        do throws(WireError) {
            address = try XFTPServerWithAuth(wireString: text)
        } catch {
            throw HostError(
                .serverAddress,
                "\"\(text)\" is not a file router's address, from character \(error.offset + 1) on. One looks like xftp://fingerprint@host:port; a file router prints its own when it starts"
            )
        }
        try requireFingerprint(address.server.keyHash, in: text)
        return address
    }

    /// Refuses a fingerprint of the wrong length, which would otherwise fail only when the router is reached.
    private static func requireFingerprint(_ hash: KeyHash, in text: String) throws(HostError) {
        guard hash.bytes.count == 32 else {
            throw HostError(
                .serverAddress,
                "the fingerprint of \"\(text)\" has \(hash.bytes.count) bytes, and a router's has 32: copy the whole address, which a router prints when it starts"
            )
        }
    }

    static func address(_ text: String) throws(HostError) -> SMPServerWithAuth {
        let address: SMPServerWithAuth
        do throws(WireError) {
            address = try SMPServerWithAuth(wireString: text)
        } catch {
            throw HostError(
                .serverAddress,
                "\"\(text)\" is not a router's address, from character \(error.offset + 1) on. One looks like smp://fingerprint@host:port; a router prints its own when it starts"
            )
        }
        try requireFingerprint(address.server.keyHash, in: text)
        return address
    }
}
