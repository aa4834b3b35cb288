internal import EncryptedSQLite
internal import GRDBSQLite
internal import Synchronization
internal import TestSupport

/// What of a folder's files a loss of power leaves. Names of files are taken to be there at once.
package final class DurableFiles: Sendable {
    private let files: Mutex<[String: DurableBytes]>

    /// - Parameter contents: what is on the disk already, by name.
    package init(_ contents: [String: [UInt8]] = [:]) { files = Mutex(contents.mapValues { DurableBytes($0) }) }

    /// What is on the disk, by name.
    package var contents: [String: [UInt8]] { files.withLock { $0.mapValues(\.bytes) } }

    func opened(_ name: String) { files.withLock { $0[name] = $0[name] ?? DurableBytes() } }

    func deleted(_ name: String) { files.withLock { $0[name] = nil } }

    func wrote(_ name: String, _ range: Range<Int>) { files.withLock { $0[name]?.wrote(range) } }

    /// A flush was refused.
    func refused(_ name: String) { files.withLock { $0[name]?.refused() } }

    /// A flush has succeeded.
    func flushed(_ name: String, _ layer: any FileLayer) {
        var size: Int64 = 0
        precondition(layer.size(&size) == SQLITE_OK, "a file under test cannot be measured")
        files.withLock {
            $0[name]?.flushed(size: Int(size)) { range in
                var bytes = [UInt8](repeating: 0, count: range.count)
                let code = bytes.withUnsafeMutableBytes { layer.read($0, at: Int64(range.lowerBound)) }
                precondition(code == SQLITE_OK, "a file under test cannot be read")
                return bytes
            }
        }
    }
}
