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
}
