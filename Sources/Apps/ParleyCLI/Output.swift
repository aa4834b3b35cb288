internal import ChatProtocol
internal import Foundation
internal import Parley
internal import Synchronization

/// What commands print. Whoever read it may be gone: that ends nothing.
enum Output {
    /// Whether standard output is a terminal, where QR codes and progress make sense.
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// The prompt that stands in the last line of the terminal, if there is one.
    private static let prompt = Mutex<String?>(nil)

    /// Prints a line at once, so that a script that waits for it sees it. A prompt stays below it.
    static func line(_ text: String) {
        prompt.withLock { prompt in
            if let prompt { write("\r\u{1B}[K\(text)\n\(prompt)") } else { write(text + "\n") }
        }
    }

    /// Shows a prompt in the last line.
    static func show(prompt text: String) {
        prompt.withLock { prompt in
            prompt = text
            write(text)
        }
    }

    /// A person has answered the prompt: the cursor is in the line below.
    static func endPrompt() { prompt.withLock { $0 = nil } }

    /// A link with its QR code below, on a terminal; the link alone elsewhere.
    static func link(_ link: String, indent: String = "  ") {
        var lines = [link]
        if isTerminal, let code = QRCode.lines(for: link) { lines += code }
        for text in lines { line(indent + text) }
    }

    /// Prints JSON for a script, in one line.
    static func line(_ json: JSONValue) { line(json.text) }

    /// An object whose members `body` sets; those that are nil are left out.
    static func object(_ body: (inout JSONObjectWriter) -> Void) -> JSONValue {
        var object = JSONObjectWriter()
        body(&object)
        return object.json
    }

    private static func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }
}
