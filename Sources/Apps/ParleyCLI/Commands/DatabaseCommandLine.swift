internal import ArgumentParser
internal import ChatProtocol
internal import EncryptedSQLite
internal import Foundation
internal import Hosting

/// `parley db`: checks, keys and backups of the databases of a data folder.
struct DatabaseCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "db", abstract: "Check, encrypt, back up and restore a data folder, and list quarantined events.",
        discussion: "The bots of the folder must not be running. Backups are made while they run, too.",
        subcommands: [Check.self, Key.self, Backup.self, Restore.self, MarkCopy.self, Accept.self, QuarantineCommandLine.self])

    /// The folder, its key, and how to print.
    struct Options: ParsableArguments {
        @Option(help: "The folder for databases and keys. [default: $PARLEY_DATA, else parley-data]")
        var data: String?

        @OptionGroup var keys: KeyOptions

        @Flag(help: "Print JSON, one object a line, for scripts.")
        var json = false

        var folder: DataFolder { DataFolder(path: HostConfiguration(dataFolder: data).dataFolder) }

        /// Holds the folder for the time of `body`, which gets its databases and their key.
        func run(_ body: (DatabaseSet, DatabaseKey?) throws -> Void) throws {
            let key = try keys.source(for: folder)?.load()
            try folder.locked { databases in
                guard try !databases.present.isEmpty else {
                    try folder.checkParts(key: key)
                    throw Outcome.Failed("db.none", description: "there are no databases in \(folder.path)")
                }
                try body(databases, key)
            }
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Check that the databases are intact.",
            discussion: """
                Every page of an encrypted database is compared with its authentication code, SQLite checks the structure, and every \
                reference between tables is followed. Exit code 1 tells that something was found.
                """)

        @OptionGroup var options: Options

        func run() async throws {
            var isSound = true
            try options.run { databases, key in
                for report in try databases.check(key: key) {
                    isSound = isSound && report.isSound
                    // That the key is wrong is not the database's fault.
                    if report.error?.isInput == true, let error = report.error {
                        throw Outcome.BadInput("storage.\(error.rawValue)", description: report.problems.first ?? "the key is wrong")
                    }
                    if options.json { Output.line(Self.json(report)) } else { Output.line(Self.text(report)) }
                }
                // Each may be whole, and they need not belong together.
                if isSound { try options.folder.checkParts(key: key) }
            }
            if !isSound { throw ExitCode(1) }
        }

        private static func text(_ report: DatabaseReport) -> String {
            let what = "\(report.label): \(report.path), \(report.size / 1024) KB, \(report.isEncrypted ? "encrypted" : "not encrypted")"
            guard !report.isSound else { return what + ", whole" }
            return ([what + ", DAMAGED: restore a backup"] + report.problems.map { "  " + $0 }).joined(separator: "\n")
        }

        private static func json(_ report: DatabaseReport) -> JSONValue {
            Output.object { object in
                object["database"] = report.label
                object["path"] = report.path
                object["bytes"] = Int64(report.size)
                object["encrypted"] = report.isEncrypted
                object["version"] = report.version.map { .string($0) } ?? JSONValue.null
                object["sound"] = report.isSound
                object["problems"] = report.problems
                object["damagedPages"] = report.damagedPages.map { JSONValue.int($0) }
            }
        }
    }

    struct Key: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "key", abstract: "Encrypt the databases, change their key, or decrypt them.",
            discussion: """
                The new key comes from --new-key-file or the environment variable PARLEY_NEW_KEY; a person at a terminal is asked. \
                All databases of the folder change, or none: also when the process ends in the middle. Backups keep the key they \
                were made under.
                """)

        @Option(name: .customLong("new-key-file"), help: "The file that holds the new key. [default: $PARLEY_NEW_KEY]")
        var newKeyFile: String?

        @Flag(help: "Decrypt the databases.")
        var remove = false

        @OptionGroup var options: Options

        func validate() throws {
            guard !remove || newKeyFile == nil else { throw ValidationError("--remove and --new-key-file exclude each other") }
        }

        func run() async throws {
            // Read before the process becomes the folder's owner, who may not be able to.
            let given = try newKeyFile.map { try DatabaseKeySource.file($0).load() }
            try options.run { databases, key in
                // Before a person thinks of a new one.
                try databases.recover()
                let new = try given ?? newKey()
                try databases.changeKey(from: key, to: new)
                let what = new == nil ? "decrypted" : key == nil ? "encrypted" : "rekeyed"
                if options.json {
                    Output.line(["event": "key", "folder": .string(options.folder.path), "databases": .string(what)])
                } else {
                    Output.line(
                        "The databases of \(options.folder.path) are \(new == nil ? "not encrypted any more" : key == nil ? "encrypted" : "under the new key")."
                    )
                }
            }
        }

        /// From the environment or a person; nil to decrypt.
        private func newKey() throws -> DatabaseKey? {
            if remove { return nil }
            if ProcessInfo.processInfo.environment["PARLEY_NEW_KEY"]?.isEmpty == false {
                return try DatabaseKeySource.environment("PARLEY_NEW_KEY").load()
            }
            guard HiddenInput.isPossible else {
                throw Outcome.BadInput("db.noNewKey", description: "say the new key with --new-key-file or PARLEY_NEW_KEY, or decrypt with --remove")
            }
            return try HiddenInput.newKey()
        }
    }

    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "backup", abstract: "Copy the data folder: databases, received files, and the routers inside the process.",
            discussion: """
                Prints the path of the backup, a folder of its own; parley db restore takes it. The databases keep the key they have. Bots that run \
                on the folder go on; what they write waits until the databases are copied. Transfers of files that are under way are not in it.
                """)

        @Option(name: .customLong("to"), help: "The folder that the backup's folder is made in. [default: backups in the data folder]")
        var target: String?

        @OptionGroup var options: Options

        func run() async throws {
            if let running = await RunningHost.connect(options.folder) {
                do {
                    // The other process may have another working folder.
                    report(try await running.backUp(to: target.map { URL(fileURLWithPath: $0).path }))
                    await running.close()
                } catch {
                    await running.close()
                    throw error
                }
            } else {
                try options.run { _, key in report([try options.folder.backUp(to: target, key: key)]) }
            }
        }

        private func report(_ paths: [String]) {
            for path in paths {
                if options.json { Output.line(["event": "backup", "path": .string(path)]) } else { Output.line(path) }
            }
        }
    }

    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore", abstract: "Replace the content of the data folder by a backup.",
            discussion: """
                The backup is checked first. What the folder holds is kept in a folder replaced.TIME in it. A backup is older than what the contacts \
                have seen: at the next start each connection agrees on new keys before anything is sent. A copy of a stopped data folder that was made by \
                other means, such as cp, rsync or tar, is taken as well.
                """)

        @Argument(help: "The folder of the backup, as parley db backup has printed it, or a copy of a data folder.")
        var backup: String

        @Flag(help: "Restore although the data folder holds data, which may be newer.")
        var replace = false

        @OptionGroup var options: Options

        func run() async throws {
            let folder = options.folder
            do {
                try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw Outcome.Failed("dataFolder", description: "cannot make the data folder \(folder.path): \(error.localizedDescription)")
            }
            let key = try options.keys.source(for: folder, of: DataFolder(path: backup))?.load()
            try folder.locked { _ in
                let isBackup = try DataFolder.isBackup(backup)
                let kept = try folder.restore(backup, key: key, replaces: replace)
                if options.json {
                    Output.line([
                        "event": "restored", "folder": .string(folder.path), "replaced": kept.map { JSONValue.string($0) } ?? .null,
                        "marked": .bool(isBackup),
                    ])
                } else {
                    if isBackup {
                        Output.line("The backup \(backup) is restored to \(folder.path).")
                    } else {
                        Output.line("\(backup) is a copy without the mark of a backup. It is restored to \(folder.path) like a backup.")
                    }
                    if let kept { Output.line("What was there before is in \(kept).") }
                }
            }
        }
    }

    struct MarkCopy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "mark-copy", abstract: "Mark a data folder as a copy, so that its connections agree on new keys.",
            discussion: """
                A start notices by itself that a folder was copied file by file. It does not notice a disk or a machine that was set back to a snapshot. Mark \
                the folder then, before its bots start. At the next start each connection agrees on new keys before anything is sent.
                """)

        @OptionGroup var options: Options

        func run() async throws {
            try options.run { _, key in
                try options.folder.noteCopy(key: key)
                if options.json {
                    Output.line(["event": "marked", "folder": .string(options.folder.path)])
                } else {
                    Output.line("\(options.folder.path) is marked as a copy: its connections agree on new keys at the next start.")
                }
            }
        }
    }

    struct Accept: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept", abstract: "Accept a data folder with a part that is missing, older or from another folder.",
            discussion: """
                What is missing is lost: it is made anew, empty, at the next start. Look for it first, or restore a backup. At the next start each \
                connection agrees on new keys before anything is sent.
                """)

        @OptionGroup var options: Options

        func run() async throws {
            let key = try options.keys.source(for: options.folder)?.load()
            try options.folder.locked { _ in
                let parts = try options.folder.acceptParts(key: key)
                if options.json {
                    Output.line(["event": "accepted", "folder": .string(options.folder.path), "parts": .array(parts.map { JSONValue.string($0) })])
                } else {
                    Output.line("\(options.folder.path) is accepted with these parts: \(parts.isEmpty ? "nothing" : parts.joined(separator: ", ")).")
                }
            }
        }
    }
}
