import ChatAPI
import Testing

/// A text, the command that it is, and the text that the command is written as.
struct CommandCase: Sendable, CustomTestStringConvertible {
    let text: String
    let command: ChatCommand
    let written: String

    /// - Parameter written: nil if it is written as it was read.
    init(_ text: String, _ command: ChatCommand, as written: String? = nil) {
        self.text = text
        self.command = command
        self.written = written ?? text
    }

    var testDescription: String { text }

    /// Reads the text, writes the command, and reads it again.
    func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try ChatCommand(parsing: text) == command, sourceLocation: sourceLocation)
        #expect(command.commandString == written, sourceLocation: sourceLocation)
        #expect(try ChatCommand(parsing: written) == command, sourceLocation: sourceLocation)
    }
}

/// Shows that a text is refused as what is no command at all: the official core tells no more either.
func expectRefused(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(throws: ChatError.notACommand, sourceLocation: sourceLocation) {
        let command = try ChatCommand(parsing: text)
        Issue.record("\(text) is read as \(command)", sourceLocation: sourceLocation)
    }
}
