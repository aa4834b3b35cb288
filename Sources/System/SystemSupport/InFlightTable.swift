internal import CCrashSignals
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A small memory-mapped file with the items that are being processed, for the next process after this one has died.
///
/// Recording an item copies some bytes within the process, and waits for no disk. The system keeps the records when the process dies, and loses
/// them when the machine fails; then the items in progress did not cause the crash. The file contains names only, and only its owner can read
/// it.
///
/// Layout: 16 bytes that name the format; a byte that a crash sets to 1, and 15 that are 0; then slots of 64 bytes: the length of the name (0 if the
/// slot is free), and the name.
package final class InFlightTable: Sendable {
    private static let format: [UInt8] = Array("PARLEY inflight2".utf8)
    private static let headerSize = format.count + 16
    private static let slotSize = InFlightKey.longest + 1
    /// The maximum size of a file that is read: another program has written a larger one.
    private static let largestFile = 1 << 20

    /// The keys that were being processed when the previous process died; empty after one that ended cleanly. They stay in the file until
    /// ``forgetLeftBehind()``.
    package let leftBehind: [InFlightKey]
    /// The way in which the previous process ended. Only a program that handles the signals of crashes (`parley_end_on_crash`) reports a crash.
    package let previousEnd: ProcessEnd
    package let slots: Int

    private nonisolated(unsafe) let memory: UnsafeMutableRawPointer
    private let length: Int
    private let crashMark: Int32
    private let state: Mutex<State>

    /// The record of an item that is being processed.
    package struct Entry: Sendable {
        fileprivate let slot: Int
        /// The number that distinguishes the entry from earlier ones in the slot.
        fileprivate let number: UInt64
    }

    private struct State {
        var free: [Int]
        /// The number of the entry in each slot; 0 if the slot is free.
        var numbers: [UInt64]
        var last: UInt64 = 0

        init(slots: Int) {
            free = Array((0..<slots).reversed())
            numbers = Array(repeating: 0, count: slots)
        }

        mutating func take() -> Entry? {
            guard let slot = free.popLast() else { return nil }
            last += 1
            numbers[slot] = last
            return Entry(slot: slot, number: last)
        }
    }

    /// Opens the file, and creates it if necessary.
    ///
    /// - Parameters:
    ///   - path: the path, which only one process at a time may use.
    ///   - slots: the number of items that can be recorded at once, 1 to 4,096.
    /// - Throws: ``InFlightError``; the program works without the file, but cannot find the items in progress after a crash.
    package init(path: String, slots: Int) throws(InFlightError) {
        let slots = min(max(slots, 1), 4_096), length = Self.headerSize + slots * Self.slotSize
        let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw InFlightError("cannot open \(path)") }
        defer { close(file) }
        let found = try Self.contents(of: file, path)
        leftBehind = Self.keys(in: found)
        previousEnd = Self.end(in: found)
        let image = Self.image(of: leftBehind, after: previousEnd, slots: slots)
        if found != image {
            // The bytes are written, not only reserved: accessing a mapped page without space on a full disk would end the process.
            guard fchmod(file, 0o600) == 0, ftruncate(file, 0) == 0, pwrite(file, image, length, 0) == length else {
                throw InFlightError("cannot write \(path)")
            }
        }
        guard let memory = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED else {
            throw InFlightError("cannot map \(path)")
        }
        self.memory = memory
        self.length = length
        self.slots = slots
        state = Mutex(State(slots: slots))
        crashMark = parley_mark_on_crash((memory + Self.format.count).assumingMemoryBound(to: UInt8.self))
    }

    deinit {
        parley_forget_mark(crashMark)
        munmap(memory, length)
    }

    /// Clears the keys left behind, after they are counted. Must be called before any item is recorded.
    package func forgetLeftBehind() {
        (memory + Self.format.count).storeBytes(of: 0, as: UInt8.self)
        for slot in 0..<slots { (memory + Self.headerSize + slot * Self.slotSize).storeBytes(of: 0, as: UInt8.self) }
    }

    /// Records that an item is being processed.
    ///
    /// - Returns: the entry for ``end(_:)``; nil when all slots are in use, and the item is not recorded.
    package func begin(_ key: InFlightKey) -> Entry? {
        guard let entry = state.withLock({ $0.take() }) else { return nil }
        let place = memory + Self.headerSize + entry.slot * Self.slotSize
        key.bytes.withUnsafeBytes { (place + 1).copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(place), byteCount: $0.count) }
        // The name is written before its length: a name without a length does not count, but a length without its name would give a wrong name.
        atomicMemoryFence(ordering: .releasing)
        place.storeBytes(of: UInt8(truncatingIfNeeded: key.bytes.count), as: UInt8.self)
        atomicMemoryFence(ordering: .releasing)
        return entry
    }

    /// Records that an item is no longer being processed. A second call for the same entry changes nothing.
    package func end(_ entry: Entry?) {
        guard let entry else { return }
        state.withLock { state in
            guard state.numbers.indices.contains(entry.slot), state.numbers[entry.slot] == entry.number else { return }
            atomicMemoryFence(ordering: .releasing)
            (memory + Self.headerSize + entry.slot * Self.slotSize).storeBytes(of: 0, as: UInt8.self)
            state.numbers[entry.slot] = 0
            state.free.append(entry.slot)
        }
    }

    // MARK: The file

    /// Makes the content of a file after the end of a process with these keys, as many as there are slots.
    static func image(of keys: [InFlightKey], after end: ProcessEnd, slots: Int) -> [UInt8] {
        let noted = keys.prefix(slots).flatMap { key in
            [UInt8(truncatingIfNeeded: key.bytes.count)] + key.bytes + [UInt8](repeating: 0, count: InFlightKey.longest - key.bytes.count)
        }
        let mark: [UInt8] = [end == .crash ? 1 : 0] + [UInt8](repeating: 0, count: headerSize - format.count - 1)
        return format + mark + noted + [UInt8](repeating: 0, count: slots * slotSize - noted.count)
    }

    private static func contents(of file: Int32, _ path: String) throws(InFlightError) -> [UInt8] {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw InFlightError("\(path) is not a file") }
        guard status.st_size > 0, status.st_size <= largestFile else { return [] }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = pread(file, &bytes, bytes.count, 0)
        guard count >= 0 else { throw InFlightError("cannot read \(path)") }
        return Array(bytes.prefix(count))
    }

    private static func end(in bytes: [UInt8]) -> ProcessEnd {
        bytes.starts(with: format) && bytes.count >= headerSize && bytes[format.count] == 1 ? .crash : .kill
    }

    /// Reads the keys in a file; empty for another format.
    static func keys(in bytes: [UInt8]) -> [InFlightKey] {
        guard bytes.starts(with: format), bytes.count >= headerSize else { return [] }
        return stride(from: headerSize, to: bytes.count, by: slotSize).compactMap { start in
            let length = Int(bytes[start])
            guard length > 0, length < slotSize, start + 1 + length <= bytes.count else { return nil }
            return InFlightKey(Array(bytes[start + 1..<start + 1 + length]))
        }
    }
}

/// The reason why the events in progress cannot be recorded.
package struct InFlightError: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ what: String) { description = "\(what): \(String(cString: strerror(errno)))" }
}
