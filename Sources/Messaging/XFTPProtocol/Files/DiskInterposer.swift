import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A kind of operation on files that the disk may refuse.
package enum DiskOperation: String, CaseIterable, Sendable {
    /// Opens a file, or creates one.
    case open
    case read, write
    /// Flushes a file or a folder.
    case synchronize
    /// Renames or links a file.
    case rename
    /// Removes a file or a folder.
    case remove
    case makeFolder
    /// Reads the names in a folder.
    case list
}

/// Stands between files of this module and the disk: tests make the disk fail with one.
package protocol DiskInterposer: AnyObject, Sendable {
    /// Told before an operation on a path.
    ///
    /// - Returns: The `errno` to fail with; nil to let the operation happen.
    func willPerform(_ operation: DiskOperation, on path: String) -> Int32?
}

/// The interposers of this process.
package enum DiskInterposers {
    private static let isEmpty = Atomic(true)
    private static let all = Mutex<[any DiskInterposer]>([])

    package static func add(_ interposer: any DiskInterposer) {
        all.withLock { $0.append(interposer) }
        isEmpty.store(false, ordering: .releasing)
    }

    package static func remove(_ interposer: any DiskInterposer) {
        all.withLock { all in
            all.removeAll { $0 === interposer }
            isEmpty.store(all.isEmpty, ordering: .releasing)
        }
    }

    /// True if an operation may happen; otherwise `errno` is the reason of its failure.
    package static func allow(_ operation: DiskOperation, on path: String) -> Bool {
        guard !isEmpty.load(ordering: .acquiring) else { return true }
        for interposer in all.withLock({ $0 }) {
            if let number = interposer.willPerform(operation, on: path) {
                errno = number
                return false
            }
        }
        return true
    }
}
