import ChatAPI
import Foundation
import SMPCrypto
import Synchronization
import XFTPProtocol

/// The folders for files, and what is asked of received ones.
///
/// A path of a file is relative to the folder for files if one is set, unless it begins with a slash. A relative path never leads out of it.
final class FileFolders: Sendable {
    private struct State {
        var files: String?
        var temporary: String?
        var encryptsFiles = false
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

    /// The full path of a file.
    ///
    /// - Throws: `fileNotFound` for a relative path that leads out of the folder.
    func fullPath(_ path: String) throws(Refusal) -> String {
        guard let files, !path.hasPrefix("/") else { return path }
        guard !path.isEmpty, !path.split(separator: "/", omittingEmptySubsequences: false).contains("..") else {
            throw Refusal.chat(.fileNotFound(message: path))
        }
        return files + "/" + path
    }

    // MARK: Sent files

    /// The size of a file that is to be sent, in bytes of its content.
    ///
    /// - Throws: `fileNotFound`, `fileSize` above the limit, `commandError` for a key that is none.
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
    ///   - wanted: A folder, or the path of the file; nil for the folder for files.
    /// - Returns: The path as it is stored: relative if it is in the folder for files.
    /// - Throws: `fileAlreadyExists`, `fileWrite`.
    func reserve(_ name: String, at wanted: String? = nil) throws(Refusal) -> String {
        guard let wanted else {
            let folder = files ?? Self.defaultFolder(temporary)
            let path = try reserve(name, in: folder)
            return files == nil ? path : String(path.dropFirst(folder.count + 1))
        }
        if Self.isFolder(wanted) { return try reserve(name, in: wanted.hasSuffix("/") ? String(wanted.dropLast()) : wanted) }
        guard try create(wanted) else { throw Refusal.chat(.fileAlreadyExists(filePath: wanted)) }
        return wanted
    }

    private func reserve(_ name: String, in folder: String) throws(Refusal) -> String {
        // All extensions stay at the end: `archive_1.tar.gz`.
        let dot = name.dropFirst().firstIndex(of: ".") ?? name.endIndex
        for number in 0..<Self.attempts {
            let path = folder + "/" + (number == 0 ? name : "\(name[..<dot])_\(number)\(name[dot...])")
            if try create(path) { return path }
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

    /// Removes a file that was reserved or received.
    func remove(_ path: String) {
        guard let full = try? fullPath(path) else { return }
        try? FileManager.default.removeItem(atPath: full)
    }

    private static func defaultFolder(_ temporary: String?) -> String {
        let downloads = NSHomeDirectory() + "/Downloads"
        return isFolder(downloads) ? downloads : temporary ?? NSTemporaryDirectory()
    }
}
