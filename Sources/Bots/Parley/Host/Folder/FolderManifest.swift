internal import EncryptedSQLite

/// The file that holds a data folder's identity and names its parts: `parley.folder`.
///
/// It is written before a part changes and after all have: see ``FolderDecision``.
struct FolderManifest: Codable, Hashable, Sendable {
    /// The version of the format that this program writes and reads.
    static let currentFormat = 1

    var format = currentFormat
    /// The random id of the folder.
    var folder: String
    /// The number of starts.
    var generation: Int64
    /// True while parts are being marked with the generation: some may have the one before.
    var isRaising: Bool
    /// The parts that there must be.
    var parts: [FolderPart]
    /// The id of the folder that this one was made of, while parts may still have it.
    var previous: String?
    /// The id of the backup that parts may still be copies of, or of which this is the manifest.
    var backup: String?
    /// True if connections have to agree on new keys before anything is sent.
    var mustSynchronize = false
    /// When the folder was last restored from a backup, in seconds since 1970; nil for never.
    var restoredAt: Int64?

    init(folder: String, generation: Int64 = 1, isRaising: Bool, parts: [FolderPart]) {
        (self.folder, self.generation, self.isRaising, self.parts) = (folder, generation, isRaising, parts.sorted { $0.rawValue < $1.rawValue })
    }

    /// A random id.
    static func newID() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(UInt32.random(in: .min ... .max, using: &random), radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    /// The identity as parts get it.
    var mark: FolderMark { FolderMark(folder: folder, generation: generation, parts: parts.map(\.rawValue)) }

    mutating func add(_ part: FolderPart) {
        guard !parts.contains(part) else { return }
        parts = (parts + [part]).sorted { $0.rawValue < $1.rawValue }
    }
}
