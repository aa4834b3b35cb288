#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The memory of the C library's allocator.
package enum Heap {
    /// Returns free memory to the system. Without this call, a process keeps memory that a large operation, such as reading a router's journal,
    /// has freed in small parts. Does nothing without glibc.
    package static func trim() {
        // The function exists only in glibc, and is not in Swift's module.
        typealias Trim = @convention(c) (Int) -> Int32
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }

    /// Limits the arenas of the allocator, which let several threads allocate at once, to one for four cores.
    ///
    /// The default is eight arenas for each core. One thread allocates blocks of messages and another frees them, so each arena keeps free memory that
    /// the others cannot use: a relay that sent a post to 10,000 subscribers had 90 MB, of which 38 MB were in use. Must be called before threads start,
    /// because they keep their arena. Does nothing without glibc.
    package static func limitArenas() { _ = limitedArenas }

    private static let limitedArenas: Bool = {
        typealias SetOption = @convention(c) (Int32, Int32) -> Int32
        // M_ARENA_MAX of malloc.h. The environment variable takes precedence.
        let option: Int32 = -8
        guard getenv("MALLOC_ARENA_MAX") == nil, let symbol = dlsym(nil, "mallopt") else { return false }
        return unsafeBitCast(symbol, to: SetOption.self)(option, Int32(clamping: arenas(cores: sysconf(Int32(_SC_NPROCESSORS_ONLN))))) == 1
    }()

    /// Returns the number of arenas for a number of cores: at least 1, because 0 would mean the default.
    static func arenas(cores: Int) -> Int { max(1, cores / 4) }
}
