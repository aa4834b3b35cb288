internal import EncryptedSQLite
internal import Synchronization

/// What of a folder's files a loss of power leaves.
///
/// As Linux has it: a flush that fails drops what was to be flushed, although it can still be read, and the next one succeeds without it. Only
/// what is written again comes to the disk. Names of files are taken to be there at once.
package final class DurableFiles: Sendable {
    private struct File {
        var bytes: [UInt8] = []
        /// What was written and not flushed.
        var written: [Range<Int>] = []
    }

    private let files: Mutex<[String: File]>

    /// - Parameter contents: what is on the disk already, by name.
    package init(_ contents: [String: [UInt8]] = [:]) { files = Mutex(contents.mapValues { File(bytes: $0) }) }

    /// What is on the disk, by name.
    package var contents: [String: [UInt8]] { files.withLock { $0.mapValues(\.bytes) } }

    func opened(_ name: String) { files.withLock { $0[name] = $0[name] ?? File() } }

    func deleted(_ name: String) { files.withLock { $0[name] = nil } }

    func wrote(_ name: String, _ range: Range<Int>) { files.withLock { $0[name]?.written.append(range) } }

    /// A flush was refused.
    func refused(_ name: String) { files.withLock { $0[name]?.written = [] } }

    func flushed(_ name: String, _ layer: any FileLayer) {
        files.withLock { files in
            guard var file = files[name] else { return }
            var size: Int64 = 0
            _ = layer.size(&size)
            for range in file.written where range.lowerBound < Int(size) {
                let range = range.clamped(to: 0..<Int(size))
                if file.bytes.count < range.upperBound { file.bytes += repeatElement(0, count: range.upperBound - file.bytes.count) }
                file.bytes.withUnsafeMutableBytes { bytes in
                    _ = layer.read(UnsafeMutableRawBufferPointer(rebasing: bytes[range]), at: Int64(range.lowerBound))
                }
            }
            file.written = []
            file.bytes.removeLast(max(0, file.bytes.count - Int(size)))
            files[name] = file
        }
    }
}
