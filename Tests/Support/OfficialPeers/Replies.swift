import ChatProtocol
import ProcessSupport
import Synchronization

/// Matches responses to commands by their correlation ids.
final class Replies: Sendable {
    private let mailbox = Mailbox<(id: String, body: JSONValue)>(label: { "response \($0.id)" })
    private let last = Mutex(0)

    func nextID() -> String {
        last.withLock { last in
            last += 1
            return "\(last)"
        }
    }

    func give(_ body: JSONValue, to id: String) { mailbox.put((id, body)) }

    func finish(_ error: PeerError) { mailbox.finish(error) }

    func reply(to id: String, command: String, within limit: Duration) async throws(PeerError) -> JSONValue {
        // Not `? :`, where nil would be JSON's null.
        try await mailbox.first("the response to \(command.prefix(100))", within: limit) { reply -> JSONValue? in
            guard reply.id == id else { return Optional.none }
            return reply.body
        }
    }
}
