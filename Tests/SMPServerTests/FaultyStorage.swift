import Foundation
import SMPWire
import Synchronization

@testable import SMPServer

/// A disk that can be told to fail, and to forget at a loss of power what was not synchronized.
final class FaultyStorage: SegmentStorage {
    private let memory = MemoryStorage()
    private let durable = Mutex<[UInt64: Int]>([:])
    let fails = Atomic(false)
    /// While set, synchronizing does not return.
    let isHeld = Atomic(false)

    /// What is left after a loss of power.
    var durableContents: [UInt64: Bytes] {
        let sizes = durable.withLock { $0 }
        return memory.contents.reduce(into: [:]) { contents, segment in
            contents[segment.key] = Bytes(segment.value.prefix(sizes[segment.key] ?? 0))
        }
    }

    /// What is left when the process is killed.
    var contents: [UInt64: Bytes] { memory.contents }

    func list() throws(RouterError) -> [UInt64] { memory.list() }
    func create(base: UInt64) throws(RouterError) -> any SegmentFile { File(memory.create(base: base), base, self) }
    func open(base: UInt64) throws(RouterError) -> any SegmentFile { File(try memory.open(base: base), base, self) }
    func remove(base: UInt64) throws(RouterError) { memory.remove(base: base) }

    private func check() throws(RouterError) {
        if fails.load(ordering: .relaxed) { throw RouterError(.storage, "no space left") }
    }

    private final class File: SegmentFile {
        let file: any SegmentFile
        let base: UInt64
        let storage: FaultyStorage

        init(_ file: any SegmentFile, _ base: UInt64, _ storage: FaultyStorage) {
            self.file = file
            self.base = base
            self.storage = storage
        }

        var size: Int { file.size }

        func append(_ bytes: Bytes) throws(RouterError) {
            try storage.check()
            try file.append(bytes)
        }

        func read(at offset: Int, count: Int) throws(RouterError) -> Bytes { try file.read(at: offset, count: count) }

        func synchronize() throws(RouterError) {
            while storage.isHeld.load(ordering: .relaxed) { usleep(500) }
            try storage.check()
            storage.durable.withLock { [size = file.size, base] in $0[base] = size }
        }

        func truncate(to size: Int) throws(RouterError) { try file.truncate(to: size) }
    }
}
