import ChatAPI
import ChatProtocol
import SMPWire

/// The frames of a client that counts events: each has the number of its event as `seq`, beside `resp`.
enum NumberedFrame {
    /// The frame of an event.
    static func event(_ number: Int64, _ event: ChatEvent, remembering memory: inout JSONWriter.Memory) -> Bytes {
        // The frame of an event begins with its only member.
        Bytes("{\"seq\":\(number),".utf8) + SocketMessage.event(event).frame(remembering: &memory).dropFirst()
    }

    /// The first frame: events behind the number follow.
    static func resumed(at number: Int64) -> Bytes { frame(number, ["type": "eventsResumed"]) }

    /// The frame in the place of events that are gone.
    static func lost(after: Int64, through last: Int64) -> Bytes { frame(last, ["type": "eventsLost", "after": .int(after)]) }

    private static func frame(_ number: Int64, _ response: JSONValue) -> Bytes {
        Bytes((["seq": .int(number), "resp": response] as JSONValue).text.utf8)
    }
}
