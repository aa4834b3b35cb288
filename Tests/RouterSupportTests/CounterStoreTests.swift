import Foundation
import Logging
import TestSupport
import Testing

@testable import RouterSupport

@Suite struct CounterStoreTests {
    private struct Counters: CounterSet {
        var messages: UInt64 = 0
        var queues: UInt64 = 0

        static let fields: [CounterField<Counters>] = [
            Field(name: "messages", help: "Messages.", path: \.messages), Field(name: "queues", help: "Queues.", path: \.queues),
        ]
    }

    private typealias Store = CounterStore<Counters>

    private func store(_ folder: TemporaryFolder) -> Store { Store(.folder(folder.path), now: 5, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) }

    private func total(_ store: Store) -> UInt64 { store.summary(Counters(), on: 1).total.messages }

    @Test func whoHasReadTheCountersFirstAndComesLastIsNotCountedTwice() {
        let store = Store(.memory, now: 5, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        var total: UInt64 = 0
        for count in [12, 10, 12] as [UInt64] {
            var counters = Counters()
            (counters.messages, counters.queues) = (count, 22 - count)
            total = store.summary(counters, on: 1).total.messages
        }
        #expect(total == 12)
        #expect(store.summary(Counters(), on: 1).total.queues == 12)
    }

    private func count(_ messages: UInt64, in store: Store) {
        var counters = Counters()
        counters.messages = messages
        _ = store.summary(counters, on: 1)
    }

    /// As when no descriptor was left for the file.
    @Test func aFileThatCannotBeReadNowIsNeitherReplacedNorTakenForDamaged() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/" + Store.fileName, manager = FileManager.default
        let first = store(folder)
        count(3, in: first)
        first.save()
        try manager.moveItem(atPath: path, toPath: path + ".whole")
        // A link to itself: it is there, and cannot be read.
        try manager.createSymbolicLink(atPath: path, withDestinationPath: path)
        let second = store(folder)
        count(4, in: second)
        second.save()
        #expect(try manager.destinationOfSymbolicLink(atPath: path) == path)
        try manager.removeItem(atPath: path)
        try manager.moveItem(atPath: path + ".whole", toPath: path)
        second.save()
        #expect(total(second) == 7)
        #expect(total(store(folder)) == 7)
        #expect(!manager.fileExists(atPath: path + ".damaged"))
    }

    @Test func aFileThatIsNoHistoryIsPutAside() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/" + Store.fileName
        try Data("nothing of the kind".utf8).write(to: URL(fileURLWithPath: path))
        let store = store(folder)
        #expect(FileManager.default.fileExists(atPath: path + ".damaged"))
        count(4, in: store)
        store.save()
        #expect(total(self.store(folder)) == 4)
    }

    @Test func whatTheDiskRefusedIsSavedLater() throws {
        let folder = try TemporaryFolder(isCreated: false)
        let store = store(folder)
        count(3, in: store)
        // A folder in the way of the file that becomes the new one.
        let obstacle = folder.path + "/" + Store.fileName + ".new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: true)
        store.save()
        #expect(total(self.store(folder)) == 0)
        try FileManager.default.removeItem(atPath: obstacle)
        store.save()
        #expect(total(self.store(folder)) == 3)
    }
}
