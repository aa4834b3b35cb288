import Foundation

/// A folder for one run, removed with everything in it when nobody holds it any more.
public final class ScratchFolder: Sendable {
    public let path: String

    /// Makes the folder in the one for temporary files.
    public init(_ name: String) throws(PeerError) {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw PeerError(.launch, "no folder for \(name)", cause: error)
        }
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
