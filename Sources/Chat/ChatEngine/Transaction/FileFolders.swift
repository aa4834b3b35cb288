import ChatAPI
import ChatRules
import ChatStore
import Foundation
import SMPClient
import Synchronization
import XFTPProtocol

/// The folders for files, and the requirements for received files.
///
/// A path of a file is relative to the folder for files if one is set, unless it begins with a slash. A relative path never leads out of it.
final class FileFolders: Sendable {
    private struct State {
        var files: String?
        var temporary: String?
        var encryptsFiles = false
        var network = NetworkConfiguration()
        /// Paths of copies that are being made for a command.
        var held: Set<String> = []
    }

    private let state: Mutex<State>

    init(files: String? = nil, temporary: String? = nil) { state = Mutex(State(files: files, temporary: temporary)) }

    /// The folder for files; nil if none is set.
    var files: String? {
        get { state.withLock { $0.files } }
        set { state.withLock { $0.files = newValue } }
    }

    var temporary: String? {
        get { state.withLock { $0.temporary } }
        set { state.withLock { $0.temporary = newValue } }
    }

    /// True if received files are encrypted on the disk unless a command says otherwise.
    var encryptsFiles: Bool {
        get { state.withLock { $0.encryptsFiles } }
        set { state.withLock { $0.encryptsFiles = newValue } }
    }

    /// The settings by which file routers are reached.
    var network: NetworkConfiguration {
        get { state.withLock { $0.network } }
        set { state.withLock { $0.network = newValue } }
    }

    /// The full path of a file.
    ///
    /// - Throws: `fileNotFound` for a relative path that leads out of the folder.
    func fullPath(_ path: String) throws(Refusal) -> String {
        guard let files, !Self.isAbsolute(path) else { return path }
        // By bytes, as the file system divides it: a slash with a combining mark behind it is another `Character`.
        guard !path.isEmpty, !path.utf8.split(separator: UInt8(ascii: "/")).contains(where: { $0.elementsEqual("..".utf8) }) else {
            throw Refusal.chat(.fileNotFound(message: path))
        }
        return files + "/" + path
    }

    static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

    // MARK: Sent files

    /// The size of a file that is to be sent, in bytes of its content.
    ///
    /// - Throws: `fileNotFound`, `fileSize` above the limit, `commandError` for an invalid key.
    func size(of file: CryptoFile, limit: Int64 = FileLimits.sentFile) throws(Refusal) -> Int64 {
        let source = try localFile(file)
        guard Self.isRegularFile(source.path) else { throw Refusal.chat(.fileNotFound(message: file.filePath)) }
        let size: Int64
        do throws(FileFormatError) {
            size = try source.contentSize()
        } catch {
            throw Refusal.chat(.fileNotFound(message: file.filePath))
        }
        guard size <= limit else { throw Refusal.chat(.fileSize(filePath: file.filePath)) }
        return size
    }

    /// A file with its key, for reading and writing.
    func localFile(_ file: CryptoFile) throws(Refusal) -> LocalFile {
        LocalFile(try fullPath(file.filePath), key: try file.cryptoArguments.map { arguments throws(Refusal) in try arguments.localKey })
    }

    static func isRegularFile(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    // MARK: Received files

    /// Reserves a path for a file that is to be received: an empty file of that name, or of the name with a number if it is taken.
    ///
    /// - Parameters:
    ///   - name: A safe name.
    ///   - wanted: A folder, or the path of the file, relative to the folder for files like all paths; nil for the folder for files.
    /// - Returns: The path as it is stored: relative if it is in the folder for files.
    /// - Throws: `fileNotFound` for a relative path that leads out of the folder, `fileAlreadyExists`, `fileWrite`.
    func reserve(_ name: String, at wanted: String? = nil) throws(Refusal) -> String {
        guard let wanted else {
            let folder = files ?? Self.defaultFolder(temporary)
            let name = try reserve(name, in: folder)
            return files == nil ? folder + "/" + name : name
        }
        let full = try fullPath(wanted)
        // The next process would not find a path relative to the working folder of this one.
        let stored = files == nil && !Self.isAbsolute(wanted) ? FileManager.default.currentDirectoryPath + "/" + wanted : wanted
        if Self.isFolder(full) {
            let name = try reserve(name, in: full)
            return stored + (stored.utf8.last == UInt8(ascii: "/") ? "" : "/") + name
        }
        guard try create(full) else { throw Refusal.chat(.fileAlreadyExists(filePath: wanted)) }
        return stored
    }

    /// - Returns: The name.
    private func reserve(_ name: String, in folder: String) throws(Refusal) -> String {
        // All extensions stay at the end: `archive_1.tar.gz`.
        let dot = name.dropFirst().firstIndex(of: ".") ?? name.endIndex
        for number in 0..<Self.attempts {
            let candidate = number == 0 ? name : "\(name[..<dot])_\(number)\(name[dot...])"
            if try create(folder + "/" + candidate) { return candidate }
        }
        throw Refusal.chat(.fileWrite(filePath: folder + "/" + name, message: "there are \(Self.attempts) files of that name"))
    }

    /// The names that are tried for a file.
    private static let attempts = 10_000

    /// Makes an empty file; false if there is something of that name.
    private func create(_ path: String) throws(Refusal) -> Bool {
        do throws(FileFormatError) {
            _ = try DiskFile.create(path)
            return true
        } catch {
            if FileManager.default.fileExists(atPath: path) { return false }
            throw Refusal.chat(.fileWrite(filePath: path, message: error.message))
        }
    }

    /// Keeps a copy that is being made, and that no file of the store is at yet, from being removed.
    func hold(_ path: String) { state.withLock { _ = $0.held.insert(path) } }
    func release(_ path: String) { state.withLock { _ = $0.held.remove(path) } }
    func isHeld(_ path: String) -> Bool { state.withLock { $0.held.contains(path) } }

    /// Removes a file that was reserved, received or copied. A relative path without a folder for files is somebody else's file.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    func remove(_ path: String) throws(FileFormatError) {
        guard files != nil || Self.isAbsolute(path), let full = try? fullPath(path) else { return }
        try DiskFile.remove(full)
    }

    private static func defaultFolder(_ temporary: String?) -> String {
        // Services and containers set another home than the one of the user's account.
        let downloads = (ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()) + "/Downloads"
        if isFolder(downloads) { return downloads }
        let folder = temporary ?? NSTemporaryDirectory()
        return folder.utf8.count > 1 && folder.utf8.last == UInt8(ascii: "/") ? String(folder.dropLast()) : folder
    }
}
