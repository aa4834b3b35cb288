import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import Foundation
import SMPAgent

// Commands about the core itself.

/// Commands about the core.
struct CoreCommands: CommandFeature {
    let runner: CommandRunner
}

extension CommandRunner {
    /// Commands about the core.
    var coreCommands: CoreCommands { CoreCommands(runner: self) }
}

extension CoreCommands {
    /// The version that this core reports: that of the official core whose API it has.
    static let version = "6.5.0.19"

    static let agentVersion = "6.5.0.17"

    /// The maximum time in microseconds for which suspending waits for messages that are being sent: ten minutes, also if a command asks for more.
    static let longestSuspension: Int64 = 600_000_000

    func run(_ command: CoreCommand) async throws(ChatCoreError) -> ChatResponse {
        switch command {
        case .start(let isMain, let sendsFiles):
            try core.checkStoreUnchanged()
            _ = try await query { try $0.user() }
            return try await core.start(isMain: isMain, sendsFiles: sendsFiles) ? .chatStarted : .chatRunning
        case .checkRunning: return core.isRunning ? .chatRunning : .chatStopped
        case .stop:
            core.lifecycle.refuseCommands()
            await core.stop()
            return .chatStopped
        case .activate:
            _ = try await query { try $0.user() }
            await core.activate()
            return .cmdOk(user: nil)
        case .suspend(let microseconds):
            await core.agent.suspend(timeout: .microseconds(min(max(microseconds, 0), Self.longestSuspension)))
            return .cmdOk(user: nil)
        case .connectionsDifference(let showsIDs):
            let difference = try await core.agentDifference()
            return .connectionsDiff(
                showIDs: showsIDs, userIDs: difference.userReport, connectionIDs: difference.connectionReport)
        case .resubscribeAll:
            let agent = core.agent
            Task { await agent.subscribeAll() }
            return .cmdOk(user: nil)
        case .setTemporaryFolder(let path):
            try makeFolders([path])
            core.folders.temporary = path
            return .cmdOk(user: nil)
        case .setFilesFolder(let path):
            try makeFolders([path])
            core.folders.files = path
            return .cmdOk(user: nil)
        case .setRemoteHostsFolder(let path):
            try makeFolders([path])
            return .cmdOk(user: nil)
        case .setFilePaths(let paths):
            try makeFolders([paths.filesFolder, paths.temporaryFolder, paths.assetsFolder] + (paths.remoteHostsFolder.map { [$0] } ?? []))
            (core.folders.files, core.folders.temporary) = (paths.filesFolder, paths.temporaryFolder)
            return .cmdOk(user: nil)
        case .setEncryptLocalFiles(let isOn):
            core.folders.encryptsFiles = isOn
            return .cmdOk(user: nil)
        case .setContactMerge(let isOn):
            return try await transaction { transaction in
                try transaction.db.settings.setMergesContacts(isOn)
                return .cmdOk(user: nil)
            }
        case .saveAppSettings(let settings):
            try await transaction { try $0.db.settings.set(settings, setting: "app") }
            return .cmdOk(user: nil)
        case .appSettings(let defaults):
            let stored = try await query { try $0.db.settings.value("app") }
            return .appSettings(appSettings: AppSettings.combined(stored: stored, given: defaults))
        case .version:
            return .versionInfo(
                versionInfo: CoreVersionInfo(version: Self.version, simplexmqVersion: Self.agentVersion, simplexmqCommit: ""),
                chatMigrations: ChatStoreMigrations.names.map { DatabaseMigration(name: $0, hasDown: false) },
                agentMigrations: SMPAgent.migrationNames.map { DatabaseMigration(name: $0, hasDown: false) })
        case .custom: throw try await refusal("not supported")
        case .debugLocks:
            let held = core.locks.heldKeys.sorted().map { ($0, JSONValue.string("held")) }
            // The agent has its connections' work done in turn, without locks that could be held.
            return .debugLocks(
                chatLockName: nil, chatEntityLocks: .object(JSONObject(held)), agentLocks: ["connLocks": [:], "invLocks": [:]])
        case .subscriptionsTotal(let id): return try await subscriptionsTotal(user: id)
        case .serversSummary(let id): return try await serversSummary(user: id)
        case .subscriptions(let showsDetails): return try await subscriptions(showsDetails: showsDetails)
        case .resetServersStatistics:
            await core.agent.resetServerStatistics()
            core.files.service.resetServerStatistics()
            return .cmdOk(user: nil)
        case .quarantine(let command): return try await run(command)
        case .quit, .workers, .queues: return try await refuse("this command")
        }
    }

    /// Makes folders for files, as official cores do when they are named.
    private func makeFolders(_ paths: [String]) throws(ChatCoreError) {
        for path in paths {
            do {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw ChatCoreError(Refusal.command("cannot make the folder \(path): \(error.localizedDescription)").error)
            }
        }
    }

    private func refusal(_ message: String) async throws(ChatCoreError) -> ChatCoreError {
        _ = try await query { try $0.user() }
        return ChatCoreError(Refusal.command(message).error)
    }
}
