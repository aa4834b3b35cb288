internal import Foundation
internal import SystemSupport

/// Copying of files and folders. A copy is on disk when its call returns.
enum FolderCopy {
    /// Bytes copied at a time.
    private static let step = 1 << 20

    /// Copies a file, or a folder with its content. Sockets, locks, incompletely written files, and files that are removed meanwhile are left
    /// out.
    ///
    /// - Parameter isLeftOut: returns whether a file directly in the folder is left out, by its name.
    static func copy(_ source: String, to target: String, leavingOut isLeftOut: (String) -> Bool = { _ in false }) throws {
        let manager = FileManager.default
        var isFolder: ObjCBool = false
        guard manager.fileExists(atPath: source, isDirectory: &isFolder) else { return }
        guard isFolder.boolValue else { return try copyFile(source, to: target) }
        try manager.createDirectory(atPath: target, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in try manager.contentsOfDirectory(atPath: source) where !isTransient(name) && !isLeftOut(name) {
            let path = source + "/" + name
            let attributes = try? manager.attributesOfItem(atPath: path)
            switch attributes?[.type] as? FileAttributeType {
            case .typeDirectory: try copy(path, to: target + "/" + name)
            case .typeRegular: try copyFile(path, to: target + "/" + name)
            default: continue
            }
        }
        try WholeFile.synchronizeFolder(of: target + "/.")
    }

    private static func isTransient(_ name: String) -> Bool { name.hasSuffix(".lock") || name.hasSuffix(".new") || name.hasSuffix(".sock") }

    private static func copyFile(_ source: String, to target: String) throws {
        let from = open(source, O_RDONLY | O_CLOEXEC)
        guard from >= 0 else {
            let error = SystemError()
            // The file was removed after it was listed.
            if error.isMissingFile { return }
            throw error
        }
        defer { close(from) }
        let to = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard to >= 0 else { throw SystemError() }
        defer { close(to) }
        while true {
            let bytes = try WholeFile.contents(of: from, upTo: step)
            if bytes.isEmpty { break }
            try WholeFile.write(bytes, to: to)
        }
        guard fsync(to) == 0 else { throw SystemError() }
    }
}
