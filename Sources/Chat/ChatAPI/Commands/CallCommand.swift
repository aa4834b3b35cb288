public import ChatProtocol

/// Commands about calls. The media parts of two apps agree on their content, which is passed on unchanged.
public enum CallCommand: Sendable, Hashable {
    /// Calls a contact: media and capabilities.
    case invite(ContactID, JSONValue)
    /// Refuses a call.
    case reject(ContactID)
    /// Takes a call up: kind of call and session.
    case offer(ContactID, JSONValue)
    /// Answers an offer: session.
    case answer(ContactID, JSONValue)
    /// Sends more candidates.
    case extraInfo(ContactID, JSONValue)
    /// Ends a call.
    case end(ContactID)
    /// Tells the core how far the call is: `connecting`, `connected`, `disconnected` or `failed`.
    case status(ContactID, String)
    /// Calls that wait for an answer.
    case invitations
}

extension CallCommand {
    var commandString: String {
        switch self {
        case .invite(let id, let type): "/_call invite @\(id) \(CommandText.json(type))"
        case .reject(let id): "/_call reject @\(id)"
        case .offer(let id, let offer): "/_call offer @\(id) \(CommandText.json(offer))"
        case .answer(let id, let answer): "/_call answer @\(id) \(CommandText.json(answer))"
        case .extraInfo(let id, let info): "/_call extra @\(id) \(CommandText.json(info))"
        case .end(let id): "/_call end @\(id)"
        case .status(let id, let status): "/_call status @\(id) \(status)"
        case .invitations: "/_call get"
        }
    }

    static let forms: [CommandForm] = [
        .json("/_call invite @", members: ["media", "capabilities"]) { .invite($0, $1) },
        .json("/_call offer @", members: ["callType", "rtcSession"]) { .offer($0, $1) },
        .json("/_call answer @", members: ["rtcSession", "rtcIceCandidates"]) { .answer($0, $1) },
        .json("/_call extra @", members: ["rtcIceCandidates"]) { .extraInfo($0, $1) },
        CommandForm("/_call reject @") { r throws(CommandMismatch) in .calls(.reject(try r.id())) },
        CommandForm("/_call end @") { r throws(CommandMismatch) in .calls(.end(try r.id())) },
        CommandForm("/_call status @") { r throws(CommandMismatch) in
            let id = try r.idSpace(ContactID.self)
            let status = r.word()
            guard ["connecting", "connected", "disconnected", "failed"].contains(status) else { throw CommandMismatch() }
            return .calls(.status(id, status))
        },
        CommandForm("/_call get") { _ in .calls(.invitations) },
    ]
}

extension CommandForm {
    /// A command with a JSON object that must have some members.
    fileprivate static func json(
        _ beginning: String, members: [String], _ make: @escaping @Sendable (ContactID, JSONValue) -> CallCommand
    ) -> CommandForm {
        CommandForm(beginning) { r throws(CommandMismatch) in
            let id = try r.idSpace(ContactID.self)
            let object = try r.jsonObject()
            guard members.allSatisfy({ object[$0] != nil }) else { throw CommandMismatch() }
            return .calls(make(id, object))
        }
    }
}
