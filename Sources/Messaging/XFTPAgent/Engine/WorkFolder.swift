import SMPWire
import SystemSupport
import XFTPProtocol

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The files of transfers that are under way: a folder for each transfer. Calls block.
struct WorkFolder: Sendable {
    let path: String

    private func name(_ id: FileTransferID) -> String { Base64URL.encode(id.bytes, padded: false) }
    private func folder(_ id: FileTransferID) -> String { path + "/" + name(id) }

    /// - Throws: ``FileFormatError`` `io`.
    func make() throws(FileFormatError) { try make(path) }

    /// Creates the folder of a transfer if necessary.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    func make(for id: FileTransferID) throws(FileFormatError) { try make(folder(id)) }

    private func make(_ path: String) throws(FileFormatError) {
        guard DiskInterposers.allow(.makeFolder, on: path), mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw FileFormatError(.io, "the folder \(path) cannot be created: \(String(cString: strerror(errno)))")
        }
    }

    func encrypted(_ id: FileTransferID) -> String { folder(id) + "/encrypted" }
    func description(_ id: FileTransferID) -> String { folder(id) + "/description" }

    /// - Parameter isRedirected: whether a redirect was followed; its chunks have other names.
    func chunk(_ number: Int, of id: FileTransferID, isRedirected: Bool) -> String { folder(id) + (isRedirected ? "/redirected-" : "/chunk-") + "\(number)" }

    /// Removes the files of a transfer.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    func remove(_ id: FileTransferID) throws(FileFormatError) { try remove(folder(id)) }

    private func remove(_ folder: String) throws(FileFormatError) {
        for name in try Self.names(in: folder) { try DiskFile.remove(folder + "/" + name) }
        guard DiskInterposers.allow(.remove, on: folder), rmdir(folder) == 0 || errno == ENOENT else {
            throw FileFormatError(.io, "the folder \(folder) cannot be removed: \(String(cString: strerror(errno)))")
        }
    }

    /// Removes the files of all other transfers.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    func removeAll(but ids: [FileTransferID]) throws(FileFormatError) {
        let known = Set(ids.map(name))
        for name in try Self.names(in: path) where !known.contains(name) { try remove(path + "/" + name) }
    }

    /// Lists the names in a folder; none if there is no folder. A folder that cannot be read now is an error.
    private static func names(in folder: String) throws(FileFormatError) -> [String] {
        do throws(SystemError) {
            guard DiskInterposers.allow(.list, on: folder) else { throw SystemError() }
            return try FolderListing.names(in: folder)
        } catch {
            if error.isMissingFile { return [] }
            throw FileFormatError(.io, "the folder \(folder) cannot be read: \(error)")
        }
    }

    /// Gives a complete file its name. The name must have no file, or an empty one that reserves it. A repetition after a success does
    /// nothing.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    static func keep(_ part: String, as target: String) throws(FileFormatError) {
        if isEmptyFile(target) { try DiskFile.remove(target) }
        guard isKept(part, as: target) || DiskInterposers.allow(.rename, on: part) && link(part, target) == 0 else {
            throw FileFormatError(.io, "the received file cannot be named \(target): \(String(cString: strerror(errno)))")
        }
        let end = target.lastIndex(of: "/")
        try DiskFile.synchronizeFolder(end.map { $0 == target.startIndex ? "/" : String(target[..<$0]) } ?? ".")
    }

    /// Checks whether ``keep(_:as:)`` has given a file its name. It is complete then, and must not be written again.
    static func isKept(_ part: String, as target: String) -> Bool { isSame(part, target) }

    /// Removes a file that is no longer wanted, also under its final name.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    static func discard(_ part: String, _ target: String) throws(FileFormatError) {
        if isSame(part, target) { try DiskFile.remove(target) }
        try DiskFile.remove(part)
    }

    private static func isEmptyFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        var first = stat()
        var second = stat()
        return lstat(one, &first) == 0 && lstat(other, &second) == 0 && first.st_ino == second.st_ino && first.st_dev == second.st_dev
    }
}
