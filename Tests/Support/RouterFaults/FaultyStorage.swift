package import Dispatch
package import RouterSupport
package import SMPWire
package import Synchronization
internal import TestSupport

/// A disk that can be told to fail, and that forgets at a loss of power what was not synchronized.
package final class FaultyStorage: SegmentStorage {
    package enum Operation: CaseIterable { case append, rewrite, synchronize, create, remove }

    private struct State {
        /// As the process sees the files.
        var present: [UInt64: Bytes] = [:]
        /// As the disk has them.
        var durable: [UInt64: DurableBytes] = [:]
        var count = 0
        var failing: Range<Int> = 0..<0
        /// The operations that have failed.
        var failed: [Operation] = []
    }

    private let state = Mutex(State())
    package let fails = Atomic(false)
    /// While set, synchronizing does not return.
    package let held = DispatchGroup()
    /// Whether a write that fails has written a part.
    package let tears: Bool
    /// Asked before each operation, apart from what it is told to fail.
    private let refuses: @Sendable () -> Bool

    package init(tears: Bool = false, refuses: @escaping @Sendable () -> Bool = { false }) {
        self.tears = tears
        self.refuses = refuses
    }

    /// What is left after a loss of power.
    package var durableContents: [UInt64: Bytes] { state.withLock { $0.durable.mapValues(\.bytes) } }
    /// What is left when the process is killed.
    package var contents: [UInt64: Bytes] { state.withLock { $0.present } }
    /// Operations so far.
    package var operations: Int { state.withLock { $0.count } }
    package var failed: [Operation] { state.withLock { $0.failed } }

    /// Nothing reaches the disk any more, until ``recover()``.
    package func losePower() { fails.store(true, ordering: .relaxed) }

    /// After ``losePower()``: files are what the disk has of them.
    package func recover() {
        loseWhatIsNotDurable { _ in 0 }
        fails.store(false, ordering: .relaxed)
    }

    /// The power fails, and comes back: of the bytes at a file's end that were not synchronized, so many are kept.
    package func loseWhatIsNotDurable(keeping kept: (Int) -> Int) {
        state.withLock { state in
            for (base, present) in state.present.sorted(by: { $0.key < $1.key }) {
                var durable = state.durable[base] ?? DurableBytes()
                if present.count > durable.bytes.count { durable.keep(present[durable.bytes.count...].prefix(kept(present.count - durable.bytes.count))) }
                durable.refused()
                state.durable[base] = durable
                state.present[base] = durable.bytes
            }
        }
    }

    /// Has the operations fail that are numbered so, from 0.
    package func fail(_ numbers: Range<Int>) { state.withLock { $0.failing = numbers } }

    package func list() throws(RouterError) -> [UInt64] { state.withLock { $0.present.keys.sorted() } }

    package func create(base: UInt64) throws(RouterError) -> any SegmentFile {
        let isFailing = fails(.create)
        // The name may be there all the same.
        if !isFailing || tears {
            state.withLock { state in
                state.present[base] = []
                state.durable[base] = DurableBytes()
            }
        }
        if isFailing { throw Self.error }
        return File(base, self)
    }

    package func open(base: UInt64) throws(RouterError) -> any SegmentFile { File(base, self) }

    package func remove(base: UInt64) throws(RouterError) {
        if fails(.remove) { throw Self.error }
        state.withLock { state in
            state.present[base] = nil
            state.durable[base] = nil
        }
    }

    private static let error = RouterError(.storage, "no space left")

    private func fails(_ operation: Operation) -> Bool {
        let isFailing = fails.load(ordering: .relaxed) || refuses()
        return state.withLock { state in
            defer { state.count += 1 }
            guard isFailing || state.failing.contains(state.count) else { return false }
            state.failed.append(operation)
            return true
        }
    }

    private final class File: SegmentFile {
        let base: UInt64
        let storage: FaultyStorage

        init(_ base: UInt64, _ storage: FaultyStorage) {
            self.base = base
            self.storage = storage
        }

        var size: Int { storage.state.withLock { $0.present[base]?.count ?? 0 } }

        func append(_ bytes: Bytes) throws(RouterError) {
            let isFailing = storage.fails(.append)
            if !isFailing { return write(bytes, at: size) }
            // What a torn write leaves is cut off by who wrote; the disk may have seen it.
            if storage.tears {
                let start = size
                write(Bytes(bytes.prefix(bytes.count / 2)), at: start)
                storage.state.withLock { $0.present[base]?.removeSubrange(start...) }
            }
            throw FaultyStorage.error
        }

        func rewrite(_ bytes: Bytes, at offset: Int) throws(RouterError) {
            if storage.fails(.rewrite) { throw FaultyStorage.error }
            write(bytes, at: offset)
        }

        private func write(_ bytes: Bytes, at offset: Int) {
            storage.state.withLock { state in
                state.present[base, default: []].overwrite(bytes, at: offset)
                state.durable[base]?.wrote(offset..<offset + bytes.count)
            }
        }

        func read(at offset: Int, count: Int) throws(RouterError) -> Bytes {
            storage.state.withLock { state in
                let bytes = state.present[base] ?? []
                return offset < bytes.count ? Bytes(bytes[offset..<min(bytes.count, offset + count)]) : []
            }
        }

        func synchronize() throws(RouterError) {
            storage.held.wait()
            let isFailing = storage.fails(.synchronize)
            storage.state.withLock { state in
                let present = state.present[base] ?? []
                if isFailing { state.durable[base]?.refused() } else { state.durable[base]?.flushed(size: present.count) { present[$0] } }
            }
            if isFailing { throw FaultyStorage.error }
        }

        func truncate(to size: Int) throws(RouterError) {
            storage.state.withLock { state in
                if let count = state.present[base]?.count, count > size { state.present[base]?.removeLast(count - size) }
            }
            try synchronize()
        }
    }
}

extension Bytes {
    /// Puts bytes at an offset; a gap before them is zeros.
    fileprivate mutating func overwrite(_ bytes: Bytes, at offset: Int) {
        if count < offset + bytes.count { append(contentsOf: repeatElement(0, count: offset + bytes.count - count)) }
        replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
}
