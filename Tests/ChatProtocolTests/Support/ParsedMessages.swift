import ChatProtocol
import SMPWire
import Testing
import VectorSupport

/// Compares what was read from a body with what is recorded for it.
func expectParsed(
    _ results: [ReceivedChatMessage.ParsingResult], _ recorded: VectorValue, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let expected = try #require(recorded.array, sourceLocation: sourceLocation)
    try #require(results.count == expected.count, sourceLocation: sourceLocation)
    for (result, expected) in zip(results, expected) {
        if expected["error"].bool == true {
            #expect(throws: ChatProtocolError.self, sourceLocation: sourceLocation) { try result.get() }
        } else {
            try expectMessage(result.get(), expected, sourceLocation)
        }
    }
}

private func expectMessage(_ received: ReceivedChatMessage, _ expected: VectorValue, _ sourceLocation: SourceLocation) throws {
    let message = received.message
    #expect(message.tag.rawValue == expected["event"].string, sourceLocation: sourceLocation)
    #expect(message.messageID?.bytes == expected["msg_id"].hex, sourceLocation: sourceLocation)
    let versions = expected["versions"]
    #expect(Int64(message.versions.min) == versions[0].int, sourceLocation: sourceLocation)
    #expect(Int64(message.versions.max) == versions[1].int, sourceLocation: sourceLocation)

    if let hex = expected["re_encoded_hex"].hex {
        #expect(message.body == hex, sourceLocation: sourceLocation)
    } else if expected["re_encoded"].string != "too large" {
        let text = try #require(expected["re_encoded"].string, sourceLocation: sourceLocation)
        #expect(try JSONValue(parsing: message.body) == JSONValue(parsing: text), sourceLocation: sourceLocation)
        #expect(message.body.count == text.utf8.count, "the length that peers count", sourceLocation: sourceLocation)
    }
    // What was read is what is written, whether or not anyone recorded it.
    #expect(try ChatMessage(body: message.body).event == message.event, sourceLocation: sourceLocation)

    if let chunk = expected["chunk"].object {
        let number = try #require(chunk["no"]?.int, sourceLocation: sourceLocation)
        let id = try #require(expected["file_msg_id"].hex, sourceLocation: sourceLocation)
        let bytes = try #require(chunk["bytes"]?.hex, sourceLocation: sourceLocation)
        #expect(
            message.event == .fileChunk(messageID: SharedMessageID(id), .piece(number: UInt8(number), bytes)),
            sourceLocation: sourceLocation)
    } else if expected["chunk"].string == "cancel" {
        let id = try #require(expected["file_msg_id"].hex, sourceLocation: sourceLocation)
        #expect(message.event == .fileChunk(messageID: SharedMessageID(id), .cancel), sourceLocation: sourceLocation)
    }
    expectForward(received.forward, expected["forward"], sourceLocation)
    if case .object = expected["signed"] {
        let signed = try #require(received.signed, sourceLocation: sourceLocation)
        #expect(signed.binding.wireBytes == Bytes((expected["signed"]["binding"].string ?? "").utf8), sourceLocation: sourceLocation)
        #expect(
            signed.signatures.map(\.bytes) == expected["signed"]["signatures"].array?.compactMap(\.hex),
            sourceLocation: sourceLocation)
    }
}

func expectForward(_ forward: MessageForward?, _ expected: VectorValue, _ sourceLocation: SourceLocation = #_sourceLocation) {
    guard case .object = expected else {
        #expect(forward == nil, sourceLocation: sourceLocation)
        return
    }
    #expect(forward?.brokerTimestamp.description == expected["broker_ts"].string, sourceLocation: sourceLocation)
    switch forward?.sender {
    case .channel: #expect(expected["channel"].bool == true, sourceLocation: sourceLocation)
    case .member(let id, let name):
        #expect(id.bytes == expected["member_id"].hex, sourceLocation: sourceLocation)
        #expect(name == expected["member_name"].string, sourceLocation: sourceLocation)
    case nil: Issue.record("no forward", sourceLocation: sourceLocation)
    }
}
