import CSodium

/// The initialization of libsodium, which chooses implementations for the processor once, before the first use.
enum Sodium {
    private static let isReady = sodium_init() >= 0

    @inline(__always)
    static func start() { precondition(isReady, "libsodium could not be initialised") }
}
