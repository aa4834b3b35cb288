import Foundation

/// A folder of its own for one test.
public struct ScratchFolder: Sendable {
    public let path: String

    public init(_ name: String) throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("parley-\(name)-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// The path of something in the folder.
    public func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Writes a text file into the folder.
    ///
    /// - Returns: Its path.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self(name)))
        return self(name)
    }

    public func remove() { try? FileManager.default.removeItem(atPath: path) }
}
