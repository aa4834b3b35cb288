import Foundation
import GRDB
import StorageFaults
import SystemSupport
import TestSupport
import Testing

@testable import EncryptedSQLite

@Suite("A change of key")
struct KeyChangeTests {
    /// Which keys there are before and after.
    enum Change: String, CaseIterable, Sendable {
        case rekey, encrypt, decrypt

        func keys() throws -> (old: DatabaseKey?, new: DatabaseKey?) {
            switch self {
            case .rekey: (try .raw(1), try .raw(2))
            case .encrypt: (nil, try .raw(2))
            case .decrypt: (try .raw(1), nil)
            }
        }
    }

    private static func set(_ folder: TemporaryFolder) -> DatabaseSet {
        DatabaseSet(
            folder: folder.path, name: "set",
            members: ["a", "b", "none"].map { .init(label: $0, path: folder($0 + ".db")) })
    }

    /// Two databases with an entry each.
    private static func make(_ folder: TemporaryFolder, _ key: DatabaseKey?) async throws {
        for name in ["a", "b"] {
            let file = try DatabaseFile.entries(folder(name + ".db"), key: key)
            try await file.add("the secret of \(name)")
            try await file.close()
        }
    }

    /// The one key under which both databases are as they were.
    private static func keyInForce(_ folder: TemporaryFolder, _ keys: [DatabaseKey?]) async throws -> Int? {
        for (index, key) in keys.enumerated() {
            do {
                for name in ["a", "b"] {
                    let file = try DatabaseFile.entries(folder(name + ".db"), key: key)
                    #expect(try await file.names() == ["the secret of \(name)"])
                    try await file.close()
                }
                return index
            } catch let error as StorageError where [.wrongKey, .keyNeeded, .notEncrypted].contains(error.code) {}
        }
        return nil
    }

    @Test("concerns all databases, leaves nothing beside them and nothing readable", arguments: Change.allCases)
    func change(_ change: Change) async throws {
        let folder = try TemporaryFolder(), (old, new) = try change.keys(), set = Self.set(folder)
        try await Self.make(folder, old)
        try set.changeKey(from: old, to: new)
        #expect(Set(try folder.files().keys) == ["a.db", "b.db"])
        for (name, bytes) in try folder.files() where new != nil {
            let isReadable = bytes.contains("the secret")
            #expect(!isReadable, "\(name)")
        }
        #expect(try set.isEncrypted == (new != nil))
        #expect(try await Self.keyInForce(folder, [old, new]) == 1)
        // The same again changes nothing.
        let before = try folder.files()["a.db"]
        try set.changeKey(from: old, to: new)
        #expect(try folder.files()["a.db"] == before)
        #expect(try set.check(key: new).allSatisfy { $0.isSound && $0.isEncrypted == (new != nil) })
    }

    @Test("makes files that are noted as those of the folder, also when it is interrupted and finished later", arguments: Change.allCases)
    func files(_ change: Change) async throws {
        for step in [KeyChange.Step.finished, .decided, .replaced("a")] {
            let folder = try TemporaryFolder(), (old, new) = try change.keys(), set = Self.set(folder)
            try await Self.make(folder, old)
            let members = set.members.filter { $0.label != "none" }
            for member in members { try member.write(FolderMark(folder: "ab", generation: 3, parts: []), key: old) }
            let before = try members.map { try #require(FileIdentity(path: $0.path)) }
            #expect(throws: StorageError.self) {
                try KeyChange(set, from: old, to: new) { if $0 == step { throw KeyChange.Interruption() } }.run()
            }
            try set.recover()
            for (member, file) in zip(members, before) {
                let now = try #require(FileIdentity(path: member.path))
                #expect(now.difference(from: file) != nil)
                guard case .present(let mark?) = try member.presence(key: new) else {
                    Issue.record("\(member.label) has no mark")
                    continue
                }
                #expect(mark.folder == "ab" && mark.generation == 3 && mark.file == now)
            }
        }
    }

    @Test("with the wrong key is refused and changes nothing")
    func wrongKey() async throws {
        let folder = try TemporaryFolder(), set = Self.set(folder)
        try await Self.make(folder, try .raw(1))
        let before = try folder.files()
        #expect { try set.changeKey(from: try .raw(7), to: try .raw(2)) } throws: { ($0 as? StorageError)?.code == .wrongKey }
        #expect { try set.changeKey(from: nil, to: try .raw(2)) } throws: { ($0 as? StorageError)?.code == .keyNeeded }
        #expect(try folder.files() == before)
    }

    @Test("while somebody uses a database is refused")
    func inUse() async throws {
        let folder = try TemporaryFolder(), set = Self.set(folder)
        try await Self.make(folder, try .raw(1))
        let user = try DatabaseFile.entries(folder("b.db"), key: try .raw(1))
        #expect { try set.changeKey(from: try .raw(1), to: try .raw(2)) } throws: { ($0 as? StorageError)?.code == .locked }
        try await user.close()
        #expect(try await Self.keyInForce(folder, [try .raw(1), try .raw(2)]) == 0)
    }

    /// Ends a change by an error at each of its steps.
    ///
    /// - Parameters:
    ///   - decision: the step from which on the new key is to hold.
    ///   - check: is given the error that the change ended with, and whether the step of the decision had been reached.
    private static func end(
        _ change: Change, by cause: any Error, decision: KeyChange.Step,
        _ check: (_ folder: TemporaryFolder, _ set: DatabaseSet, _ error: StorageError, _ isDecided: Bool) async throws -> Void
    ) async throws {
        let (old, new) = try change.keys()
        for step in 0..<7 {
            let folder = try TemporaryFolder(), set = set(folder)
            try await make(folder, old)
            var steps = 0, isDecided = false
            let ended = KeyChange(set, from: old, to: new) { reached in
                if reached == decision { isDecided = true }
                if steps == step { throw cause }
                steps += 1
            }
            let error = try #require(throws: StorageError.self) { try ended.run() }
            try set.recover()
            #expect(try await keyInForce(folder, [old, new]) == (isDecided ? 1 : 0), "step \(step)")
            try await check(folder, set, error, isDecided)
        }
    }

    @Test("that is interrupted at any step is done or not done, and can be done again", arguments: Change.allCases)
    func interruption(_ change: Change) async throws {
        let (old, new) = try change.keys()
        try await Self.end(change, by: KeyChange.Interruption(), decision: .proposed) { folder, set, _, _ in
            let left = try folder.files().keys.filter { !["a.db", "b.db"].contains($0) && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
            #expect(left == [])
            try set.changeKey(from: old, to: new)
            #expect(try await Self.keyInForce(folder, [old, new]) == 1)
        }
    }

    @Test("that the disk refuses at any step says which key is in force", arguments: Change.allCases)
    func refusal(_ change: Change) async throws {
        // A decision that was taken back is not found again.
        try await Self.end(change, by: StorageError(.diskFull, "the disk is full"), decision: .decided) { _, _, error, isDecided in
            #expect(error.message.hasPrefix(isDecided ? "the key is changed" : "the key cannot be changed"), "\(error)")
        }
    }

    @Test("whose decision cannot be taken back does not claim that the old key holds")
    func undecided() async throws {
        let folder = try TemporaryFolder(), set = Self.set(folder), (old, new) = try Change.rekey.keys()
        try await Self.make(folder, old)
        let refused = KeyChange(set, from: old, to: new) { reached in
            guard reached == .proposed else { return }
            // A folder is not deleted as a file is.
            try FileManager.default.removeItem(atPath: set.decision)
            try FileManager.default.createDirectory(atPath: set.decision, withIntermediateDirectories: false)
            throw StorageError(.inputOutput, "the disk is broken")
        }
        let error = try #require(throws: StorageError.self) { try refused.run() }
        #expect(error.message.hasPrefix("it is unknown until the next start whether the key is changed"), "\(error)")
    }

    @Test("on a disk whose N-th operation fails, for every N, is done or not done", arguments: [StorageFaults.Operation.write, .sync, .open, .truncate])
    func faults(_ operation: StorageFaults.Operation) async throws {
        let folder = try TemporaryFolder(), set = Self.set(folder), keys = (try DatabaseKey.raw(1), try DatabaseKey.raw(2))
        try await Self.make(folder, keys.0)
        let disk = try StorageFaults(below: folder.path)
        var isDone = false, number = 1, failures = 0
        while !isDone {
            disk.fail(operation, number: number, with: number % 2 == 0 ? .full : .io, tears: true)
            do throws(StorageError) {
                try set.changeKey(from: keys.0, to: keys.1)
                isDone = disk.failures == 0
                disk.heal()
                // A fault that SQLite can do without, such as that of a checkpoint.
                if !isDone { try set.changeKey(from: keys.1, to: keys.0) }
            } catch {
                failures += 1
                #expect([.diskFull, .inputOutput, .unavailable, .corrupt].contains(error.code), "\(operation) \(number): \(error)")
                disk.heal()
                try set.recover()
                #expect(try await Self.keyInForce(folder, [keys.0, keys.1]) == 0, "\(operation) \(number)")
            }
            number += operation == .write ? 3 : 1
            try #require(number < 200)
        }
        #expect(failures > (operation == .truncate ? -1 : 3))
        #expect(try await Self.keyInForce(folder, [keys.0, keys.1]) == 1)
    }

    @Test("takes along a database that was left under the other key")
    func mixed() async throws {
        let folder = try TemporaryFolder(), set = Self.set(folder)
        for (name, key) in [("a", try DatabaseKey.raw(1)), ("b", try DatabaseKey.raw(2))] {
            let file = try DatabaseFile.entries(folder(name + ".db"), key: key)
            try await file.add("the secret of \(name)")
            try await file.close()
        }
        #expect { try set.checkKey(try .raw(1)) } throws: { ($0 as? StorageError)?.code == .wrongKey }
        try set.changeKey(from: try .raw(1), to: try .raw(2))
        #expect(try await Self.keyInForce(folder, [try .raw(2)]) == 0)
    }
}
