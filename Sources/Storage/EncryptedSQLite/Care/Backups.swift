internal import GRDB

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Copies of a database from before its change by a new version: `backups/<name>.<UTC time>.of-<version>.db` beside it, encrypted under the key
/// that the database had.
struct Backups {
    /// The number of backups kept of each database; the oldest are deleted.
    static let kept = 3

    private let name: String
    private let folder: String
    private let now: @Sendable () -> Int

    /// - Parameters:
    ///   - folder: the folder of the backups; nil: `backups` beside the database.
    ///   - now: the clock: seconds since 1970.
    init(of path: String, in folder: String? = nil, now: @escaping @Sendable () -> Int = { time(nil) }) {
        let file = Files.name(of: path)
        name = file.hasSuffix(".db") ? String(file.dropLast(3)) : file
        self.folder = folder ?? Files.folder(of: path) + "/backups"
        self.now = now
    }

    /// Returns the paths of manual backups, with the same time in all names.
    static func manual(_ databases: [String], in folder: String, now: Int = time(nil)) -> [String] {
        databases.map { Backups(of: $0, in: folder, now: { now }).path(version: "manual") }
    }

    /// Returns the path of a backup that is made now.
    func path(version: String) -> String { "\(folder)/\(name).\(Self.stamp(now())).\(Self.short(version)).db" }

    /// Makes a backup of the present content of a database. It is on disk when this returns.
    ///
    /// - Parameter version: the version of the database, for the name.
    /// - Returns: the path.
    func make(version: String, key: DatabaseKey?, from database: any DatabaseWriter) throws -> String {
        try Files.makePrivateFolder(folder)
        let path = path(version: "of-" + version)
        try database.writeWithoutTransaction { db in try DatabaseCopy(to: path, key: key).make(from: db) }
        try removeOldest()
        return path
    }

    private func removeOldest() throws(StorageError) {
        // Times sort as text.
        let all = try Files.names(in: folder).filter {
            // Manual backups are kept.
            $0.hasPrefix(name + ".") && $0.contains(".of-") && $0.hasSuffix(".db")
        }.sorted()
        for old in all.dropLast(Self.kept) { try Files.delete(folder + "/" + old) }
    }

    /// Formats a time as `20261121T080000Z`.
    static func stamp(_ seconds: Int) -> String {
        var time = time_t(seconds), parts = tm()
        gmtime_r(&time, &parts)
        func digits(_ value: Int32, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2) + "T" + digits(parts.tm_hour, 2)
            + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2) + "Z"
    }

    /// Converts the name of a migration to a part of a file's name: letters, digits and dashes, at most 48.
    static func short(_ version: String) -> String {
        let characters = version.lowercased().unicodeScalars.map { ("a"..."z").contains($0) || ("0"..."9").contains($0) ? Character($0) : "-" }
        return String(String(characters).split(separator: "-").joined(separator: "-").prefix(48))
    }
}
