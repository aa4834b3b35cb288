import ChatAPI
import ChatProtocol
import Testing
import TranscriptSupport

/// Every frame of the official clients is understood and written again with the same meaning.
@Suite struct TranscriptTests {
    @Test("responses are written as they were read", arguments: Transcript.names)
    func responses(name: String) throws {
        let transcript = try Transcript.load(name)
        var count = 0
        for line in transcript.lines where line.direction == .response {
            let result = try ChatResult(json: line.body)
            #expect(result.jsonText == result.json.text)
            if result.json != line.body {
                Issue.record("\(name):\(line.number): \(difference(line.body, result.json) ?? "?")")
            }
            count += 1
        }
        #expect(count > 20)
    }

    @Test("no frame holds a form that is not known", arguments: Transcript.names)
    func knownForms(name: String) throws {
        let transcript = try Transcript.load(name)
        for line in transcript.lines {
            let unknown =
                switch line.direction {
                case .response: unknownForms(in: try ChatResult(json: line.body))
                case .event: unknownForms(in: try ChatEvent(json: line.body))
                case .command, .note: [String]()
                }
            if let first = unknown.first { Issue.record("\(name):\(line.number): \(first)") }
        }
    }

    @Test("events are written as they were read", arguments: Transcript.names)
    func events(name: String) throws {
        let transcript = try Transcript.load(name)
        var count = 0
        for line in transcript.lines where line.direction == .event {
            let event = try ChatEvent(json: line.body)
            #expect(event.jsonText == event.json.text)
            if event.json != line.body {
                Issue.record("\(name):\(line.number): \(difference(line.body, event.json) ?? "?")")
            }
            count += 1
        }
        #expect(count > 5)
    }

    @Test("frames one after another are the same whether or not those before them are remembered", arguments: Transcript.names)
    func remembering(name: String) throws {
        var memory = JSONWriter.Memory()
        for line in try Transcript.load(name).lines where line.direction == .event {
            let message = SocketMessage.event(try ChatEvent(json: line.body))
            // The second time all of it is remembered.
            for _ in 0..<2 { #expect(message.frame(remembering: &memory) == message.frame) }
        }
    }
}
