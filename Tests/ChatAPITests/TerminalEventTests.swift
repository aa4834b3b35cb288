import ChatAPI
import ChatProtocol
import Testing

/// Events for terminals, as a WebSocket carries them.
@Suite struct TerminalEventTests {
    @Test("an event for terminals is the data of its frame, whatever it is", arguments: ["groupLinkRejected", "contactVerificationReset", "laterOne"])
    func unknown(tag: String) throws {
        // Without what belongs to the form, it is kept whole.
        let frame = #"{"resp":{"type":"terminalEvent","data":{"type":"\#(tag)","more":1}}}"#
        let message = try SocketMessage(frame: Array(frame.utf8))
        guard case .event(.terminalEvent(.other(tag, _))) = message else {
            Issue.record("\(message)")
            return
        }
        #expect(String(decoding: message.frame, as: UTF8.self) == frame)
    }

    @Test("an event without data is kept as it came")
    func noData() throws {
        let frame = #"{"resp":{"type":"terminalEvent"}}"#
        let message = try SocketMessage(frame: Array(frame.utf8))
        guard case .event(.other("terminalEvent", _)) = message else {
            Issue.record("\(message)")
            return
        }
        #expect(String(decoding: message.frame, as: UTF8.self) == frame)
    }
}
