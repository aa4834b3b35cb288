import ChatAPI
import ChatRules
import ChatSimulation
import EncryptedSQLite
import GRDB
import SMPAgent
import SMPProtocol
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Bob, and a contact of his with an old client, whose messages are made by hand.
///
/// Her connection is not post-quantum: its messages have room for a whole chunk, if the id of the file's message has 11 bytes at most. Her engine sends
/// nothing, since it would ask for post-quantum encryption.
struct InlineFileScene: Sendable {
    let world = TestWorld()
    let alice, bob: TestPerson
    /// The contacts as the other knows them.
    let bobAtAlice, aliceAtBob: ContactID

    /// An agent from before post-quantum encryption, whose messages have more room.
    static var old: AgentConfiguration {
        var configuration = AgentConfiguration.light
        configuration.agentVersions = VersionRange(2, 4) ?? configuration.agentVersions
        return configuration
    }

    /// The id of the message with the file.
    static let id = SharedMessageID(Bytes(repeating: 9, count: 8))

    init() async throws {
        alice = try await TestPerson("alice", world, agent: Self.old)
        bob = try await TestPerson("bob", world, files: SimulatedFileService(SimulatedFileStorage()))
        (bobAtAlice, aliceAtBob) = try await TestPerson.connect(alice, bob)
    }

    func close() async {
        await alice.core.close()
        await bob.core.close()
    }

    // MARK: What old clients send

    /// An offer of a file inside messages.
    static func offer(
        _ content: Bytes, name: String = "a.bin", _ mode: InlineFileMode = .offer, as message: MessageContent = .file("")
    ) -> ChatMessageEvent {
        .newMessage(MessageContainer(content: message, file: FileInvitation(name: name, size: Int64(content.count), inline: mode)))
    }

    /// A voice message that is sent without being accepted.
    static func voice(_ content: Bytes, name: String = "a.bin") -> ChatMessageEvent {
        offer(content, name: name, .sent, as: .voice(text: "", duration: 3))
    }

    static func chunk(_ number: UInt8, _ content: Bytes, of id: SharedMessageID = Self.id) -> ChatMessageEvent {
        .fileChunk(messageID: id, .piece(number: number, content))
    }

    /// All chunks of a file.
    static func chunks(_ content: Bytes, of id: SharedMessageID = Self.id) -> [ChatMessageEvent] {
        let size = Int(InlineChunks.largest)
        let starts = content.isEmpty ? [0] : Array(stride(from: 0, to: content.count, by: size))
        return starts.enumerated().map { number, start in
            chunk(UInt8(number + 1), Bytes(content[start..<min(start + size, content.count)]), of: id)
        }
    }

    /// Sends events from Alice to Bob, each as one message.
    func send(_ events: [ChatMessageEvent], id: SharedMessageID? = nil) async throws {
        try await Self.send(events, id: id, from: alice, to: bobAtAlice)
    }

    /// Sends events past the engine, each as one message.
    static func send(_ events: [ChatMessageEvent], id: SharedMessageID?, from sender: TestPerson, to contact: ContactID) async throws {
        let record = try await sender.core.native.engine.store.read { db in
            try db.firstID("SELECT connection_id FROM connections WHERE contact_id = ?", [contact]).flatMap { try db.connections.find($0) }
        }
        let connection = ConnectionID(try #require(record).agentConnectionID)
        for event in events {
            let body = ChatMessage(messageID: id ?? .random(), event: event).body
            let results = await sender.core.native.engine.agent.send([
                AgentSendRequest(connection: connection, body: body, flags: MessageFlags(notification: true), pqEncryption: false, key: nil)
            ])
            for result in results { _ = try result.get() }
        }
    }

    // MARK: What comes of it at Bob

    /// Waits until Bob has everything that Alice has sent.
    func settle(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let text = "settled \(UInt64.random(in: 0 ... .max))", contact = aliceAtBob
        try await send([.newMessage(MessageContainer(content: .text(text)))])
        await bob.eventually("the message after it", sourceLocation: sourceLocation) { await $0.received(from: contact, count: 1).last == text }
    }

    /// Waits until Bob has been offered a file.
    func offered(_ name: String = "a.bin") async throws -> ItemFile {
        let contact = aliceAtBob
        return try await bob.eventual("the offer of \(name)") { await $0.files(with: contact).last { $0.fileName == name } }
    }

    /// Offers a file to Bob, who accepts it.
    func accepted(_ content: Bytes, options: String = "") async throws -> ItemFile {
        try await send([Self.offer(content)], id: Self.id)
        let file = try await offered()
        guard case .rcvFileAccepted = try await bob.core.run("/freceive \(file.fileID)\(options)") else { throw UnexpectedAnswer() }
        return file
    }

    /// Waits until a file of Bob's has a status.
    func expect(_ status: ItemFileStatus, _ name: String = "a.bin", sourceLocation: SourceLocation = #_sourceLocation) async {
        let contact = aliceAtBob
        await bob.eventually("\(name) is \(status)", sourceLocation: sourceLocation) {
            await $0.files(with: contact).last { $0.fileName == name }?.status == status
        }
    }

    /// Waits until Bob has these files, and nothing else is left of any.
    func expectOnly(_ names: [String], sourceLocation: SourceLocation = #_sourceLocation) async {
        await bob.expectFiles(names, sourceLocation: sourceLocation)
        await bob.eventually("nothing is left", sourceLocation: sourceLocation) { core in
            guard await core.leftovers() == 0 else { return false }
            return await storedChunks(at: core) == 0
        }
    }

    /// The number of chunks in Bob's store.
    func storedChunks() async -> Int64 { await storedChunks(at: bob.core) }

    private func storedChunks(at core: TestCore) async -> Int64 {
        (try? await core.native.engine.store.read { try $0.number("SELECT count(*) FROM inline_file_chunks") ?? 0 }) ?? -1
    }
}
