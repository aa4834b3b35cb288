internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An advisory lock on a file, which keeps a data folder to one user.
///
/// The lock goes with the process, so one that was killed leaves nothing behind that must be cleaned up.
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
        // flock belongs to the open file, so a second taker in this process is refused too, which record locks would not do.
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            _ = close(file)
            throw StorageError(.locked, "\(path) is held by another process: stop it, or use another data folder.")
        }
        descriptor = Mutex(file)
    }

    /// Gives the lock back; calling it twice is harmless.
    package func release() {
        descriptor.withLock { file in
            guard let open = file else { return }
            _ = flock(open, LOCK_UN)
            _ = close(open)
            file = nil
        }
    }

    deinit { release() }

    /// Makes an empty file that only its owner can read, unless there is a file already.
    static func makePrivateFile(_ path: String) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if file >= 0 { _ = close(file) }
    }
}
