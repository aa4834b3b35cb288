internal import EncryptedSQLite
internal import Foundation
internal import RouterSupport
internal import SMPServer
internal import SystemSupport

/// A backup of a whole data folder: a folder with the databases, the folders of the routers and the received files. A mark in each part says that it is
/// a copy, so that it is not taken for a part in use.
///
/// The folder gets its name when all of it is on disk; until then, the name ends with `.partial`.
struct FolderBackup {
    private let data: DataFolder
    private let key: DatabaseKey?
    /// The folder of the backup.
    let path: String
    private let id = FolderManifest.newID()

    private var partial: String { path + ".partial" }

    /// - Parameter target: the folder in which the backup's folder is created.
    init(of data: DataFolder, in target: String, key: DatabaseKey?, now: Date = Date()) {
        self.data = data
        self.key = key
        let stamp = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted).format(now)
        var path = target + "/" + data.baseName + "." + stamp
        var number = 2
        while FileManager.default.fileExists(atPath: path) {
            path = target + "/" + data.baseName + "." + stamp + "-\(number)"
            number += 1
        }
        self.path = path
    }

    /// Makes the backup of a folder that nobody uses.
    func make(_ manifest: FolderManifest) throws {
        try making(manifest) {
            let copies = try data.databases.copy(to: partial, key: key)
            for folder in [data.routerFolder, data.fileRouterFolder] {
                try FolderCopy.copy(folder, to: partial + "/" + FolderBackup.name(of: folder))
                FailPoint.backupCopied.pass()
            }
            return copies
        }
    }

    /// Makes the backup of a folder that this process uses.
    func make(
        _ manifest: FolderManifest, databases: [DatabaseFile], routers: @escaping @Sendable (_ message: String, _ file: String) throws -> Void
    ) async throws {
        let message = partial + "/" + Self.name(of: data.routerFolder), file = partial + "/" + Self.name(of: data.fileRouterFolder)
        let data = data
        try await making(manifest) {
            let copies = try await DatabaseFile.copy(databases, to: partial, key: key) {
                try routers(message, file)
            }
            for (folder, copy) in [(data.routerFolder, message), (data.fileRouterFolder, file)] {
                // The journal of a running router has already been copied.
                let hasJournal = FileManager.default.fileExists(atPath: copy + "/" + JournalExtent.fileName)
                try FolderCopy.copy(folder, to: copy) { hasJournal && $0.hasPrefix("journal") }
                FailPoint.backupCopied.pass()
            }
            return copies
        }
    }

    private static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    private func making(_ manifest: FolderManifest, _ copy: () throws -> [DatabaseSet.Member]) throws {
        try begin()
        do {
            try finish(manifest, try copy())
        } catch {
            try? FileManager.default.removeItem(atPath: partial)
            throw error
        }
    }

    private func making(_ manifest: FolderManifest, _ copy: () async throws -> [DatabaseSet.Member]) async throws {
        try begin()
        do {
            try finish(manifest, try await copy())
        } catch {
            try? FileManager.default.removeItem(atPath: partial)
            throw error
        }
    }

    private func begin() throws {
        do {
            try FileManager.default.createDirectory(atPath: partial, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StorageError(.unavailable, "the folder \(partial) cannot be created: \(error.localizedDescription)")
        }
    }

    private func finish(_ manifest: FolderManifest, _ copies: [DatabaseSet.Member]) throws {
        if let files = data.filesFolder { try FolderCopy.copy(files, to: partial + "/" + Self.name(of: files)) }
        var manifest = manifest
        manifest.isRaising = false
        manifest.previous = nil
        manifest.backup = id
        let copy = DataFolder(path: partial, like: data)
        for member in copies { if let part = FolderPart(rawValue: member.label) { manifest.add(part) } }
        for part in [FolderPart.router, .fileRouter] {
            // A part of an earlier version, or one unused since then: it gets the identity in the copy.
            if try copy.state(of: part, key: key).isPresent { manifest.add(part) } else { manifest.parts.removeAll { $0 == part } }
        }
        var mark = manifest.mark
        mark.backup = id
        for member in copies { try member.write(mark, key: key) }
        for part in manifest.parts where !part.isDatabase { try copy.write(mark, to: part, key: key) }
        FailPoint.backupFilled.pass()
        try SmallFile.write(manifest, to: copy.manifestPath)
        try FileManager.default.moveItem(atPath: partial, toPath: path)
        try WholeFile.synchronizeFolder(of: path)
    }
}
