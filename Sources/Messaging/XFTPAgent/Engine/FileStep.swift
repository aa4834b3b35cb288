/// A moment between two things that are done on the disk, in the store or on a router: tests end a transfer there, as a kill would.
enum FileStep: String, CaseIterable, Sendable {
    /// The file is encrypted, and the store does not know.
    case encrypted
    /// A router has taken the announcement of a chunk, and the store does not know.
    case announced
    /// A router has a chunk, and the store does not know.
    case uploaded
    /// The upload is complete, and not reported yet.
    case uploadComplete
    /// A chunk is here, and has not been used.
    case received
    /// A redirect was followed, and its chunks are still there.
    case redirected
    /// The file is whole beside its path.
    case decrypted
    /// The file is at its path, and the store does not know.
    case kept
    /// The download is complete, and not reported yet.
    case downloadComplete
}
