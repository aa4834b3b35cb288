/// A moment between two changes on the disk, in the store or on a router, at which tests end a transfer as a kill would.
enum FileStep: String, CaseIterable, Sendable {
    /// The file is encrypted, which is not stored yet.
    case encrypted
    /// A router has accepted the announcement of a chunk, which is not stored yet.
    case announced
    /// A router has a chunk, which is not stored yet.
    case uploaded
    /// The upload is complete, and not reported yet.
    case uploadComplete
    /// A chunk is received, and not used yet.
    case received
    /// A redirect was followed, and its chunks still exist.
    case redirected
    /// The file is complete, at the path beside its own.
    case decrypted
    /// The file is at its path, which is not stored yet.
    case kept
    /// The download is complete, and not reported yet.
    case downloadComplete
}
