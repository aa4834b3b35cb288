import ChatAPI
import ChatProtocol
import Testing

/// Every frame of the official clients is understood and written again with the same meaning.
@Suite struct TranscriptTests {
    @Test("responses are written as they were read", arguments: Transcript.names)
    func responses(name: String) throws {
        let transcript = try Transcript.load(name)
        var count = 0
        for line in transcript.lines where line.direction == .response {
            let result = try ChatResult(json: line.body)
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
            if event.json != line.body {
                Issue.record("\(name):\(line.number): \(difference(line.body, event.json) ?? "?")")
            }
            count += 1
        }
        #expect(count > 5)
    }
}

/// The first place where two values differ.
func difference(_ left: JSONValue, _ right: JSONValue, at path: String = "") -> String? {
    switch (left, right) {
    case (.object(let left), .object(let right)):
        for key in Set(left.keys).union(right.keys).sorted() {
            guard let one = left[key] else { return "\(path).\(key) is \(right[key]?.text.prefix(200) ?? "") and should not be" }
            guard let other = right[key] else { return "\(path).\(key) is missing: \(one.text.prefix(200))" }
            if let inner = difference(one, other, at: "\(path).\(key)") { return inner }
        }
        return nil
    case (.array(let left), .array(let right)):
        if left.count != right.count { return "\(path) has \(right.count) elements, not \(left.count)" }
        for (index, (one, other)) in zip(left, right).enumerated() {
            if let inner = difference(one, other, at: "\(path)[\(index)]") { return inner }
        }
        return nil
    default: return left == right ? nil : "\(path): \(left.text.prefix(200)) is \(right.text.prefix(200))"
    }
}
