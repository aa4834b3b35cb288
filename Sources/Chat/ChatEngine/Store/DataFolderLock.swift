#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import Synchronization

/// The advisory lock that keeps a data folder to one core: a locked file `<prefix>.lock` beside the databases.
///
/// The lock goes with the process, so a core that was killed leaves nothing behind that must be cleaned up.
final class DataFolderLock: Sendable {
    private let descriptor: Mutex<Int32?>

    /// Takes the lock, or fails with `locked` at once when another core holds it.
    init(prefix: String) throws(ChatStoreError) {
        let path = prefix + ".lock"
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw ChatStoreError(.unavailable, "cannot create \(path): error \(errno). Check that the data folder exists and can be written.")
        }
        // flock belongs to the open file, so a second core in this process is refused too, which record locks would not do.
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            _ = close(file)
            throw ChatStoreError(.locked, "\(path) is held by another process: stop it, or use another data folder.")
        }
        descriptor = Mutex(file)
    }

    /// Gives the lock back; calling it twice is harmless.
    func release() {
        descriptor.withLock { file in
            guard let open = file else { return }
            _ = flock(open, LOCK_UN)
            _ = close(open)
            file = nil
        }
    }

    deinit { release() }
}

/// Makes an empty file that only its owner can read, unless there is a file already.
func makePrivateFile(_ path: String) {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if file >= 0 { _ = close(file) }
}
