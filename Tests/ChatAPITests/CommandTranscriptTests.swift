import ChatAPI
import ChatProtocol
import Testing
import TranscriptSupport

/// Commands are read as the official core reads them.
@Suite struct CommandTranscriptTests {
    /// The answer to what is not a command.
    static let rejection = ChatResult.error(.notACommand).json

    @Test("commands that the official core carries out are read, and written so that they are read again", arguments: Transcript.names)
    func accepted(name: String) throws {
        for (line, text, response) in try Transcript.load(name).exchanges where response != Self.rejection {
            guard let command = try? ChatCommand(parsing: text, for: .v65) else {
                Issue.record("\(name):\(line): \(text.prefix(200)) is not read")
                continue
            }
            let written = command.commandString
            guard let again = try? ChatCommand(parsing: written, for: .v65) else {
                Issue.record("\(name):\(line): \(text.prefix(200)) is written \(written.prefix(200)), which is not read")
                continue
            }
            #expect(again == command, "\(name):\(line)")
        }
    }

    @Test("commands that the official core does not understand are refused in its words", arguments: Transcript.names)
    func rejected(name: String) throws {
        for (line, text, response) in try Transcript.load(name).exchanges where response == Self.rejection {
            do {
                let command = try ChatCommand(parsing: text, for: .v65)
                Issue.record("\(name):\(line): \(text.prefix(200)) is read as \(command)")
            } catch {
                #expect(ChatResult.error(error).json == Self.rejection)
            }
        }
    }
}
