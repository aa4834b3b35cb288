internal import ChatProtocol
internal import Foundation
internal import Hosting
internal import Synchronization

/// The output of commands. A reader that has gone away ends nothing.
enum Output {
    /// True if standard output is a terminal, where QR codes and progress make sense.
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// The prompt in the last rows of the terminal with what is typed after it, if there is one.
    private static let bottom = Mutex<LineView?>(nil)

    /// The columns of the terminal; nil if standard output is not a terminal.
    static var width: Int? { size?.columns }

    /// The columns and rows of the terminal; nil if standard output is not a terminal.
    static var size: (columns: Int, rows: Int)? {
        var size = winsize()
        guard isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), max(Int(size.ws_row), 2))
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
        bottom.withLock { view in
            let erasing = view?.erasing() ?? ""
            write(erasing + text + "\n" + (view?.drawing() ?? ""))
        }
    }

    /// Shows a prompt in the last line, after which the terminal itself shows what is typed.
    static func show(prompt text: String) { show(LineView(prompt: text, size: size ?? (80, 24), isEdited: false)) }

    /// Shows a prompt with the line that is typed after it.
    static func show(_ shown: LineView) {
        bottom.withLock { view in
            var shown = shown
            let erasing = view?.erasing() ?? ""
            write(erasing + shown.drawing())
            view = shown
        }
    }

    /// Changes what is shown after the prompt, if there is one.
    static func redraw(_ change: (inout LineView) -> Void) {
        bottom.withLock { view in
            guard var changed = view else { return }
            change(&changed)
            let erasing = changed.erasing()
            write(erasing + changed.drawing())
            view = changed
        }
    }

    /// Clears the screen above the prompt.
    static func clearScreen() {
        bottom.withLock { view in
            view?.forget()
            write("\u{1B}[H\u{1B}[2J" + (view?.drawing() ?? ""))
        }
    }

    /// Replaces the prompt, if there is one.
    static func replace(prompt text: String) {
        let text = VisibleText.line(text)
        guard bottom.withLock({ $0.map { $0.prompt != text } ?? false }) else { return }
        redraw { $0.prompt = text }
    }

    /// Shows how far something is in the last line, on a terminal; it replaces what was shown before.
    static func progress(_ text: String) {
        guard isTerminal else { return }
        bottom.withLock { _ in write("\r\u{1B}[K" + VisibleText.line(text, limit: width ?? 80)) }
    }

    /// Clears the line of the progress.
    static func endProgress() {
        guard isTerminal else { return }
        bottom.withLock { _ in write("\r\u{1B}[K") }
    }

    /// Shows lines in the place of all that the terminal shows.
    static func screen(_ lines: [String]) {
        bottom.withLock { _ in write("\u{1B}[H\u{1B}[J" + lines.map { VisibleText.line($0, limit: width ?? 100) }.joined(separator: "\n") + "\n") }
    }

    /// A person has answered the prompt: the cursor is in the line below.
    static func endPrompt() {
        bottom.withLock { view in
            write(view?.ending() ?? "")
            view = nil
        }
    }

    /// Takes the prompt away, for the shell that comes to the front.
    static func hidePrompt() { bottom.withLock { view in write(view?.erasing() ?? "") } }

    /// A link with its QR code above, on a terminal and if others than this machine can use it; the link alone elsewhere.
    static func link(_ link: String, indent: String = "  ") {
        code(for: link, indent: indent)
        line(indent + VisibleText.line(link, limit: .max))
    }

    /// The QR code of a link, on a terminal and if others than this machine can use it.
    static func code(for link: String, indent: String = "  ") {
        guard isTerminal, !LinkReach.isLocal(link), let code = QRCode.lines(for: link) else { return }
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
