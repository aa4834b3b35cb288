import Foundation

/// A folder among the system's temporary files, removed with its contents when nobody holds it any more.
package final class TemporaryFolder: Sendable {
    /// The path, without symbolic links.
    package let path: String

    /// - Parameter isCreated: False for a path where the code under test makes the folder.
    /// - Throws: The error of the file system.
    package init(isCreated: Bool = true) throws {
        let parent = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        path = parent.appendingPathComponent("parley-test-\(UUID().uuidString)").path
        if isCreated { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in the folder.
    package func callAsFunction(_ name: String) -> String { path + "/" + name }
}
