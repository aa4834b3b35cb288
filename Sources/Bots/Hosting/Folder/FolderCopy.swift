internal import Foundation
internal import SystemSupport

/// Copies of files and folders that are on disk when they are made.
enum FolderCopy {
    /// Bytes copied at a time.
    private static let step = 1 << 20

    /// Copies a file, or a folder with what is in it. Sockets, locks and files whose writing was interrupted are left out, and so is what is removed
    /// meanwhile.
    ///
    /// - Parameter isLeftOut: tells by its name whether a file in the folder itself is left out.
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
            // Removed since it was found.
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
