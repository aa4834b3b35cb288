import RouterSupport
import SMPProtocol
import SMPWire
import Synchronization
import SystemSupport
import XFTPProtocol

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The chunks of a file router as files in a folder. A chunk that is being uploaded has a temporary name, and gets its final one when it is complete
/// and on the disk. Calls block.
final class ChunkFolder: Sendable {
    private static let temporaryEnding = ".new"

    private let path: String
    private let counter = Atomic<UInt64>(0)

    /// Creates the folder if necessary.
    ///
    /// - Throws: ``RouterError`` `storage`.
    init(_ path: String) throws(RouterError) {
        self.path = path
        guard DiskInterposers.allow(.makeFolder, on: path), mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw RouterError(.storage, "cannot make the folder \(path): \(String(cString: strerror(errno)))")
        }
    }

    private static func name(_ id: EntityID) -> String { Base64URL.encode(id.bytes, padded: false) }

    func path(of id: EntityID) -> String { path + "/" + Self.name(id) }

    /// Makes a unique temporary path for a chunk that is being uploaded.
    func temporaryPath(for id: EntityID) -> String {
        "\(path(of: id)).\(counter.add(1, ordering: .relaxed).newValue)\(Self.temporaryEnding)"
    }

    /// Gives a complete chunk its final name, and flushes the name to the disk.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    func keep(_ temporary: String, as id: EntityID) throws(FileFormatError) {
        try DiskFile.rename(temporary, to: path(of: id))
        try DiskFile.synchronizeFolder(path)
    }

    /// - Throws: ``FileFormatError`` `io`.
    func remove(_ id: EntityID) throws(FileFormatError) { try DiskFile.remove(path(of: id)) }

    /// Removes files that are not needed: uploads that were incomplete when the process ended, and chunks that are not in the journal.
    ///
    /// - Returns: the ids of chunks whose file has the right size or cannot be opened, and the number of removed files.
    /// - Throws: ``RouterError`` `storage`.
    func clean(expected: [EntityID: UInt32]) throws(RouterError) -> (present: Set<EntityID>, removed: Int) {
        var left = expected
        var present: Set<EntityID> = []
        var removed = 0
        for name in try list() {
            if !name.hasSuffix(Self.temporaryEnding), let bytes = Base64URL.decode(name), let size = left.removeValue(forKey: EntityID(bytes)),
                hasSize(size, path + "/" + name)
            {
                present.insert(EntityID(bytes))
                continue
            }
            do throws(FileFormatError) { try DiskFile.remove(path + "/" + name) } catch { throw RouterError(.storage, error.message) }
            removed += 1
        }
        return (present, removed)
    }

    /// Checks whether a file has the size of its chunk, or cannot be opened at present: the disk may work again later, and clients that
    /// request the chunk get an error that says so.
    private func hasSize(_ size: UInt32, _ path: String) -> Bool {
        do throws(FileFormatError) {
            return try DiskFile.open(path).size == Int64(size)
        } catch {
            return !error.isMissing
        }
    }

    private func list() throws(RouterError) -> [String] {
        do throws(SystemError) {
            guard DiskInterposers.allow(.list, on: path) else { throw SystemError() }
            return try FolderListing.names(in: path)
        } catch {
            throw RouterError(.storage, "cannot list \(path): \(error)")
        }
    }
}
