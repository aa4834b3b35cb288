internal import CProgramFiles
internal import WholeFiles

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What this process holds of the machine's memory.
public enum ResidentMemory {
    /// Gives back to the system what starting took and going on does not need: free memory of the heap, and pages of program files. Nothing
    /// is lost: what is used again of the files comes from the kernel's cache, by a fault of a microsecond.
    ///
    /// For programs that run for long: starting goes through three times the code that serving does.
    public static func release() {
        releaseHeap()
        releaseFilePages()
    }

    /// Does so for a program that is ready now, a little later: when that which its start began has come to rest too.
    public static func releaseSoon() {
        Task {
            try await Task.sleep(for: restTime)
            release()
        }
    }

    private static let restTime = Duration.seconds(3)

    /// Gives back free memory of the heap.
    public static func releaseHeap() {
        // Of glibc alone, and not in Swift's module of it.
        typealias Trim = @convention(c) (Int) -> Int32
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }

    /// Forgets the pages of the program and its libraries that nobody can have changed in memory. Where the kernel does not tell of them, as
    /// outside Linux, nothing happens.
    static func releaseFilePages() {
        #if os(Linux)
            guard let text = try? WholeFile.contents(ofFile: "/proc/self/smaps") else { return }
            let mappings = MemoryMapping.list(smaps: text)
            let ranges = mappings.filter(\.isReplaceable).map { program_range(start: $0.addresses.lowerBound, end: $0.addresses.upperBound) }
            program_files_forget(ranges, ranges.count)
        #endif
    }
}
