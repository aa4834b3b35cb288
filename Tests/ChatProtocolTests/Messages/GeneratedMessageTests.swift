import ChatProtocol
import SMPCrypto
import SMPWire
import TestSupport
import Testing

/// Messages of every kind come through every encoding as they were sent.
@Suite struct GeneratedMessageTests {
    private static let seeds: [UInt64] = [1, 2, 3, 4, 5, 6]

    private func read(_ body: Bytes) throws -> [ReceivedChatMessage] { try ReceivedChatMessage.parse(body).map { try $0.get() } }

    @Test(arguments: seeds) func aMessageIsReadAsItWasSent(seed: UInt64) throws {
        var source = MessageSource(seed: seed)
        var tags: Set<ChatEventTag> = []
        for kind in 0..<3 * MessageSource.kinds {
            let message = source.message(kind)
            tags.insert(message.tag)
            if try ChatMessage(body: message.body) != message { Issue.record("seed \(seed), kind \(kind): \(message.json.text)") }
            // What is written piece by piece is what a tree of values is written as.
            #expect(message.jsonBytes == message.body)
        }
        #expect(tags.count == MessageSource.kinds)
    }

    @Test(arguments: seeds) func messagesComeThroughEveryEncodingInTheirOrder(seed: UInt64) throws {
        var source = MessageSource(seed: seed)
        let pair = Ed25519.generateKeyPair(SeededRandomSource(seed: seed))
        let chat = ChatBinding.group(publicGroupID: Bytes(repeating: 7, count: 32), member: MemberID([1, 2, 3]))
        for start in 0..<MessageSource.kinds {
            let messages = (0..<source.pick([1, 2, 5])).map { source.message(start + $0) }
            let bodies = messages.map(\.body)
            let json = Bytes("[".utf8) + Bytes(bodies.joined(separator: Bytes(",".utf8))) + Bytes("]".utf8)
            #expect(try read(json).map(\.message) == messages)
            #expect(try read(MessageBatching.binaryBatch(of: bodies)).map(\.message) == messages)

            let signed = bodies.map { SignedMessage(signing: $0, in: chat, with: pair.privateKey) }
            let ownRead = try read(MessageBatching.binaryBatch(of: signed.map(\.element)))
            #expect(ownRead.map(\.message) == messages && ownRead.map(\.signed) == signed)

            // Binary forms tell whole seconds, and names of at most 255 bytes.
            var forward = source.forward()
            forward.brokerTimestamp = forward.brokerTimestamp.wholeSeconds
            if case .member(let id, _) = forward.sender { forward.sender = .member(id, name: "bob") }
            let relayed = try read(MessageBatching.binaryBatch(of: signed.map { forward.element($0.element) } + bodies.map { forward.element($0) }))
            #expect(relayed.map(\.message) == messages + messages)
            #expect(relayed.allSatisfy { $0.forward == forward })
            #expect(relayed.prefix(messages.count).allSatisfy { $0.signed?.isValid(in: chat, key: pair.publicKey) == true })
            // A relay passes on what it has read.
            #expect(relayed.map(\.element) == signed.map(\.element) + bodies)

            for body in [bodies[0], json, MessageBatching.binaryBatch(of: bodies)] where body.count <= ChatLimits.decompressedMessage {
                let compressed = try read(MessageCompression.compress(body))
                #expect(compressed.map(\.message) == (body == bodies[0] ? [messages[0]] : messages))
            }
        }
    }

    /// Clients leave out what is not set, and some send it as null.
    @Test(arguments: seeds) func aMemberThatIsNullIsAbsent(seed: UInt64) throws {
        var source = MessageSource(seed: seed, knownOnly: true)
        for kind in 0..<MessageSource.kinds {
            let json = source.message(kind).json
            // Mentions are data, and a reaction that is not known is kept as it came.
            for path in json.paths where !path.dropLast().contains("mentions") && path.last != "emoji" {
                let absent = try? ChatMessage(json: json.replacing(path, by: nil))
                let null = try? ChatMessage(json: json.replacing(path, by: .null))
                #expect(absent == null, "seed \(seed): \(path) of \(json.text)")
            }
        }
    }

    @Test(arguments: seeds) func membersOfNewerClientsChangeNothingElse(seed: UInt64) throws {
        var source = MessageSource(seed: seed, knownOnly: true)
        for kind in 0..<MessageSource.kinds {
            let message = source.message(kind)
            let more = message.json.adding("added later", ["a": [1, .null]])
            let read = try ChatMessage(json: more)
            #expect(read.tag == message.tag && read.messageID == message.messageID && read.versions == message.versions)
            #expect(read.json.removing("added later") == message.json, "seed \(seed): \(more.text)")
        }
    }

    /// A value of a type that cannot stand in its place is refused or kept, and never taken for another.
    @Test(arguments: seeds) func aMemberOfAnotherTypeNeverDoesHarm(seed: UInt64) throws {
        var source = MessageSource(seed: seed)
        for kind in 0..<MessageSource.kinds {
            let json = source.message(kind).json
            for path in json.paths {
                for odd: JSONValue in [true, "\u{0}", -1, [], [[:]], ["type": "later"]] {
                    guard let message = try? ChatMessage(json: json.replacing(path, by: odd)) else { continue }
                    #expect(try ChatMessage(body: message.body) == message, "seed \(seed): \(path) is \(odd) in \(json.text)")
                }
            }
        }
    }
}

extension JSONValue {
    /// The ways to all members in objects, from the root.
    fileprivate var paths: [[String]] {
        (objectValue?.members ?? []).flatMap { name, value in [[name]] + value.paths.map { [name] + $0 } }
    }

    /// The value with another member at the end of the path; nil takes the member away.
    fileprivate func replacing(_ path: [String], by value: JSONValue?) -> JSONValue {
        guard let name = path.first, var object = objectValue else { return self }
        object[name] = path.count == 1 ? value : object[name]?.replacing(Array(path.dropFirst()), by: value)
        return .object(object)
    }

    /// The value without the members of that name in all its objects.
    fileprivate func removing(_ name: String) -> JSONValue {
        switch self {
        case .array(let elements): return .array(elements.map { $0.removing(name) })
        case .object(let object): return .object(JSONObject(object.members.filter { $0.key != name }.map { ($0.key, $0.value.removing(name)) }))
        default: return self
        }
    }

    /// The value with one member more in all its objects, but those whose names are data.
    fileprivate func adding(_ name: String, _ value: JSONValue) -> JSONValue {
        switch self {
        case .object(let object):
            let members = object.members.map { ($0.key, $0.key == "mentions" ? $0.value : $0.value.adding(name, value)) }
            return .object(JSONObject(members + [(name, value)]))
        case .array(let elements): return .array(elements.map { $0.adding(name, value) })
        default: return self
        }
    }
}
