import ChatAPI
import ChatProtocol
import Testing

/// Frames of the WebSocket and of the C interface.
@Suite struct FrameTests {
    @Test(
        "a request is read from its frame, whatever else stands in it",
        arguments: [
            (#"{"corrId":"1","cmd":"/users"}"#, "1", "/users"),
            (#"{"cmd":"/users","more":[1],"corrId":""}"#, "", "/users"),
            (#" {"corrId":"é","cmd":"@bob \"hi\""} "#, "é", "@bob \"hi\""),
        ])
    func request(frame: String, id: String, command: String) throws {
        let request = try SocketRequest(frame: Array(frame.utf8))
        #expect(request == SocketRequest(correlationID: id, command: command))
        #expect(try SocketRequest(frame: request.frame) == request)
    }

    @Test(
        "what is no request is answered as the official core does",
        arguments: [
            "", "x", "[]", "{}", #"{"corrId":"1"}"#, #"{"cmd":"/u"}"#, #"{"corrId":1,"cmd":"/u"}"#, #"{"corrId":"1","cmd":null}"#,
            #"{"corrId":"1","cmd":"/u"}}"#, "\u{0}",
        ])
    func notARequest(frame: String) throws {
        #expect(throws: ChatError.invalidRequest) { try SocketRequest(frame: Array(frame.utf8)) }
        let answer = ChatEvent.commandError(error: .invalidRequest).json.text
        #expect(
            answer
                == #"{"type":"chatCmdError","chatError":{"type":"error","errorType":{"type":"commandError","message":"invalid request"}}}"#)
    }

    @Test("responses carry the mark of their command and events none")
    func messages() throws {
        let response = SocketMessage.result(correlationID: "7", .response(.chatStarted))
        #expect(String(decoding: response.frame, as: UTF8.self) == #"{"corrId":"7","resp":{"type":"chatStarted"}}"#)
        let error = SocketMessage.result(correlationID: "8", .error(.notACommand))
        let event = SocketMessage.event(.chatSuspended)
        #expect(String(decoding: event.frame, as: UTF8.self) == #"{"resp":{"type":"chatSuspended"}}"#)
        for message in [response, error, event] { #expect(try SocketMessage(frame: message.frame) == message) }
    }

    @Test("a message that is not as it should be is an error, not an event", arguments: ["", "{}", "[]", #"{"corrId":"1"}"#])
    func notAMessage(frame: String) {
        #expect(throws: JSONError.self) { try SocketMessage(frame: Array(frame.utf8)) }
    }

    @Test("the C interface returns a result or an error")
    func foreign() throws {
        let result = ForeignResult(ChatResult.response(.cmdOk(user: nil)))
        #expect(result.json.text == #"{"result":{"type":"cmdOk"}}"#)
        #expect(try ForeignResult<ChatResponse>(json: result.json).get() == .cmdOk(user: nil))
        let error = ForeignResult(ChatResult.error(.store(error: .duplicateName)))
        #expect(error.json.text == #"{"error":{"type":"errorStore","storeError":{"type":"duplicateName"}}}"#)
        #expect(throws: ChatCoreError(.store(error: .duplicateName))) { try ForeignResult<ChatResponse>(json: error.json).get() }
    }
}
