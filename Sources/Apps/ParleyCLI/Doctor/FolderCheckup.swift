internal import Hosting

/// The data folder and its disk, as `parley doctor` sees them.
struct FolderCheckup: Sendable, Equatable {
    /// The file system that holds the folder.
    struct Disk: Sendable, Equatable {
        /// The type, such as `ext4`; empty if it is unknown.
        var type: String
        var free: Int
        var size: Int
    }

    /// A file with a key.
    struct KeyFile: Sendable, Equatable {
        var path: String
        /// The permissions; nil if the file does not exist or cannot be looked at.
        var mode: UInt32?
        var isReadable: Bool
    }

    var folder: FolderInspection
    /// The user of this process.
    var user: UInt32
    /// The time, in seconds since 1970.
    var now: Int
    /// nil if the file system cannot be inspected.
    var disk: Disk?
    /// The file that is to have the key of the databases; nil if none is named.
    var keyFile: KeyFile?
    /// True if the key comes from somewhere.
    var hasKey: Bool

    var findings: [DoctorFinding] {
        guard user == 0 || !folder.exists || folder.owner == user else {
            // What is in the folder is not seen.
            let owner = DoctorFinding.error(
                "disk.owner", folder.path, "the folder belongs to user \(folder.owner), and this process is of user \(user)",
                do: "run parley as that user, or name another folder with --data")
            return [owner] + diskFindings + keyFindings
        }
        return folderFindings + databaseFindings + diskFindings + keyFindings + backupFindings
    }

    private var folderFindings: [DoctorFinding] {
        var findings: [DoctorFinding] = []
        if !folder.isWritable {
            findings.append(
                .error(
                    "disk.readOnly", folder.path, folder.exists ? "nothing can be written in the folder" : "the folder cannot be created",
                    do: "mount it writable and check its permissions, or name another folder with --data"))
        }
        if folder.exists, folder.mode & 0o077 != 0 {
            findings.append(
                .warning("disk.permissions", folder.path, "other users can look into the folder", do: "chmod 700 \(folder.path)"))
        }
        for database in folder.databases where database.mode & 0o077 != 0 {
            findings.append(.warning("disk.permissions", database.path, "other users can read the database", do: "chmod 600 \(database.path)"))
        }
        if let fault = folder.fault {
            findings.append(.error("disk.damaged", folder.path, fault, do: "restore a backup: parley db restore"))
        }
        for part in folder.missingParts {
            findings.append(
                .error(
                    "disk.missingPart", folder.path, "the part \(part) of the folder is missing",
                    do: "put it back, or restore a backup: parley db restore; parley db accept continues without it"))
        }
        switch folder.copySign {
        case .newFiles where folder.holder == nil:
            findings.append(
                .warning(
                    "disk.copy", folder.path, "the folder is a copy: at its next start its connections agree on new keys",
                    do: "never run the copy and the original at the same time"))
        case .otherInodes where folder.holder == nil:
            findings.append(
                .warning(
                    "disk.unsteadyInodes", folder.path,
                    "the files have other numbers than at the last start: the folder is a copy, or its file system changes them",
                    do: "mark copies with parley db mark-copy, because they are not noticed on such a file system"))
        default: break
        }
        return findings
    }

    private var databaseFindings: [DoctorFinding] {
        guard folder.exists, !folder.databases.isEmpty else {
            return [
                .ok("disk.new", folder.path, folder.exists ? "the folder holds no databases yet" : "the folder does not exist yet; the first start creates it")
            ]
        }
        let bytes = folder.databases.reduce(0) { $0 + $1.bytes }
        let kind = folder.databases.contains(where: \.isEncrypted) ? "encrypted databases" : "databases"
        var findings: [DoctorFinding] = [
            .ok("disk.databases", folder.path, "\(kind) of \(Self.text(bytes))" + (folder.holder.map { ", in use by process \($0)" } ?? ""))
        ]
        if folder.isNewer == true {
            findings.append(
                .error(
                    "version.database", folder.path, "a newer version of Parley has written the chat database",
                    do: "update Parley, or restore the backup from before the update"))
        }
        return findings
    }

    private var diskFindings: [DoctorFinding] {
        guard let disk else { return [] }
        var findings: [DoctorFinding] = []
        switch Self.kind(of: disk.type) {
        case .network:
            findings.append(
                .warning(
                    "disk.network", folder.path,
                    "the folder is on a network file system (\(disk.type)), whose locks and order of writes databases cannot rely on",
                    do: "use a local disk"))
        case .temporary:
            findings.append(
                .warning(
                    "disk.temporary", folder.path, "the folder is lost when the machine or container ends (\(disk.type))",
                    do: "use a disk, or a volume of the container"))
        case .local: break
        }
        let text = "\(Self.text(disk.free)) of \(Self.text(disk.size)) are free"
        if disk.free < Self.leastFree {
            findings.append(.error("disk.full", folder.path, text, do: "free space: bots accept nothing on a full disk"))
        } else if disk.free < Self.lowFree {
            findings.append(.warning("disk.low", folder.path, text, do: "free space, or set `retention` in bots.yaml"))
        } else {
            findings.append(.ok("disk.space", folder.path, text))
        }
        return findings
    }

    private static let leastFree = 64 << 20, lowFree = 1 << 30

    private enum DiskKind {
        case local, network, temporary
    }

    private static func kind(of type: String) -> DiskKind {
        switch type {
        case "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "glusterfs", "fuse.sshfs", "fuse.glusterfs", "fuse.s3fs", "afs": .network
        case "tmpfs", "ramfs", "overlay", "aufs": .temporary
        default: .local
        }
    }

    private var keyFindings: [DoctorFinding] {
        var findings: [DoctorFinding] = []
        if let keyFile {
            if !keyFile.isReadable {
                findings.append(
                    .error("disk.keyFile", keyFile.path, "the file with the key cannot be read", do: "check its path and permissions"))
            } else if let mode = keyFile.mode, mode & 0o077 != 0 {
                findings.append(.warning("disk.keyFile", keyFile.path, "other users can read the key", do: "chmod 600 \(keyFile.path)"))
            } else {
                findings.append(.ok("disk.keyFile", keyFile.path, "only the owner can read the key"))
            }
        }
        if folder.databases.contains(where: \.isEncrypted), !hasKey {
            findings.append(
                .warning(
                    "disk.keyNeeded", folder.path, "the databases are encrypted, and no key is given to this command",
                    do: "give the key to parley run by --key-file, PARLEY_KEY_FILE, PARLEY_KEY or the systemd credential parley-key"))
        }
        return findings
    }

    private var backupFindings: [DoctorFinding] {
        guard !folder.databases.isEmpty else { return [] }
        let place = folder.path + "/backups"
        guard let newest = folder.newestBackup else {
            return [
                .warning(
                    "backup.none", place, "there is no backup. Backups elsewhere are not seen",
                    do: "parley db backup, also while the bots run")
            ]
        }
        let age = max(0, now - newest), text = "the newest backup is \(ClockCheckup.text(age)) old"
        return age > Self.oldBackup
            ? [.warning("backup.old", place, text + ". Backups elsewhere are not seen", do: "parley db backup, also while the bots run")]
            : [.ok("backup", place, text)]
    }

    /// A week, in seconds.
    private static let oldBackup = 604_800

    /// A size in its largest unit.
    static func text(_ bytes: Int) -> String {
        switch bytes {
        case ..<(1 << 20): "\(bytes / 1_024) KiB"
        case ..<(10 << 30): "\(bytes / (1 << 20)) MiB"
        default: "\(bytes / (1 << 30)) GiB"
        }
    }
}
