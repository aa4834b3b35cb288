import Synchronization
package import XFTPProtocol

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A disk beneath the files of transfers, and the chunks of a file router, that can be told to fail.
package final class FileFaults: DiskInterposer {
    private struct State {
        var operation: DiskOperation?
        var number = 0
        var times = 0
        var seen = 0
        var failed = 0
    }

    private let folder: String
    private let state = Mutex(State())

    private init(below folder: String) { self.folder = folder + "/" }

    /// Runs `body` with a disk that can fail below a folder.
    ///
    /// - Parameter folder: The absolute path, written as the paths of the files are.
    package static func with<Value>(below folder: String, _ body: (FileFaults) async throws -> Value) async rethrows -> Value {
        let faults = FileFaults(below: folder)
        DiskInterposers.add(faults)
        defer { DiskInterposers.remove(faults) }
        return try await body(faults)
    }

    /// Makes operations fail from the `number`-th one on, counted from now. Replaces what was asked before.
    ///
    /// - Parameter times: How many fail.
    package func fail(_ operation: DiskOperation, number: Int, times: Int) {
        state.withLock { $0 = State(operation: operation, number: number, times: times) }
    }

    /// Lets everything succeed again. ``failures`` keeps what it was.
    package func heal() { state.withLock { $0.operation = nil } }

    /// How many operations have failed since the last ``fail(_:number:times:)``.
    package var failures: Int { state.withLock(\.failed) }

    /// `ENOSPC` for writes, alternating with `EIO`, which is the only one for other operations.
    package func willPerform(_ operation: DiskOperation, on path: String) -> Int32? {
        guard path.hasPrefix(folder) || path + "/" == folder else { return nil }
        return state.withLock { state in
            guard state.operation == operation else { return nil }
            state.seen += 1
            guard state.seen >= state.number, state.failed < state.times else { return nil }
            state.failed += 1
            return operation == .write && state.number % 2 == 0 ? ENOSPC : EIO
        }
    }
}
