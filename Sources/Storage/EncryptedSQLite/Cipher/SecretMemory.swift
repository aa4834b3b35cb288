internal import CSodium

/// Key material in memory of its own: between guard pages, kept out of core dumps, wiped when the last owner lets go.
///
/// It is locked against swapping as far as the process's limit of locked memory goes (`ulimit -l`); beyond that it is not, and nothing
/// is said. The cipher contexts that are made from keys live in OpenSSL's own memory, which is wiped and not locked.
final class SecretMemory: @unchecked Sendable {
    // Written only in `init`, before the object is shared.
    private let storage: UnsafeMutableRawPointer
    let count: Int

    /// Takes `count` bytes and lets `fill` write them.
    ///
    /// - Throws: ``StorageError`` `unavailable` when there is no memory; what `fill` throws.
    init(count: Int, fill: (UnsafeMutableRawBufferPointer) throws(StorageError) -> Void) throws(StorageError) {
        guard sodium_init() >= 0, let storage = sodium_malloc(max(count, 1)) else {
            throw StorageError(.unavailable, "there is no memory for a key")
        }
        do throws(StorageError) {
            try fill(UnsafeMutableRawBufferPointer(start: storage, count: count))
        } catch {
            sodium_free(storage)
            throw error
        }
        self.storage = storage
        self.count = count
    }

    deinit { sodium_free(storage) }

    /// Lends the bytes for the time of the call. They must not be kept.
    func withBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeRawBufferPointer(start: storage, count: count))
    }

    /// Compares in time that depends on the sizes only.
    func equals(_ other: SecretMemory) -> Bool {
        count == other.count && sodium_memcmp(storage, other.storage, count) == 0
    }
}
