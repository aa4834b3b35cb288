package import EncryptedSQLite
internal import GRDBSQLite
internal import Synchronization

/// A disk that fails: stands between SQLite and the files below a folder, beneath the encryption.
///
/// ```swift
/// let disk = try StorageFaults(below: folder)
/// disk.fail(.write, number: 3, with: .full)          // the third write from now, and every later one
/// disk.fail(.sync, number: 1, times: 1, with: .io)   // once
/// disk.heal()
/// ```
///
/// It concerns files that SQLite opens while the object lives. Counters start at 0 with each ``fail(_:of:number:times:with:tears:)``, so that a
/// test can go through N = 1, 2, 3 … until ``failures`` stays 0.
package final class StorageFaults: Sendable {
    /// What SQLite asks of the disk.
    package enum Operation: Sendable, Hashable, CaseIterable {
        case open, read, write, truncate, sync, delete
    }

    /// How the disk refuses.
    package enum Fault: Sendable, Hashable, CaseIterable {
        /// `SQLITE_FULL`.
        case full
        /// `SQLITE_IOERR` with the code of the operation.
        case io
    }

    private struct Plan {
        let operation: Operation
        var kinds: Set<FileKind>
        let number: Int
        let times: Int
        let fault: Fault
        let tears: Bool
        var seen = 0
        var failed = 0
    }

    private struct State {
        var plan: Plan?
        var counts: [Operation: Int] = [:]
        var opened: [String] = []
    }

    private let folder: String
    private let state = Mutex(State())
    private let interposer: Interposer
    /// What a loss of power would leave, if that is kept.
    fileprivate let durable: DurableFiles?

    /// - Parameters:
    ///   - folder: an absolute path without symbolic links.
    ///   - durable: keeps what a loss of power would leave.
    package init(below folder: String, durable: DurableFiles? = nil) throws {
        self.durable = durable
        self.folder = folder.hasSuffix("/") ? folder : folder + "/"
        interposer = Interposer()
        interposer.faults.withLock { $0 = WeakFaults(self) }
        try ParleyVFS.add(interposer)
    }

    deinit { ParleyVFS.remove(interposer) }

    /// Makes operations fail from the `number`-th one on. Replaces what was asked before.
    ///
    /// - Parameters:
    ///   - kinds: the files that it is about.
    ///   - number: from 1, counted from now.
    ///   - times: how many fail; all from then on, until ``heal()``, if it is not given.
    ///   - tears: whether a write that fails has written its first half.
    package func fail(
        _ operation: Operation, of kinds: Set<FileKind> = Set(FileKind.allCases), number: Int, times: Int = .max, with fault: Fault,
        tears: Bool = false
    ) {
        state.withLock {
            $0.plan = Plan(operation: operation, kinds: kinds, number: number, times: times, fault: fault, tears: tears)
        }
    }

    /// Lets everything succeed again. ``failures`` keeps what it was.
    package func heal() { state.withLock { $0.plan?.kinds = [] } }

    /// How many operations have failed since the last ``fail(_:of:number:times:with:tears:)``.
    package var failures: Int { state.withLock { $0.plan?.failed ?? 0 } }

    /// How many operations of a kind there have been since the object was made.
    package func count(of operation: Operation) -> Int { state.withLock { $0.counts[operation] ?? 0 } }

    /// What a loss of power would leave, by name; nothing if that is not kept.
    package var durableContents: [String: [UInt8]] { durable?.contents ?? [:] }

    /// The paths that SQLite has opened, in order.
    package var opened: [String] { state.withLock(\.opened) }

    fileprivate func concerns(_ path: String) -> Bool { path.hasPrefix(folder) }

    fileprivate func name(_ path: String) -> String { String(path.dropFirst(folder.count)) }

    /// Counts an operation, and says whether it is to fail.
    fileprivate func check(_ operation: Operation, _ kind: FileKind) -> (fault: Fault, tears: Bool)? {
        state.withLock { state in
            state.counts[operation, default: 0] += 1
            guard var plan = state.plan, plan.operation == operation, plan.kinds.contains(kind) else { return nil }
            defer { state.plan = plan }
            plan.seen += 1
            guard plan.seen >= plan.number, plan.failed < plan.times else { return nil }
            plan.failed += 1
            return (plan.fault, plan.tears)
        }
    }

    fileprivate func noteOpened(_ path: String) { state.withLock { $0.opened.append(path) } }
}

extension StorageFaults.Fault {
    fileprivate func code(_ operation: StorageFaults.Operation) -> CInt {
        if self == .full { return SQLITE_FULL }
        return switch operation {
        case .open: SQLITE_CANTOPEN
        case .read: SQLITE_IOERR | (1 << 8)
        case .write: SQLITE_IOERR | (3 << 8)
        case .sync: SQLITE_IOERR | (4 << 8)
        case .truncate: SQLITE_IOERR | (6 << 8)
        case .delete: SQLITE_IOERR | (10 << 8)
        }
    }
}

private struct WeakFaults: Sendable {
    weak var value: StorageFaults?
    init(_ value: StorageFaults?) { self.value = value }
}

/// What the VFS holds. Files that are still open when the faults are gone work as if there had been none.
private final class Interposer: FileInterposer {
    let faults = Mutex(WeakFaults(nil))

    private var current: StorageFaults? { faults.withLock(\.value) }

    func concerns(_ path: String) -> Bool { current?.concerns(path) == true }

    func willOpen(_ path: String, _ kind: FileKind) -> CInt? {
        guard let faults = current else { return nil }
        faults.noteOpened(path)
        return faults.check(.open, kind).map { $0.fault.code(.open) }
    }

    func willDelete(_ path: String) -> CInt? {
        let kind: FileKind = path.hasSuffix("-wal") ? .log : path.hasSuffix("-journal") ? .journal : .database
        guard let faults = current else { return nil }
        if let failure = faults.check(.delete, kind) { return failure.fault.code(.delete) }
        faults.durable?.deleted(faults.name(path))
        return nil
    }

    func layer(over file: any FileLayer, _ path: String, _ kind: FileKind) -> any FileLayer {
        let name = current?.name(path) ?? path
        current?.durable?.opened(name)
        return FaultyFile(file, kind, name) { [self] in current }
    }
}

private final class FaultyFile: FileLayer {
    private let file: any FileLayer
    private let kind: FileKind
    private let name: String
    private let faults: () -> StorageFaults?

    init(_ file: any FileLayer, _ kind: FileKind, _ name: String, _ faults: @escaping () -> StorageFaults?) {
        self.file = file
        self.kind = kind
        self.name = name
        self.faults = faults
    }

    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> CInt {
        if let failure = faults()?.check(.read, kind) { return failure.fault.code(.read) }
        return file.read(buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> CInt {
        let failure = faults()?.check(.write, kind)
        if let failure, !failure.tears { return failure.fault.code(.write) }
        let count = failure == nil ? bytes.count : bytes.count / 2
        let code = file.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)), at: offset)
        faults()?.durable?.wrote(name, Int(offset)..<Int(offset) + count)
        return failure?.fault.code(.write) ?? code
    }

    func truncate(to size: Int64) -> CInt {
        if let failure = faults()?.check(.truncate, kind) { return failure.fault.code(.truncate) }
        return file.truncate(to: size)
    }

    func sync(_ flags: CInt) -> CInt {
        if let failure = faults()?.check(.sync, kind) {
            faults()?.durable?.refused(name)
            return failure.fault.code(.sync)
        }
        let code = file.sync(flags)
        if code == SQLITE_OK { faults()?.durable?.flushed(name, file) } else { faults()?.durable?.refused(name) }
        return code
    }

    func size(_ size: inout Int64) -> CInt { file.size(&size) }
    func close() -> CInt { file.close() }
    func characteristics(_ device: CInt) -> CInt { file.characteristics(device) }
}
