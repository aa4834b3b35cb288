package import SMPWire

/// The agent's number of a user (a profile): positive, never used again after the user is deleted.
///
/// It is also the `userID` of the user's transport sessions, so that two users never share a session.
package typealias AgentUserID = Int64

/// The agent's number of a message within its connection, from 1, shared by sent and received messages.
///
/// It grows by one with every agent message, also those that the user does not see (`HELLO`, receipts), and is never used twice.
package typealias AgentMessageID = Int64

/// An opaque identifier that the agent draws at random.
package protocol AgentIdentifier: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The identifier's bytes, at least one.
    var bytes: Bytes { get }
    init(_ bytes: Bytes)
}

extension AgentIdentifier {
    /// Padded base64url, the form of identifiers in the chat API.
    package var description: String { Base64URL.encode(bytes) }

    package func hash(into hasher: inout Hasher) { hasher.combine(contentsOf: bytes) }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Base64URL.decode(try container.decode(String.self)), !bytes.isEmpty else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "an identifier is base64url text")
        }
        self.init(bytes)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Identifies a connection: 12 random bytes.
package struct ConnectionID: AgentIdentifier {
    package let bytes: Bytes
    package init(_ bytes: Bytes) { self.bytes = bytes }
}

/// Identifies a confirmation that waits for ``SMPAgent/allowConnection(_:confirmation:info:)``: 12 random bytes.
package struct ConfirmationID: AgentIdentifier {
    package let bytes: Bytes
    package init(_ bytes: Bytes) { self.bytes = bytes }
}

/// Identifies a request that came to a contact address and waits for an answer: 12 random bytes.
package struct InvitationID: AgentIdentifier {
    package let bytes: Bytes
    package init(_ bytes: Bytes) { self.bytes = bytes }
}

/// Identifies an event that the agent repeats after a restart until ``SMPAgent/confirm(_:)``.
package enum DurableEventID: Hashable, Sendable {
    /// An event with a number that was drawn at random, and is the same whenever the event comes.
    case event(Int64)
    /// `sent`, which its message identifies; `connection` is the store's number of the connection.
    case sent(connection: Int64, AgentMessageID)
}
