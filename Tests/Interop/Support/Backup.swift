import Foundation
import OfficialPeers
import ProcessSupport

/// A copy of what a party has, taken and brought back while the party is away.
struct Backup {
    private let copy: ScratchFolder

    init(of folder: ScratchFolder) throws {
        copy = try ScratchFolder("backup")
        try Self.replace(copy.path, by: folder.path)
    }

    /// Puts everything back as it was.
    func restore(to folder: ScratchFolder) throws { try Self.replace(folder.path, by: copy.path) }

    private static func replace(_ target: String, by source: String) throws {
        try FileManager.default.removeItem(atPath: target)
        try FileManager.default.copyItem(atPath: source, toPath: target)
    }
}
