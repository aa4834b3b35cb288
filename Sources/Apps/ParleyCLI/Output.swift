internal import ChatProtocol
internal import Foundation
internal import Parley
internal import Synchronization

/// The output of commands. A reader that has gone away ends nothing.
enum Output {
    /// True if standard output is a terminal, where QR codes and progress make sense.
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// The prompt that stands in the last line of the terminal, if there is one.
    private static let prompt = Mutex<String?>(nil)

    /// The columns of the terminal; nil where standard output is none.
    static var width: Int? {
        var size = winsize()
        guard isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Prints a line at once, so that a script that waits for it sees it. A prompt stays below it. Nothing in it but a line break steers the
    /// terminal.
    static func line(_ text: String) { raw(VisibleText.lines(text)) }

    /// Prints something to standard error that does not end the command.
    static func warning(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((VisibleText.lines(text) + "\n").utf8))
    }

    /// Prints what somebody wrote, behind a head such as the writer's name. Only its first line looks as if it were one.
    ///
    /// - Parameter head: made of ``VisibleText/name(_:)`` and words of our own.
    static func block(_ head: String, _ text: String) { raw(VisibleText.block(head, text, width: width)) }

    /// Prints what is fit for a terminal already.
    private static func raw(_ text: String) {
        prompt.withLock { prompt in
            if let prompt { write("\r\u{1B}[K\(text)\n\(prompt)") } else { write(text + "\n") }
        }
    }

    /// Shows a prompt in the last line.
    static func show(prompt text: String) {
        let text = VisibleText.line(text)
        prompt.withLock { prompt in
            prompt = text
            write(text)
        }
    }

    /// Replaces the prompt in the last line, if there is one. What a person has typed behind it so far the terminal keeps, and it shows at the next key.
    static func replace(prompt text: String) {
        let text = VisibleText.line(text)
        prompt.withLock { prompt in
            guard let shown = prompt, shown != text else { return }
            prompt = text
            write("\r\u{1B}[K\(text)")
        }
    }

    /// Shows how far something is in the last line, on a terminal; it replaces what was shown before.
    static func progress(_ text: String) {
        guard isTerminal else { return }
        prompt.withLock { _ in write("\r\u{1B}[K" + VisibleText.line(text, limit: width ?? 80)) }
    }

    /// Clears the line of the progress.
    static func endProgress() {
        guard isTerminal else { return }
        prompt.withLock { _ in write("\r\u{1B}[K") }
    }

    /// Shows lines in the place of all that the terminal shows.
    static func screen(_ lines: [String]) {
        prompt.withLock { _ in write("\u{1B}[H\u{1B}[J" + lines.map { VisibleText.line($0, limit: width ?? 100) }.joined(separator: "\n") + "\n") }
    }

    /// A person has answered the prompt: the cursor is in the line below.
    static func endPrompt() { prompt.withLock { $0 = nil } }

    /// A link with its QR code below, on a terminal; the link alone elsewhere.
    static func link(_ link: String, indent: String = "  ") {
        line(indent + VisibleText.line(link, limit: .max))
        guard isTerminal, let code = QRCode.lines(for: link) else { return }
        for text in code { raw(indent + text) }
    }

    /// Prints JSON for a script, in one line.
    static func line(_ json: JSONValue) { raw(VisibleText.escapedJSON(json.text)) }

    /// An object whose members `body` sets; those that are nil are left out.
    static func object(_ body: (inout JSONObjectWriter) -> Void) -> JSONValue {
        var object = JSONObjectWriter()
        body(&object)
        return object.json
    }

    private static func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }
}
