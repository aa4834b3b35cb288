import ChatAPI
import ChatProtocol
import Testing
import TranscriptSupport

/// A file of recorded conversations.
struct RecordedFile: Sendable, CustomTestStringConvertible {
    let name: String
    let version: APIVersion

    static let all =
        Transcript.names.map { RecordedFile(name: $0, version: .v65) } + Transcript.namesOf7.map { RecordedFile(name: $0, version: .v70Beta) }

    var testDescription: String { "\(name) of \(version.name)" }

    func load() throws -> Transcript { try Transcript.load(name, version: version) }
}

/// Every frame of the official clients is understood and written again with the same meaning, for programs of the version that was recorded.
@Suite struct TranscriptTests {
    @Test("responses are written as they were read", arguments: RecordedFile.all)
    func responses(file: RecordedFile) throws {
        let transcript = try file.load()
        var count = 0
        for line in transcript.lines where line.direction == .response {
            let result = try ChatResult(json: line.body)
            #expect(result.jsonText == result.json.text)
            let written = try result.json(for: file.version)
            if written != line.body {
                Issue.record("\(file.testDescription):\(line.number): \(difference(line.body, written) ?? "?")")
            }
            count += 1
        }
        #expect(count > 20)
    }

    @Test("no frame holds a form that is not known", arguments: RecordedFile.all)
    func knownForms(file: RecordedFile) throws {
        let transcript = try file.load()
        for line in transcript.lines {
            let unknown =
                switch line.direction {
                case .response: unknownForms(in: try ChatResult(json: line.body))
                case .event: unknownForms(in: try ChatEvent(json: line.body))
                case .command, .note: [String]()
                }
            if let first = unknown.first { Issue.record("\(file.testDescription):\(line.number): \(first)") }
        }
    }

    @Test("events are written as they were read", arguments: RecordedFile.all)
    func events(file: RecordedFile) throws {
        let transcript = try file.load()
        var count = 0
        for line in transcript.lines where line.direction == .event {
            let event = try ChatEvent(json: line.body)
            #expect(event.jsonText == event.json.text)
            let written = try event.json(for: file.version)
            if written != line.body {
                Issue.record("\(file.testDescription):\(line.number): \(difference(line.body, written) ?? "?")")
            }
            count += 1
        }
        #expect(count > 5)
    }

    @Test("frames one after another are the same whether or not those before them are remembered", arguments: RecordedFile.all)
    func remembering(file: RecordedFile) throws {
        var memory = JSONWriter.Memory(for: file.version)
        for line in try file.load().lines where line.direction == .event {
            let message = SocketMessage.event(try ChatEvent(json: line.body))
            // The second time all of it is remembered.
            for _ in 0..<2 { #expect(message.frame(remembering: &memory) == message.frame(for: file.version)) }
        }
    }
}
