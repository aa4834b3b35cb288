internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An advisory lock on a file, which gives a data folder to one user at a time.
///
/// The lock ends with the process, so a killed process leaves nothing that must be cleaned up.
package final class FolderLock: Sendable {
    private let descriptor: Mutex<Int32?>

    /// Takes the lock, or fails at once when it is held.
    ///
    /// - Throws: ``StorageError`` `locked` or `unavailable`.
    package init(path: String) throws(StorageError) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw StorageError(
                .unavailable, "cannot create \(path): \(String(cString: strerror(errno))). Check that the folder exists and can be written.")
        }
        // flock belongs to the open file, so a second attempt in this process is refused, too, unlike with record locks.
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            _ = close(file)
            throw StorageError(.locked, "\(path) is held by another process: stop it, or use another data folder.")
        }
        descriptor = Mutex(file)
    }

    /// Releases the lock. May be called again.
    package func release() {
        descriptor.withLock { file in
            guard let open = file else { return }
            _ = flock(open, LOCK_UN)
            _ = close(open)
            file = nil
        }
    }

    deinit { release() }

    /// Creates an empty file that only its owner can read, unless the file exists.
    static func makePrivateFile(_ path: String) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if file >= 0 { _ = close(file) }
    }
}
