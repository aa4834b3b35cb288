import Foundation

/// A folder for one run, removed with everything in it when nobody holds it any more.
package final class ScratchFolder: Sendable {
    package let path: String
    private let isKept: Bool

    /// Makes the folder in the one for temporary files.
    ///
    /// - Parameter isKept: whether it stays, for a look at what a failed run has left.
    package init(_ name: String, isKept: Bool = false) throws(PeerError) {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw PeerError(.launch, "no folder for \(name)", cause: error)
        }
        (path, self.isKept) = (url.path, isKept)
    }

    deinit { remove() }

    /// The path of something in the folder.
    package func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Writes a text file into the folder.
    ///
    /// - Returns: Its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws(PeerError) -> String {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: self(name)))
        } catch {
            throw PeerError(.launch, "\(self(name)) cannot be written", cause: error)
        }
        return self(name)
    }

    /// Removes it now, unless it is kept.
    package func remove() {
        if !isKept { try? FileManager.default.removeItem(atPath: path) }
    }
}
