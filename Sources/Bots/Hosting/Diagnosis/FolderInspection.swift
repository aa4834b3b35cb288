internal import ChatStore
internal import EncryptedSQLite
internal import Foundation
internal import SystemSupport

/// The state of a data folder as it can be read beside a process that uses the folder: no lock is taken, and nothing is written.
package struct FolderInspection: Sendable, Equatable {
    /// A database of the folder.
    package struct Database: Sendable, Equatable {
        /// The name in reports, such as `chat`.
        package var label: String
        package var path: String
        /// The bytes of the file and its write-ahead log.
        package var bytes: Int
        package var isEncrypted: Bool
        /// The permissions, as of `chmod`.
        package var mode: UInt32

        package init(label: String, path: String, bytes: Int, isEncrypted: Bool, mode: UInt32) {
            (self.label, self.path, self.bytes, self.isEncrypted, self.mode) = (label, path, bytes, isEncrypted, mode)
        }
    }

    /// A sign that the folder is a copy of another one.
    package enum CopySign: Sendable, Equatable {
        /// The files were created at another time than their identity says.
        case newFiles
        /// The numbers of the files differ. Some file systems change them at each start.
        case otherInodes
    }

    package var path: String
    /// True if the folder exists.
    package var exists = false
    /// The user who owns the folder, or would own it if it were created: the owner of the nearest existing folder above it.
    package var owner: UInt32 = 0
    /// The permissions of the folder.
    package var mode: UInt32 = 0
    /// True if this process can create files in the folder, or create the folder.
    package var isWritable = false
    /// The process that holds the folder's lock; nil for none.
    package var holder: Int?
    package var databases: [Database] = []
    /// The parts that the folder's manifest names and that do not exist.
    package var missingParts: [String] = []
    /// The error that prevents reading the folder's manifest or the port of a router; nil for none.
    package var fault: String?
    package var copySign: CopySign?
    /// The kept port of the router inside the process; nil if no router has run.
    package var routerPort: UInt16?
    /// The kept port of the file router inside the process.
    package var fileRouterPort: UInt16?
    /// True if a newer version of Parley has written the chat database; nil if that cannot be read, as from an encrypted one.
    package var isNewer: Bool?
    /// The time of the newest complete backup in the folder `backups`, in seconds since 1970; nil for none.
    package var newestBackup: Int?
    /// The time of the latest change of a database, in seconds since 1970.
    package var latestChange: Int?

    /// Creates the state of a folder that does not exist.
    package init(path: String) { self.path = path }

    /// Inspects a folder.
    package init(_ data: DataFolder) {
        self.init(path: data.path)
        readFolder()
        guard exists else { return }
        holder = data.lockHolder
        for member in data.databases.members { readDatabase(member) }
        readManifest(of: data)
        readPorts(of: data)
        // The process that uses the folder has opened its databases, and their newest pages may be in a log.
        if holder == nil, let chat = databases.first(where: { $0.label == FolderPart.chat.rawValue }), !chat.isEncrypted {
            isNewer = StoredMigrations.names(inDatabase: chat.path).map { !$0.isSubset(of: ChatStoreMigrations.names) }
        }
        newestBackup = Self.newestBackup(of: data)
    }

    private mutating func readFolder() {
        var status = stat(), folder = URL(fileURLWithPath: path).standardizedFileURL.path
        exists = stat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        while !exists, stat(folder, &status) != 0, folder != "/" { folder = URL(fileURLWithPath: folder).deletingLastPathComponent().path }
        owner = status.st_uid
        mode = UInt32(status.st_mode & 0o7777)
        isWritable = status.st_mode & S_IFMT == S_IFDIR && access(folder, W_OK | X_OK) == 0
    }

    private mutating func readDatabase(_ member: DatabaseSet.Member) {
        var status = stat(), log = stat()
        guard stat(member.path, &status) == 0, status.st_size > 0 else { return }
        let logBytes = stat(member.path + "-wal", &log) == 0 ? Int(log.st_size) : 0
        let beginning = (try? WholeFile.contents(ofFile: member.path, upTo: Self.header.count)) ?? []
        databases.append(
            Database(
                label: member.label, path: member.path, bytes: Int(status.st_size) + logBytes, isEncrypted: !beginning.isEmpty && beginning != Self.header,
                mode: UInt32(status.st_mode & 0o7777)))
        latestChange = max(latestChange ?? .min, Int(status.st_mtim.tv_sec), logBytes > 0 ? Int(log.st_mtim.tv_sec) : .min)
    }

    /// The beginning of every unencrypted database.
    private static let header = Array("SQLite format 3\0".utf8)

    private mutating func readManifest(of data: DataFolder) {
        do throws(HostError) {
            guard let manifest = try SmallFile.read(FolderManifest.self, from: data.manifestPath) else { return }
            missingParts = manifest.parts.filter { part in
                data.location(of: part).map { !FileManager.default.fileExists(atPath: $0) } ?? false
            }.map(\.rawValue)
            guard let file = manifest.file, let present = FileIdentity(path: data.manifestPath) else { return }
            copySign =
                switch present.difference(from: file) {
                case nil: nil
                case .birth: .newFiles
                case .inode: .otherInodes
                }
        } catch {
            fault = error.message
        }
    }

    private mutating func readPorts(of data: DataFolder) {
        do throws(HostError) {
            routerPort = try KeptPort(folder: data.routerFolder).port
            fileRouterPort = try KeptPort(folder: data.fileRouterFolder).port
        } catch {
            fault = fault ?? error.message
        }
    }

    private static func newestBackup(of data: DataFolder) -> Int? {
        let folder = data.path + "/backups"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { name in
            var status = stat()
            guard name.hasPrefix(data.baseName + "."), !name.hasSuffix(".partial"), stat(folder + "/" + name, &status) == 0,
                status.st_mode & S_IFMT == S_IFDIR
            else { return nil }
            return Int(status.st_mtim.tv_sec)
        }.max()
    }
}
