#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The memory of the C library's allocator.
package enum Heap {
    /// Returns free memory to the system. Without it a process keeps what a large piece of work has freed in small parts, such as reading a
    /// router's journal. Outside glibc nothing happens.
    package static func trim() {
        // Of glibc alone, and not in Swift's module of it.
        typealias Trim = @convention(c) (Int) -> Int32
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }

    /// Limits the parts into which the allocator divides its memory, so that several threads can use it at once, to one for four cores.
    ///
    /// By default there are eight for each core. Blocks of messages are made by one thread and freed by another, so each part keeps free memory that the
    /// others cannot use: a relay that sent a post to 10,000 subscribers had 90 MB, where 38 MB were in use. It must be called before there are threads:
    /// they keep the part that they have. Outside glibc nothing happens.
    package static func limitArenas() { _ = limitedArenas }

    private static let limitedArenas: Bool = {
        typealias SetOption = @convention(c) (Int32, Int32) -> Int32
        // M_ARENA_MAX of malloc.h. Anyone who sets the environment variable has decided.
        let option: Int32 = -8
        guard getenv("MALLOC_ARENA_MAX") == nil, let symbol = dlsym(nil, "mallopt") else { return false }
        return unsafeBitCast(symbol, to: SetOption.self)(option, Int32(clamping: arenas(cores: sysconf(Int32(_SC_NPROCESSORS_ONLN))))) == 1
    }()

    /// The number of parts for a number of cores: at least 1, since 0 would stand for the default.
    static func arenas(cores: Int) -> Int { max(1, cores / 4) }
}
