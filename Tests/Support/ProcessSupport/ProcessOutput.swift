import Synchronization

/// What a process prints and how it ends, for those that wait for it.
final class ProcessOutput: Sendable {
    private struct Watch {
        let id: Int
        let isWanted: @Sendable (String) -> Bool
        let continuation: CheckedContinuation<String, any Error>
    }

    private struct State {
        var lines: [String] = []
        var partial: [UInt8] = []
        var isClosed = false
        var exitCode: Int32?
        var lastID = 0
        var watches: [Watch] = []
        var closings: [CheckedContinuation<Void, Never>] = []
        var exits: [Int: CheckedContinuation<Int32, any Error>] = [:]
    }

    private let state = Mutex(State())

    var lines: [String] { state.withLock { $0.lines } }
    var hasEnded: Bool { state.withLock { $0.exitCode != nil } }

    /// Takes bytes that were printed.
    func take(_ bytes: [UInt8]) {
        let found = state.withLock { state -> [(Watch, String)] in
            state.partial += bytes
            var found: [(Watch, String)] = []
            while let end = state.partial.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: state.partial[..<end], as: UTF8.self)
                state.partial.removeSubrange(...end)
                state.lines.append(line)
                state.watches.removeAll { watch in
                    guard watch.isWanted(line) else { return false }
                    found.append((watch, line))
                    return true
                }
            }
            return found
        }
        for (watch, line) in found { watch.continuation.resume(returning: line) }
    }

    /// Nothing more will be printed.
    func closed() {
        let (watches, closings) = state.withLock { state in
            state.isClosed = true
            defer { (state.watches, state.closings) = ([], []) }
            return (state.watches, state.closings)
        }
        for closing in closings { closing.resume() }
        for watch in watches { watch.continuation.resume(throwing: ProcessFault("the process ended before it printed what was waited for")) }
    }

    func ended(_ exitCode: Int32) {
        let exits = state.withLock { state in
            state.exitCode = exitCode
            defer { state.exits = [:] }
            return state.exits
        }
        for exit in exits.values { exit.resume(returning: exitCode) }
    }

    func waitUntilClosed() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.closings.append(continuation) }
                return state.isClosed
            }
            if isClosed { continuation.resume() }
        }
    }

    func line(within limit: Duration, where isWanted: @escaping @Sendable (String) -> Bool) async throws -> String {
        let id = nextID()
        let timer = Task {
            try await Task.sleep(for: limit)
            state.withLock { state -> Watch? in
                guard let index = state.watches.firstIndex(where: { $0.id == id }) else { return nil }
                return state.watches.remove(at: index)
            }?.continuation.resume(throwing: ProcessFault("the process did not print what was waited for within \(limit)"))
        }
        defer { timer.cancel() }
        return try await withCheckedThrowingContinuation { continuation in
            let known = state.withLock { state -> Result<String, ProcessFault>? in
                if let line = state.lines.first(where: isWanted) { return .success(line) }
                if state.isClosed { return .failure(ProcessFault("the process has ended and did not print what is waited for")) }
                state.watches.append(Watch(id: id, isWanted: isWanted, continuation: continuation))
                return nil
            }
            if let known { continuation.resume(with: known.mapError { $0 }) }
        }
    }

    func exit(within limit: Duration) async throws -> Int32 {
        let id = nextID()
        let timer = Task {
            try await Task.sleep(for: limit)
            state.withLock { $0.exits.removeValue(forKey: id) }?
                .resume(throwing: ProcessFault("the process did not end within \(limit)"))
        }
        defer { timer.cancel() }
        return try await withCheckedThrowingContinuation { continuation in
            let exitCode = state.withLock { state -> Int32? in
                if let exitCode = state.exitCode { return exitCode }
                state.exits[id] = continuation
                return nil
            }
            if let exitCode { continuation.resume(returning: exitCode) }
        }
    }

    private func nextID() -> Int {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }
}
