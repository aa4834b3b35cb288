internal import Foundation
internal import Glibc
internal import SMPCrypto

/// The properties that distinguish states of a file without reading it: its times, its size and its place on the disk.
struct FileStamp: Sendable, Hashable {
    private let seconds: Int
    private let nanoseconds: Int
    private let size: Int
    private let number: UInt
    private let device: UInt

    /// The stamp of an open file; nil for a pipe or a device, which cannot be read again.
    init?(of handle: FileHandle) {
        var status = stat()
        guard fstat(handle.fileDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(status)
    }

    /// The stamp of the file at a path; nil if there is none.
    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        (size, number, device) = (Int(status.st_size), UInt(status.st_ino), UInt(status.st_dev))
    }
}

/// A state of a file whose content is known.
///
/// The stamp is older than the content, and of the same open file: what changes the file afterwards gives it another stamp.
struct FileReading: Sendable, Hashable {
    /// Nil for a pipe or a device, and for a file that is not there.
    let stamp: FileStamp?
    private let digest: [UInt8]

    /// Reads a file.
    ///
    /// - Parameter limit: bytes at the most; one more tells that there is too much, whatever the file pretends to be.
    static func read(_ handle: FileHandle, upTo limit: Int) throws -> (data: Data, reading: FileReading) {
        let stamp = FileStamp(of: handle)
        let data = try handle.read(upToCount: limit + 1) ?? Data()
        return (data, FileReading(stamp: stamp, digest: Hash.sha256(Array(data))))
    }

    /// The state of the file at a path; nil if the file does not exist, cannot be read or is not a regular file.
    static func of(_ path: String, upTo limit: Int) -> FileReading? {
        var status = stat()
        // A pipe or a device may never end.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, let handle = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? handle.close() }
        return try? read(handle, upTo: limit).reading
    }

    /// The state of a file that is not there.
    static let missing = FileReading(stamp: nil, digest: [])

    /// True if the content is the same.
    func hasContent(of other: FileReading?) -> Bool { digest == (other ?? .missing).digest }
}
