internal import GRDB
internal import SystemSupport

extension DatabaseSet {
    /// Changes the key of all databases, or encrypts plain ones, or decrypts them: all, or none if this fails or the process ends.
    ///
    /// Each database is copied under the new key into a separate file, and the copies are checked. Then a file is written that decides for the
    /// new key, and the copies replace the originals. ``recover()`` finishes a change that the end of the process interrupts: before the
    /// decision the old key is valid, after it the new one.
    ///
    /// - Parameters:
    ///   - old: the present key; nil for databases that are not encrypted.
    ///   - new: the new key; nil to decrypt. A database that it already opens stays unchanged.
    /// - Throws: ``StorageError``; then the old key is still valid, unless the error concerns the end of the change.
    public func changeKey(from old: DatabaseKey?, to new: DatabaseKey?) throws(StorageError) {
        try KeyChange(self, from: old, to: new).run()
    }

    /// Finishes a decided change of key, and removes the files of an undecided one. To be called before the databases are opened.
    public func recover() throws(StorageError) { try KeyChange.recover(self) }
}

/// A change of key; see ``DatabaseSet/changeKey(from:to:)``.
struct KeyChange {
    /// A step after which a change can be interrupted.
    enum Step: Equatable {
        /// The decision is written, and not durable yet.
        case proposed
        case copied(String), decided, replaced(String), finished

        var failPoint: FailPoint? {
            switch self {
            case .copied: .keyCopied
            case .decided: .keyDecided
            case .replaced: .keyReplaced
            case .proposed, .finished: nil
            }
        }
    }

    private let set: DatabaseSet
    private let old: DatabaseKey?
    private let new: DatabaseKey?
    /// A function that is called after each step; tests end the change there by throwing.
    private let reached: (Step) throws -> Void

    init(_ set: DatabaseSet, from old: DatabaseKey?, to new: DatabaseKey?, reached: @escaping (Step) throws -> Void = { $0.failPoint?.pass() }) {
        self.set = set
        self.old = old
        self.new = new
        self.reached = reached
    }

    private static func copy(of path: String) -> String { path + ".rekeyed" }

    func run() throws(StorageError) {
        try Self.recover(set)
        try set.deriveKeys(old)
        var members: [DatabaseSet.Member] = []
        for member in try set.present where try needsChange(member) { members.append(member) }
        guard !members.isEmpty else { return }
        do {
            for member in members {
                try copy(member)
                try reached(.copied(member.label))
            }
            try decide(members)
        } catch is Interruption {
            throw StorageError(.closed, "interrupted")
        } catch let undecided as Undecided {
            // The copies stay: if the decision reappears after a loss of power, the next start needs all of them.
            throw Self.error(
                undecided.cause, "it is unknown until the next start whether the key is changed: use the new key then, or else the old one")
        } catch {
            // The old key is still valid. Leftover files are harmless, and are removed here if possible.
            try? Self.recover(set)
            throw Self.error(error, "the key cannot be changed")
        }
        do {
            try reached(.decided)
            for member in members {
                try Self.replace(member.path)
                try reached(.replaced(member.label))
            }
            try Files.delete(set.decision)
            try Files.flushFolder(of: set.decision)
            try reached(.finished)
        } catch is Interruption {
            throw StorageError(.closed, "interrupted")
        } catch {
            throw Self.error(error, "the key is changed, but the change is not finished: the next start finishes it, with the new key")
        }
    }

    private static func error(_ error: any Error, _ outcome: String) -> StorageError {
        let reason = StorageError.wrapping(error, "an unexpected error")
        return StorageError(reason.code, "\(outcome): \(reason.message)", cause: reason.cause)
    }

    /// Checks whether a database opens with the old key and not with the new one.
    private func needsChange(_ member: DatabaseSet.Member) throws(StorageError) -> Bool {
        do throws(StorageError) {
            _ = try DatabaseAccess.protection(of: member.path, label: member.label, key: old)
            guard let old, let new else { return !(old == nil && new == nil) }
            return !old.equals(new)
        } catch {
            let isOfKey = [.keyNeeded, .wrongKey, .notEncrypted].contains(error.code)
            guard isOfKey, (try? DatabaseAccess.protection(of: member.path, label: member.label, key: new)) != nil || opensPlain(member) else {
                throw error
            }
            return false
        }
    }

    private func opensPlain(_ member: DatabaseSet.Member) -> Bool {
        guard new == nil else { return false }
        return (try? DatabaseAccess.format(of: member.path)) == .plain
    }

    /// Makes a copy under the new key and checks it.
    private func copy(_ member: DatabaseSet.Member) throws {
        let path = Self.copy(of: member.path)
        try Self.opened(member, key: old) { db in
            // Folds the log in, and fails if another connection has the database open.
            guard try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE") == "delete" else {
                throw StorageError(.locked, "the \(member.label) database is in use: stop what uses it")
            }
            try db.execute(sql: "PRAGMA page_size = \(PageLayout.pageSize)")
            try DatabaseCopy(to: path, key: new).make(from: db)
        }
        let copy = DatabaseSet.Member(label: member.label, path: path)
        // The file keeps its identity when it replaces the original.
        try Self.opened(copy, key: new) { db in try FolderMark.note(FileIdentity(path: path), in: db) }
        let report = DatabaseCheck(copy, key: new).run()
        guard report.isSound else {
            throw StorageError(
                .corrupt, "the \(member.label) database is damaged, and its key was not changed: \(report.problems.first ?? "") See parley db check")
        }
    }

    /// Opens a database outside transactions for the time of `body`.
    static func opened<Result>(_ member: DatabaseSet.Member, key: DatabaseKey?, _ body: (Database) throws -> Result) throws -> Result {
        let opening = try DatabaseOpening(path: member.path, label: member.label, key: key)
        return try withExtendedLifetime(opening) {
            // Closing the last connection folds the log in.
            try LogExtent.forget(member.path)
            let queue = try DatabaseQueue(
                path: member.path, configuration: DatabaseOpening.configuration(label: member.label, readers: 1, isEncrypted: key != nil))
            defer { try? queue.close() }
            return try queue.writeWithoutTransaction { db in
                try db.rewriteLog()
                return try body(db)
            }
        }
    }

    /// Writes the decision to replace the originals by the copies.
    private func decide(_ members: [DatabaseSet.Member]) throws {
        let draft = set.decision + ".draft"
        try Files.write(members.map { Files.name(of: $0.path) + "\n" }.joined(), to: draft)
        try Files.rename(draft, to: set.decision)
        do {
            try reached(.proposed)
            try Files.flushFolder(of: set.decision)
        } catch let interruption as Interruption {
            throw interruption
        } catch {
            // It is unknown whether the decision survives a loss of power: it is deleted, so that the old key stays valid.
            do throws(StorageError) {
                try Files.delete(set.decision)
                try Files.flushFolder(of: set.decision)
            } catch let takingBack {
                throw Undecided(cause: takingBack)
            }
            throw error
        }
    }

    private static func replace(_ path: String) throws(StorageError) {
        guard Files.exists(copy(of: path)) else { return }
        // Their contents are in the copy. Beside the new database, SQLite would take them for its own.
        for suffix in ["-wal", "-shm", "-journal"] { try Files.delete(path + suffix) }
        try Files.rename(copy(of: path), to: path)
        try Files.flushFolder(of: path)
    }

    static func recover(_ set: DatabaseSet) throws(StorageError) {
        if Files.exists(set.decision) {
            // The decision may not be on disk yet.
            try Files.flushFolder(of: set.decision)
            for member in set.members { try replace(member.path) }
            try Files.delete(set.decision)
            try Files.flushFolder(of: set.decision)
        }
        for member in set.members {
            let copy = copy(of: member.path), partial = DatabaseCopy(to: copy, key: nil).partial
            for path in [copy, partial] { for suffix in ["", "-wal", "-shm", "-journal"] { try Files.delete(path + suffix) } }
        }
        try Files.delete(set.decision + ".draft")
    }

    /// The error when a decision failed, and could not be deleted either.
    private struct Undecided: Error {
        let cause: StorageError
    }

    /// The error with which tests end a change as a crash would: nothing is cleaned up.
    struct Interruption: Error {}
}
