internal import ArgumentParser
internal import EncryptedSQLite
internal import Foundation
internal import Hosting

/// Where the key of the databases comes from. The key itself is never an argument: others could see it.
struct KeyOptions: ParsableArguments {
    @Option(
        name: .customLong("key-file"),
        help: "The file that holds the key of encrypted databases. [default: $PARLEY_KEY_FILE, $PARLEY_KEY, the systemd credential parley-key]")
    var keyFile: String?

    /// The key's place, if there is one, for a process that is about to use the folder: as root it becomes the folder's owner
    /// (see ``FolderOwner``), and reads the key before, which that user may not be able to.
    ///
    /// - Parameters:
    ///   - given: a source that another option names.
    ///   - backup: the backup that the key is of, if it is not that of the folder.
    func source(for folder: DataFolder, given: DatabaseKeySource? = nil, of backup: DataFolder? = nil) throws -> DatabaseKeySource? {
        guard FolderOwner.isSomebodyElse(folder.path) else { return try given ?? place(for: backup ?? folder) }
        let source = try (given ?? place(for: backup ?? folder)).map { DatabaseKeySource.key(try $0.load()) }
        try FolderOwner.become(of: folder.path)
        return source
    }

    /// A person at a terminal is asked when the folder is encrypted and nothing else says the key.
    private func place(for folder: DataFolder) throws -> DatabaseKeySource? {
        if let keyFile { return .file(keyFile) }
        if let source = DatabaseKeySource.standard() { return source }
        guard HiddenInput.isPossible, try folder.databases.isEncrypted else { return nil }
        return .key(try HiddenInput.key(prompt: "Key of \(folder.path): "))
    }
}

/// Input that is not shown while a person types it.
enum HiddenInput {
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 }

    /// Asks for a key on the terminal.
    static func key(prompt: String) throws -> DatabaseKey {
        try? FileHandle.standardError.write(contentsOf: Data(prompt.utf8))
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else { throw Outcome.Failed("terminal", description: "the terminal cannot be read") }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
            try? FileHandle.standardError.write(contentsOf: Data("\n".utf8))
        }
        guard let line = readLine(strippingNewline: true), !line.isEmpty else {
            throw Outcome.BadInput("storage.keyNeeded", description: "no key was given")
        }
        return try DatabaseKey(line)
    }

    /// Asks for a new key, twice.
    static func newKey() throws -> DatabaseKey {
        let key = try key(prompt: "New key: ")
        guard key.equals(try self.key(prompt: "The new key again: ")) else {
            throw Outcome.BadInput("db.keysDiffer", description: "the two keys differ: nothing was changed")
        }
        return key
    }
}
