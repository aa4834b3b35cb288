internal import Foundation

/// Lines typed on standard input.
enum TerminalInput {
    /// True if a person types.
    static let isTerminal = isatty(STDIN_FILENO) == 1 && Output.isTerminal

    /// Reads lines on a thread of its own, because reading waits; ends at the end of the input.
    ///
    /// - Parameter prompt: shown before each line on a terminal.
    static func lines(prompt: @escaping @Sendable () async -> String) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let thread = Thread {
            while let line = readLine(strippingNewline: true) {
                Output.endPrompt()
                continuation.yield(line)
            }
            Output.endPrompt()
            continuation.finish()
        }
        thread.start()
        guard isTerminal else { return stream }
        return AsyncStream {
            Output.show(prompt: await prompt())
            for await line in stream { return line }
            Output.line("")
            return nil
        }
    }
}
