import ChatProtocol
import ChatRules
import ChatStore
import SMPCrypto
import SMPWire

/// The bodies in which a roster travels: the signed message, and its list in chunks.
enum RosterBodies {
    /// Bytes of the identifier of a roster whose list has several chunks. With the usual twelve, a whole chunk would be longer than the agent's messages by one.
    private static let shortIdentifier = 11

    static func rosterIdentifier(for list: Bytes, _ random: any RandomSource) -> SharedMessageID {
        SharedMessageID(random.bytes(list.count > InlineChunks.largest ? shortIdentifier : 12))
    }

    /// - Parameter header: The signed message as an element of a batch, forwarded or not.
    /// - Returns: One body if everything fits in it.
    static func rosterBodies(header: Bytes, messageID: SharedMessageID, list: Bytes) -> [Bytes] {
        let size = Int(InlineChunks.largest), chunks = Int(InlineChunks(size: Int64(list.count)).count)
        let pieces = (0..<chunks).map { index in
            let content = Bytes(list[min(index * size, list.count)..<min((index + 1) * size, list.count)])
            return ChatMessage(event: .fileChunk(messageID: messageID, .piece(number: UInt8(truncatingIfNeeded: index + 1), content))).body
        }
        let together = MessageBatching.delivery(of: [header] + pieces)
        if together.done == pieces.count + 1, together.tooLarge.isEmpty { return [together.body] }
        // A whole chunk is longer than an element of a batch, and travels by itself.
        return [MessageBatching.binaryBatch(of: [header])] + pieces
    }
}

extension StoredRoster {
    /// The bodies in which a relay passes the roster on: as the owner has signed it.
    var bodies: [Bytes] {
        let forward = MessageForward(sender: .member(author, name: authorName), brokerTimestamp: sentAt)
        return RosterBodies.rosterBodies(header: forward.element(element), messageID: messageID, list: list)
    }
}
