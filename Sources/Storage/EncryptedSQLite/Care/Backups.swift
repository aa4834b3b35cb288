internal import GRDB

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Copies of a database that were made before it was changed by a new version: `backups/<name>.<UTC time>.of-<version>.db` beside it, encrypted
/// under the key that the database had.
struct Backups {
    /// The number of backups kept of each database; the oldest are deleted.
    static let kept = 3

    private let name: String
    private let folder: String
    private let now: @Sendable () -> Int

    /// - Parameters:
    ///   - folder: where they are; `backups` beside the database if it is not given.
    ///   - now: seconds since 1970.
    init(of path: String, in folder: String? = nil, now: @escaping @Sendable () -> Int = { time(nil) }) {
        let file = Files.name(of: path)
        name = file.hasSuffix(".db") ? String(file.dropLast(3)) : file
        self.folder = folder ?? Files.folder(of: path) + "/backups"
        self.now = now
    }

    /// The paths of backups that a person asks for. All are named after the same moment.
    static func manual(_ databases: [String], in folder: String, now: Int = time(nil)) -> [String] {
        databases.map { Backups(of: $0, in: folder, now: { now }).path(version: "manual") }
    }

    /// The path of a backup that is made now.
    func path(version: String) -> String { "\(folder)/\(name).\(Self.stamp(now())).\(Self.short(version)).db" }

    /// Makes a backup of what a database has now; it is on disk when this returns.
    ///
    /// - Parameter version: what the database is a version of, for the name.
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
            // Those that a person made stay.
            $0.hasPrefix(name + ".") && $0.contains(".of-") && $0.hasSuffix(".db")
        }.sorted()
        for old in all.dropLast(Self.kept) { try Files.delete(folder + "/" + old) }
    }

    /// A time as `20261121T080000Z`.
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

    /// A migration's name as part of a file's: letters, digits and dashes, at most 48.
    static func short(_ version: String) -> String {
        let characters = version.lowercased().unicodeScalars.map { ("a"..."z").contains($0) || ("0"..."9").contains($0) ? Character($0) : "-" }
        return String(String(characters).split(separator: "-").joined(separator: "-").prefix(48))
    }
}
