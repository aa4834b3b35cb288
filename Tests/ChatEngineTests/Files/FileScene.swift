import ChatAPI
import ChatProtocol
import ChatRules
import ChatSimulation
import EncryptedSQLite
import Foundation
import GRDB
import SMPWire
import TestSupport
import Testing
import XFTPAgent

@testable import ChatEngine
@testable import ChatStore

/// Two contacts who exchange files over simulated routers.
struct FileScene: Sendable {
    let world: TestWorld
    let cloud = SimulatedFileStorage()
    let alice, bob: TestPerson
    /// The contacts as the other knows them.
    let bobAtAlice, aliceAtBob: ContactID

    init(_ world: TestWorld = TestWorld()) async throws {
        self.world = world
        alice = try await TestPerson("alice", world, files: SimulatedFileService(cloud))
        bob = try await TestPerson("bob", world, files: SimulatedFileService(cloud))
        (bobAtAlice, aliceAtBob) = try await TestPerson.connect(alice, bob)
    }

    func close() async {
        cloud.openGate()
        await alice.core.close()
        await bob.core.close()
    }

    /// Sends a file from Alice to Bob.
    ///
    /// - Returns: Her item.
    @discardableResult
    func send(_ content: Bytes, _ name: String, text: String = "", kind: String = "file", key: CryptoFileArguments? = nil) async throws -> ChatItem {
        try alice.put(content, name)
        return try await sendStored(name, text: text, kind: kind, key: key)
    }

    /// Sends a file that is in Alice's folder.
    func sendStored(_ name: String, text: String = "", kind: String = "file", key: CryptoFileArguments? = nil) async throws -> ChatItem {
        let source = CryptoFile(filePath: name, cryptoArguments: key).json
        let message: JSONValue = ["fileSource": source, "msgContent": ["type": .string(kind), "text": .string(text)]]
        guard case .newChatItems(_, let items) = try await alice.core.run("/_send @\(bobAtAlice) json \(JSONValue.array([message]).text)"),
            let item = items.first
        else { throw UnexpectedAnswer() }
        return item.chatItem
    }

    /// Waits until Bob has been offered a file, and returns it.
    func offered(_ name: String) async throws -> ItemFile {
        let contact = aliceAtBob
        return try await bob.eventual("the offer of \(name)") { await $0.files(with: contact).last { $0.fileName == name } }
    }

    /// Waits until a file of Bob's has a status.
    func atBob(_ name: String, _ status: ItemFileStatus, sourceLocation: SourceLocation = #_sourceLocation) async {
        let contact = aliceAtBob
        await bob.eventually("\(name) is \(status) at bob", sourceLocation: sourceLocation) {
            await $0.files(with: contact).last { $0.fileName == name }?.status == status
        }
    }

    /// Waits until a file of Alice's has a status.
    func atAlice(_ name: String, _ status: ItemFileStatus, sourceLocation: SourceLocation = #_sourceLocation) async {
        let contact = bobAtAlice
        await alice.eventually("\(name) is \(status) at alice", sourceLocation: sourceLocation) {
            await $0.files(with: contact).last { $0.fileName == name }?.status == status
        }
    }

    /// Waits until nothing is left of transfers at either side.
    func nothingIsLeft(sourceLocation: SourceLocation = #_sourceLocation) async {
        for person in [alice, bob] {
            await person.eventually("nothing is left at \(person.name)", sourceLocation: sourceLocation) { core in
                guard person.files?.count == 0 else { return false }
                return await core.leftovers() == 0
            }
        }
    }

    /// Sends events from Alice to Bob past the rules of the engine, as one message each.
    func attack(_ events: [ChatMessageEvent], id: SharedMessageID? = nil) async throws {
        let contact = bobAtAlice
        try await alice.core.native.engine.transactions.transaction { transaction in
            let user = try transaction.user()
            for event in events {
                try transaction.outbox.send(
                    [.init(event, id: id ?? transaction.newSharedMessageID())], to: try transaction.conversations.contact(contact, of: user))
            }
        }
    }

    /// Waits until Bob has everything that Alice has sent, and both still talk.
    func settle(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let text = "settled \(UInt64.random(in: 0 ... .max))"
        let contact = aliceAtBob
        _ = try await alice.core.send(text, to: bobAtAlice)
        await bob.eventually("the message after it", sourceLocation: sourceLocation) { await $0.received(from: contact, count: 1).last == text }
    }
}

extension TestPerson {
    /// Makes a file in the folder for files.
    func put(_ content: Bytes, _ name: String) throws { try Data(content).write(to: URL(fileURLWithPath: filesFolder + "/" + name)) }

    /// A file in the folder for files; nil if there is none.
    func contents(_ name: String) -> Bytes? {
        (try? Data(contentsOf: URL(fileURLWithPath: filesFolder + "/" + name))).map { Bytes($0) }
    }

    /// The names in the folder for files, sorted.
    var fileNames: [String] { ((try? FileManager.default.subpathsOfDirectory(atPath: filesFolder)) ?? []).sorted() }

    /// Waits until the folder for files has these files and no others.
    func expectFiles(_ names: [String], sourceLocation: SourceLocation = #_sourceLocation) async {
        await eventually("\(name) has the files \(names)", sourceLocation: sourceLocation) { _ in self.fileNames == names.sorted() }
        #expect(fileNames == names.sorted(), sourceLocation: sourceLocation)
    }
}

extension TestCore {
    /// The files of a chat, oldest first.
    func files(with contact: ContactID) async -> [ItemFile] { await messages(with: contact).compactMap(\.file) }

    /// The number of events of a type, as the API names it.
    func count(_ type: String) -> Int { events.filter { $0.json["type"]?.stringValue == type }.count }

    /// The codes of errors that were published.
    var errors: [String] {
        events.compactMap { event in if case .chatError(let error) = event { error.json.text } else { nil } }
    }

    /// The number of removed files that still wait to be cleaned up.
    func leftovers() async -> Int64 {
        (try? await native.engine.store.read { try $0.number("SELECT count(*) FROM removed_files") ?? 0 }) ?? -1
    }

    /// The code of the error that a command is answered with; nil for another answer.
    func refusal(of command: String) async -> String? {
        let answer = await answer(command)
        return answer["chatError"]?["errorType"]?["type"]?.stringValue ?? answer["chatError"]?["storeError"]?["type"]?.stringValue
    }
}
