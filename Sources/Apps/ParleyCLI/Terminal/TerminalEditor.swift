internal import CCrashSignals
internal import Foundation
internal import Synchronization

/// Reads lines from a terminal with the line editor: the edge at which its keys and rows meet the terminal.
final class TerminalEditor: Sendable {
    private struct State {
        var decoder = TerminalKeyDecoder()
        var editor = LineEditor()
        /// Keys that were typed before the line was asked for.
        var pending: [TerminalKey] = []
    }

    // Reading waits, so it has a thread of its own.
    private let queue = DispatchQueue(label: "parley.terminal")
    private let state = Mutex(State())
    private let wake: Int32
    private let candidates: @Sendable () async -> CompletionNames

    /// Milliseconds after which Escape was a key of its own.
    private static let escapeTime: Int32 = 100
    /// Candidates that are listed at the most.
    private static let listed = 40

    /// Nil if the terminal cannot be taken over.
    init?(candidates: @escaping @Sendable () async -> CompletionNames) {
        wake = parley_terminal_take()
        guard wake >= 0 else { return nil }
        self.candidates = candidates
    }

    /// The next line; nil when the person leaves.
    func next(prompt: String) async -> InputLine? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.state.withLock { self.read(prompt, &$0) }) }
        }
    }

    private func read(_ prompt: String, _ state: inout State) -> InputLine? {
        // While a line is edited, Ctrl-C and Ctrl-Z are keys. While it is carried out, they end and suspend the process.
        parley_terminal_set_signals(0)
        defer { parley_terminal_set_signals(1) }
        var view = LineView(prompt: prompt, size: Output.size ?? (80, 24))
        view.update(state.editor)
        Output.show(view)
        while true {
            guard let key = nextKey(&state) else {
                Output.endPrompt()
                return nil
            }
            let action = key == .complete ? complete(&state) : state.editor.take(key)
            switch action {
            case .redraw, .complete: Output.redraw { $0.update(state.editor) }
            case .say(let text): Output.line(text)
            case .clearScreen: Output.clearScreen()
            case .suspend: suspend()
            case .abandon:
                Output.endPrompt()
                var empty = LineView(prompt: prompt, size: Output.size ?? (80, 24))
                empty.update(state.editor)
                Output.show(empty)
            case .end:
                Output.endPrompt()
                return nil
            case .submit(let line):
                Output.endPrompt()
                return .text(line)
            }
        }
    }

    /// The next key; nil at the end of the input.
    private func nextKey(_ state: inout State) -> TerminalKey? {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while state.pending.isEmpty {
            var ready = [pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0), pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
            let count = poll(&ready, 2, state.decoder.isWaiting ? Self.escapeTime : -1)
            if count < 0, errno != EINTR { return nil }
            if count == 0 { state.decoder.flush() }
            guard count > 0 else { continue }
            if ready[1].revents != 0 { takeWake() }
            guard ready[0].revents != 0 else { continue }
            let length = Foundation.read(STDIN_FILENO, &buffer, buffer.count)
            if length > 0 {
                state.pending = state.decoder.take(buffer[..<length])
            } else if length == 0 || errno != EINTR && errno != EAGAIN {
                return nil
            }
        }
        return state.pending.removeFirst()
    }

    private func takeWake() {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = max(Foundation.read(wake, &bytes, bytes.count), 0)
        let size = Output.size ?? (80, 24), isContinued = bytes[..<count].contains(UInt8(ascii: "c"))
        Output.redraw { view in
            if isContinued { view.forget() }
            view.resize(size)
        }
    }

    private func suspend() {
        Output.hidePrompt()
        // Not to this thread: threads of queues block signals.
        kill(getpid(), SIGTSTP)
    }

    private func complete(_ state: inout State) -> LineEditor.Action {
        let found = FoundNames(), done = DispatchSemaphore(value: 0)
        Task { [candidates] in
            let names = await candidates()
            found.names.withLock { $0 = names }
            done.signal()
        }
        guard done.wait(timeout: .now() + .seconds(2)) == .success else { return .redraw }
        let names = found.names.withLock { $0 }
        let completion = LineCompletion(String(state.editor.text[..<state.editor.cursor]), names)
        if let (count, text) = completion.replacement { return state.editor.replace(last: count, with: text) }
        guard completion.candidates.count > 1 else { return .redraw }
        let more = completion.candidates.count > Self.listed ? "  …" : ""
        return .say(completion.candidates.prefix(Self.listed).joined(separator: "  ") + more)
    }
}

/// Names that a task has found for the thread that waits.
private final class FoundNames: Sendable {
    let names = Mutex(CompletionNames())
}
