internal import Foundation
internal import Synchronization

/// Lines typed on standard input.
enum TerminalInput {
    /// True if a person types.
    static let isTerminal = isatty(STDIN_FILENO) == 1 && Output.isTerminal

    /// Reads lines, one when it is asked for; ends at the end of the input.
    ///
    /// - Parameters:
    ///   - prompt: shown before each line on a terminal.
    ///   - candidates: the names that can be completed on a terminal.
    static func lines(
        prompt: @escaping @Sendable () async -> String, candidates: @escaping @Sendable () async -> CompletionNames
    ) -> AsyncStream<InputLine> {
        guard isTerminal else {
            let reader = PipedLines()
            return AsyncStream { await reader.next() }
        }
        if ProcessInfo.processInfo.environment["TERM"] ?? "dumb" != "dumb", let editor = TerminalEditor(candidates: candidates) {
            return AsyncStream { await editor.next(prompt: await prompt()) }
        }
        let reader = PipedLines()
        return AsyncStream {
            Output.show(prompt: await prompt())
            let line = await reader.next()
            Output.endPrompt()
            if line == nil { Output.line("") }
            return line
        }
    }
}

/// Lines of standard input that is no terminal, or one without an editor.
private final class PipedLines: Sendable {
    // Reading waits, so it has a thread of its own.
    private let queue = DispatchQueue(label: "parley.input")
    private let state = Mutex((lines: InputLines(), ready: [InputLine](), isOver: false))

    func next() async -> InputLine? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.read()) }
        }
    }

    private func read() -> InputLine? {
        state.withLock { state in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while state.ready.isEmpty, !state.isOver {
                let count = Foundation.read(STDIN_FILENO, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count > 0 {
                    state.ready = state.lines.take(buffer[..<count])
                } else {
                    state.isOver = true
                    if let last = state.lines.finish() { state.ready.append(last) }
                }
            }
            return state.ready.isEmpty ? nil : state.ready.removeFirst()
        }
    }
}
