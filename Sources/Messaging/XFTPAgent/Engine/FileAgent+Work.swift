import NIOPosix
import Synchronization
import XFTPProtocol

extension FileAgent {
    /// Runs a blocking function on a thread pool; its parameter returns whether the transfer has been cancelled.
    func cancellable<Value: Sendable>(_ body: @escaping @Sendable (_ isCancelled: () -> Bool) throws -> Value) async throws -> Value {
        let flag = Flag()
        return try await withTaskCancellationHandler {
            try await NIOThreadPool.singleton.runIfActive { try body { flag.isSet } }
        } onCancel: {
            flag.set()
        }
    }

    /// Runs an operation on local files, and converts its errors.
    ///
    /// - Throws: ``FileTransferError`` `file`; ``TransferInterrupted`` if the operation was cancelled.
    func reportingFile<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as FileFormatError {
            throw error.code == .cancelled ? TransferInterrupted() : FileTransferError(.file, error.message)
        } catch is CancellationError {
            // The thread pool takes no work of a cancelled task.
            throw TransferInterrupted()
        }
    }

    /// Runs a function for all items, some at a time. The first failure ends the others.
    func inParallel<Item: Sendable>(_ items: [Item], atOnce limit: Int, _ body: @escaping @Sendable (Item) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var left = items[...]
            for item in left.prefix(max(1, limit)) { group.addTask { try await body(item) } }
            left = left.dropFirst(max(1, limit))
            while try await group.next() != nil {
                if let item = left.popFirst() { group.addTask { try await body(item) } }
            }
        }
    }
}

private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}

/// The transferred bytes of a transfer.
final class Progress: Sendable {
    private let bytes: Atomic<Int64>

    init(_ bytes: Int64) { self.bytes = Atomic(bytes) }

    var value: Int64 { bytes.load(ordering: .relaxed) }
    func add(_ count: Int64) -> Int64 { bytes.add(count, ordering: .relaxed).newValue }
}
