internal import Foundation

/// Lines typed on standard input.
enum TerminalInput {
    /// Reads lines on a thread of its own, because reading waits; ends at the end of the input.
    ///
    /// - Parameter prompt: shown before each line on a terminal.
    static func lines(prompt: @escaping @Sendable () async -> String) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let isTerminal = isatty(STDIN_FILENO) == 1 && Output.isTerminal
        let thread = Thread {
            while let line = readLine(strippingNewline: true) { continuation.yield(line) }
            continuation.finish()
        }
        thread.start()
        guard isTerminal else { return stream }
        return AsyncStream { output in
            let task = Task {
                Output.write(await prompt())
                for await line in stream {
                    output.yield(line)
                    Output.write(await prompt())
                }
                output.finish()
            }
            output.onTermination = { _ in task.cancel() }
        }
    }
}
