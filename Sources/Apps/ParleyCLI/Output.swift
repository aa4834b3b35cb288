internal import Foundation
internal import Parley

/// What commands print.
enum Output {
    /// Whether standard output is a terminal, where QR codes and progress make sense.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Prints a line at once, so that a script that waits for it sees it.
    static func line(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// A link with its QR code below, on a terminal; the link alone elsewhere.
    static func link(_ link: String, indent: String = "  ") {
        line(indent + link)
        guard isTerminal, let code = QRCode.lines(for: link) else { return }
        for row in code { line(indent + row) }
    }

    /// Text as a JSON string.
    static func quoted(_ text: String) -> String { JSONText.quoted(text) }
}

extension Output {
    /// Prints text without a line feed, at once.
    static func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
