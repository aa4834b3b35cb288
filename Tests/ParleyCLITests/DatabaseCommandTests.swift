import Foundation
import ProcessSupport
import TestSupport
import Testing

@Suite struct DatabaseCommandTests {
    /// Keys themselves, which take no time to derive.
    private static let keys = ["1f", "2e", "3d"].map { "x'" + String(repeating: $0, count: 32) + "'" }

    private struct Outcome {
        let exitCode: Int32
        let output: String
        let errors: String
    }

    private func parley(_ arguments: [String], _ folder: ScratchFolder, key: String? = nil, newKey: String? = nil) async throws -> Outcome {
        let log = folder("errors-\(UUID().uuidString)")
        let environment = ["PARLEY_KEY": key ?? "", "PARLEY_NEW_KEY": newKey ?? ""]
        let process = try ParleyProgram.start(arguments, environment: environment, in: folder.path, log: log)
        let exitCode = try await process.exit()
        let output = await process.restOfOutput().map { $0 + "\n" }.joined()
        return Outcome(exitCode: exitCode, output: output, errors: try String(contentsOfFile: log, encoding: .utf8))
    }

    private func folder(key: String? = nil) async throws -> ScratchFolder {
        let folder = try ScratchFolder("db")
        let made = try await parley(["chat", "--data", "d", "--name", "Alice", "--exec", ":list"], folder, key: key)
        #expect(made.exitCode == 0, "\(made)")
        return folder
    }

    @Test func aFolderIsEncryptedCheckedBackedUpAndDecrypted() async throws {
        let folder = try await folder()
        let check = try await parley(["db", "check", "--data", "d"], folder)
        #expect(check.exitCode == 0 && check.output.contains("not encrypted, whole"), "\(check)")
        let encrypted = try await parley(["db", "key", "--data", "d"], folder, newKey: Self.keys[0])
        #expect(encrypted.exitCode == 0, "\(encrypted)")

        // Without the key, and with another, every command says what is missing.
        for (key, code) in [(nil, "storage.keyNeeded"), (Self.keys[1], "storage.wrongKey")] {
            for command in [["profile", "list"], ["db", "check"], ["db", "backup"], ["db", "key", "--remove"]] {
                let outcome = try await parley(command + ["--data", "d"], folder, key: key)
                #expect(outcome.exitCode == 2 && outcome.errors.contains("[\(code)]"), "\(command) \(outcome)")
            }
        }
        try folder.write(Self.keys[0] + "\n", to: "key")
        let profiles = try await parley(["profile", "list", "--data", "d", "--key-file", "key"], folder)
        #expect(profiles.output == "Alice\n", "\(profiles)")
        let json = try await parley(["db", "check", "--data", "d", "--json"], folder, key: Self.keys[0])
        #expect(json.output.split(separator: "\n").allSatisfy { $0.contains(#""encrypted":true"#) && $0.contains(#""sound":true"#) }, "\(json)")
        let backup = try await parley(["db", "backup", "--data", "d", "--to", "copies"], folder, key: Self.keys[0])
        // One folder with everything in it.
        let copy = backup.output.trimmingCharacters(in: .newlines)
        #expect(backup.exitCode == 0 && copy.contains("copies/parley."), "\(backup)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("copies")).count == 1)
        let parts = try Set(FileManager.default.contentsOfDirectory(atPath: folder(copy)))
        #expect(parts.isSuperset(of: ["parley_chat.db", "parley_agent.db", "parley.folder", "router", "file-router", "files"]), "\(parts)")

        // One byte of a page.
        let path = folder("d/parley_chat.db"), whole = try Data(contentsOf: URL(fileURLWithPath: path))
        var damaged = whole
        damaged[4096 * 2 + 17] ^= 1
        try damaged.write(to: URL(fileURLWithPath: path))
        let found = try await parley(["db", "check", "--data", "d"], folder, key: Self.keys[0])
        #expect(found.exitCode == 1 && found.output.contains("pages are damaged: 3"), "\(found)")
        let refused = try await parley(["db", "key", "--data", "d"], folder, key: Self.keys[0], newKey: Self.keys[1])
        #expect(refused.exitCode == 1 && refused.errors.contains("[storage.corrupt]"), "\(refused)")
        try whole.write(to: URL(fileURLWithPath: path))

        let decrypted = try await parley(["db", "key", "--data", "d", "--remove"], folder, key: Self.keys[0])
        #expect(decrypted.exitCode == 0, "\(decrypted)")
        #expect(try await parley(["profile", "list", "--data", "d"], folder).output == "Alice\n")
    }

    @Test func aChangeOfKeyThatIsKilledIsDoneOrNotDone() async throws {
        let folder = try await folder(key: Self.keys[0])
        var current = 0, killed = 0
        for round in 0..<12 {
            let next = 1 - current
            let process = try ParleyProgram.start(
                ["db", "key", "--data", "d"], environment: ["PARLEY_KEY": Self.keys[current], "PARLEY_NEW_KEY": Self.keys[next]], in: folder.path)
            // At a moment that the first trace of the change, or a delay after it, decides.
            try await eventually("round \(round) has come to its moment", every: .milliseconds(1)) {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: folder("d"))) ?? []
                return !process.isRunning || names.count { $0.contains(".rekey") } > round % 4
            }
            if process.isRunning { killed += 1 }
            process.kill()
            _ = try await process.exit()
            var fitting: [Int] = []
            for key in [current, next] {
                let outcome = try await parley(["profile", "list", "--data", "d"], folder, key: Self.keys[key])
                if outcome.exitCode == 0, outcome.output == "Alice\n" { fitting.append(key) }
            }
            #expect(fitting.count == 1, "round \(round)")
            current = try #require(fitting.first)
        }
        #expect(killed > 0)
        let check = try await parley(["db", "check", "--data", "d"], folder, key: Self.keys[current])
        #expect(check.exitCode == 0, "\(check)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("d")).allSatisfy { !$0.contains(".rekey") })
    }

    @Test func aBackupIsRestoredAndAFolderOfWhichAPartIsGoneIsRefused() async throws {
        let folder = try await folder()
        let backup = try await parley(["db", "backup", "--data", "d", "--json"], folder)
        #expect(backup.exitCode == 0 && backup.output.hasPrefix(#"{"event":"backup","path":"#), "\(backup)")
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder("d/backups")).first), copy = "d/backups/" + name

        try FileManager.default.removeItem(atPath: folder("d/parley_agent.db"))
        for command in [["profile", "list"], ["db", "check"], ["db", "backup"], ["chat", "--exec", ":list"]] {
            let refused = try await parley(command + ["--data", "d"], folder)
            #expect(
                refused.exitCode == 1 && refused.errors.contains("[folderPartMissing]") && refused.errors.contains("parley_agent.db"), "\(command) \(refused)")
        }
        let cautious = try await parley(["db", "restore", copy, "--data", "d"], folder)
        #expect(cautious.exitCode == 1 && cautious.errors.contains("[backup]"), "\(cautious)")
        let restored = try await parley(["db", "restore", copy, "--data", "d", "--replace", "--json"], folder)
        #expect(restored.exitCode == 0 && restored.output.hasPrefix(#"{"event":"restored","#) && restored.output.contains("replaced."), "\(restored)")
        #expect(try await parley(["profile", "list", "--data", "d"], folder).output == "Alice\n")
        #expect(try await parley(["db", "check", "--data", "d"], folder).exitCode == 0)

        // An empty file is none.
        try Data().write(to: URL(fileURLWithPath: folder("d/parley_agent.db")))
        let empty = try await parley(["db", "check", "--data", "d"], folder)
        #expect(empty.exitCode == 1 && empty.errors.contains("[folderPartEmpty]"), "\(empty)")
        let accepted = try await parley(["db", "accept", "--data", "d", "--json"], folder)
        #expect(accepted.exitCode == 0 && accepted.output.contains(#""parts":["chat","#), "\(accepted)")
        #expect(try await parley(["profile", "list", "--data", "d"], folder).output == "Alice\n")

        let marked = try await parley(["db", "mark-copy", "--data", "d", "--json"], folder)
        #expect(marked.exitCode == 0 && marked.output == #"{"event":"marked","folder":"d"}"# + "\n", "\(marked)")
        // A folder that is no backup is a copy.
        let copied = try await parley(["db", "restore", "d", "--data", "other"], folder)
        #expect(copied.exitCode == 0 && copied.output.contains("copy without the mark of a backup"), "\(copied)")
        #expect(try await parley(["profile", "list", "--data", "other"], folder).output == "Alice\n")
        let nothing = try await parley(["db", "restore", "d/router", "--data", "third"], folder)
        #expect(nothing.exitCode == 1 && nothing.errors.contains("[backup]"), "\(nothing)")
    }

    /// Else the bots of the folder could not open it any more when they run as the service.
    @Test(.enabled(if: ServiceUser.canBeActedAs, "only root can write into a folder of somebody else"))
    func whatRootDoesInTheDataFolderOfAServiceIsTheServices() async throws {
        let folder = try await folder()
        try ServiceUser.getsTo(folder, and: "d")
        // Keys that only root can read.
        for (number, key) in Self.keys.enumerated() {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.write(key, to: "key\(number)"))
        }
        for command in [
            ["db", "check"], ["db", "key", "--new-key-file", "key0"], ["chat", "--key-file", "key0", "--exec", ":list"],
            ["profile", "list", "--key-file", "key0"], ["db", "backup", "--key-file", "key0"],
            ["db", "key", "--key-file", "key0", "--new-key-file", "key1"],
        ] {
            let outcome = try await parley(command + ["--data", "d"], folder)
            #expect(outcome.exitCode == 0, "\(command) \(outcome)")
            try ServiceUser.expectToOwnAll(of: folder("d"), after: command.joined(separator: " "))
        }
    }

    @Test(arguments: [
        (["db", "check", "--data", "nowhere"], "[dataFolder]", 2), (["db", "key", "--remove", "--new-key-file", "k"], "exclude each other", 2),
        (["db", "check", "--key-file", "none"], "[databaseKey]", 2), (["db", "frobnicate"], "frobnicate", 2),
    ])
    func whatIsWrongIsSaid(_ arguments: [String], _ expected: String, _ exitCode: Int) async throws {
        let folder = try ScratchFolder("db")
        let outcome = try await parley(arguments, folder)
        #expect(Int(outcome.exitCode) == exitCode && outcome.errors.contains(expected), "\(outcome)")
    }
}
