internal import EncryptedSQLite
internal import Foundation
internal import SystemSupport

/// The file with a data folder's identity and the names of its parts: `parley.folder`.
///
/// It is written before the first part changes and after the last part has changed: see ``FolderDecision``.
struct FolderManifest: Codable, Hashable, Sendable {
    /// The version of the format that this program writes and reads.
    static let currentFormat = 1

    var format = currentFormat
    /// The random id of the folder.
    var folder: String
    /// The number of starts.
    var generation: Int64
    /// True while parts are being marked with the generation: some may have the previous one.
    var isRaising: Bool
    /// The required parts.
    var parts: [FolderPart]
    /// The id of the folder that this one was copied from, while parts may still have it.
    var previous: String?
    /// The id of the backup that parts may still be copies of, or whose manifest this is.
    var backup: String?
    /// True if connections must agree on new keys before anything is sent.
    var mustSynchronize = false
    /// The time at which the folder was last restored from a backup, in seconds since 1970; nil for never.
    var restoredAt: Int64?
    /// True if the folder is known to be a copy, until its first start has given it an identity of its own.
    var isCopy: Bool?
    /// The identity of the file that contains this; nil if it was unknown.
    var file: FileIdentity?
    /// The number of starts in a row that took the folder for a copy because of numbers of inodes alone; nil for none.
    var inodeChanges: Int?

    init(folder: String, generation: Int64 = 1, isRaising: Bool, parts: [FolderPart]) {
        (self.folder, self.generation, self.isRaising, self.parts) = (folder, generation, isRaising, parts.sorted { $0.rawValue < $1.rawValue })
    }

    /// Generates a random id.
    static func newID() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(UInt32.random(in: .min ... .max, using: &random), radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    /// The mark for parts.
    var mark: FolderMark { FolderMark(folder: folder, generation: generation, parts: parts.map(\.rawValue)) }

    mutating func add(_ part: FolderPart) {
        guard !parts.contains(part) else { return }
        parts = (parts + [part]).sorted { $0.rawValue < $1.rawValue }
    }
}

extension SmallFile {
    /// Replaces a manifest, which then contains the identity of its own file. It is on disk when this returns.
    static func write(_ manifest: FolderManifest, to path: String) throws(HostError) {
        var manifest = manifest
        manifest.file = nil
        let unnoted: [UInt8]
        do {
            unnoted = try bytes(of: manifest)
        } catch {
            throw HostError(.dataFolder, "\(path) cannot be written: \(error)")
        }
        do throws(SystemError) {
            var noted: FileIdentity?
            try WholeFile.replace(path) { file in
                noted = file
                manifest.file = file
                return (try? bytes(of: manifest)) ?? unnoted
            }
            // On file systems that number names instead of files, renaming has changed the number.
            if let noted, FileIdentity(path: path)?.difference(from: noted) != nil { try WholeFile.replace(path, with: unnoted) }
        } catch {
            throw HostError(.dataFolder, "\(path) cannot be written: \(error)")
        }
    }
}
