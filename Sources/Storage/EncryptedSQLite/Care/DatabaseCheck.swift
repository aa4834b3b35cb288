internal import GRDB

/// The findings of a check of a database.
public struct DatabaseReport: Sendable, Equatable {
    /// The name of the database.
    public let label: String
    /// The path of the database.
    public let path: String
    /// True if the file is encrypted.
    public let isEncrypted: Bool
    /// The size of the file in bytes.
    public internal(set) var size = 0
    /// The last migration that was applied to it.
    public internal(set) var version: String?
    /// The numbers of damaged pages of an encrypted database, at most the first ``DatabaseCheck/limit``.
    public internal(set) var damagedPages: [UInt32] = []
    /// The problems found, each a sentence; empty for a sound database.
    public internal(set) var problems: [String] = []
    /// The code of the error that prevented opening the database; nil if it was opened.
    public internal(set) var error: StorageError.Code?

    /// True if the check has found no problems.
    public var isSound: Bool { problems.isEmpty }
}

/// A check of a database that nobody has open: the authentication code of every page, SQLite's own check of the structure, and every
/// reference between tables.
package struct DatabaseCheck {
    /// The maximum number of reported findings of a kind.
    package static let limit = 100

    private let member: DatabaseSet.Member
    private let key: DatabaseKey?

    init(_ member: DatabaseSet.Member, key: DatabaseKey?) {
        self.member = member
        self.key = key
    }

    func run() -> DatabaseReport {
        var report = DatabaseReport(label: member.label, path: member.path, isEncrypted: key != nil)
        do {
            report.size = try RawFile(path: member.path)?.size ?? 0
            try checkPages(&report)
            try checkContents(&report)
        } catch {
            let error = StorageError.wrapping(error, "the \(member.label) database cannot be checked")
            report.error = error.code
            report.problems.append(error.message)
        }
        return report
    }

    /// Checks the key before SQLite opens the file, and all pages after the log was folded in.
    private func checkPages(_ report: inout DatabaseReport) throws {
        guard let key, case .encrypted(let salt) = try DatabaseAccess.format(of: member.path) else { return }
        let inspection = PageInspection(path: member.path, label: member.label, cipher: try PageCipher(try key.pageKeys(salt: salt)))
        do throws(StorageError) {
            try inspection.checkKey()
            // Folding the log in repairs pages that were torn during an earlier folding.
            try fold()
        } catch {
            guard error.code == .corrupt else { throw error }
            report.error = error.code
            report.problems.append(error.message)
        }
        let pages = try inspection.damagedPages(limit: Self.limit)
        report.damagedPages = pages.damaged
        if !pages.damaged.isEmpty {
            report.problems.append(
                "\(pages.damaged.count) of \(pages.count) pages are damaged: \(pages.damaged.prefix(10).map(String.init).joined(separator: ", "))\(pages.damaged.count > 10 ? " …" : "")"
            )
        }
        if pages.hasPartialPage { report.problems.append("the file ends within a page: it was cut off") }
    }

    private func fold() throws(StorageError) {
        do {
            try KeyChange.opened(member, key: key) { db in _ = try db.checkpoint(.truncate) }
        } catch {
            throw StorageError.wrapping(error, "the log of the \(member.label) database cannot be folded in")
        }
    }

    private func checkContents(_ report: inout DatabaseReport) throws {
        guard report.error == nil else { return }
        let (structure, references, version) = try KeyChange.opened(member, key: key) { db in
            let structure = try String.fetchAll(db, sql: "PRAGMA integrity_check(\(Self.limit))")
            let references = try Row.fetchCursor(db, sql: "PRAGMA foreign_key_check")
            var found: [String] = []
            while found.count < Self.limit, let row = try references.next() {
                let table: String = row[0], parent: String = row[2]
                found.append("a row of \(table) refers to a missing row of \(parent)")
            }
            let hasVersion = try db.tableExists("grdb_migrations")
            let version = hasVersion ? try String.fetchOne(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid DESC") : nil
            return (structure, found, version)
        }
        if structure != ["ok"] { report.problems += structure.map { "structure: \($0)" } }
        report.problems += references
        report.version = version
    }
}
