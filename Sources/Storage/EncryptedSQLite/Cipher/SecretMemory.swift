internal import CSodium

/// Key material in separate memory: between guard pages, excluded from core dumps, wiped when the last reference ends.
///
/// It is locked against swapping up to the process's limit of locked memory (`ulimit -l`); beyond that it is not locked, and nothing
/// reports this. The cipher contexts made from keys are in OpenSSL's own memory, which is wiped and not locked.
final class SecretMemory: @unchecked Sendable {
    // Written only in `init`, before the object is shared.
    private let storage: UnsafeMutableRawPointer
    let count: Int

    /// Allocates `count` bytes and lets `fill` write them.
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

    /// Calls `body` with the bytes, which must not be used after the call.
    func withBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeRawBufferPointer(start: storage, count: count))
    }

    /// Compares in time that depends on the sizes only.
    func equals(_ other: SecretMemory) -> Bool {
        count == other.count && sodium_memcmp(storage, other.storage, count) == 0
    }
}
