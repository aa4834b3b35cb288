import Foundation
import Logging
import Parley
import Synchronization
import TestSupport
import Testing
import UnixSignals

@testable import ParleyRules

/// The watch over the files that rules were read from.
@Suite(.timeLimit(.minutes(5))) struct RuleReloaderTests {
    private static func file(_ reply: String) -> String {
        "parley: 1\nlists:\n  bad: { file: words.txt }\nprofiles:\n  echo:\n    rules:\n      - { when: { words: { list: bad } }, then: { reply: \(reply) } }\n"
    }

    /// Runs a watch that begins after a change, until the changed rules are in force.
    private static func run(_ change: (TemporaryFolder) throws -> Void, until isDone: @escaping @Sendable (BotsFile) -> Bool) async throws {
        let folder = try TemporaryFolder(), path = folder.path + "/bots.yaml"
        try Data("casino\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/words.txt"))
        try Data(file("one").utf8).write(to: URL(fileURLWithPath: path))
        let first = try BotsFile(contentsOf: path), rules = try RunningRules(first)
        try change(folder)
        let found = Mutex(false)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let reloader = RuleReloader(file: path, rules: rules, logger: logger) { outcome in
            if case .replaced(let file, _) = outcome, isDone(file) { found.withLock { $0 = true } }
        }
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let watching = Task { await reloader.run(hangUps, from: first) }
        try await eventually("the change is noticed") { found.withLock(\.self) }
        watching.cancel()
        await watching.value
    }

    private static func replies(_ file: BotsFile) -> [String] {
        file.profiles.flatMap(\.rules).flatMap(\.then).filter { $0.word == "reply" }.compactMap(\.template?.source)
    }

    @Test func aChangeBetweenTheReadingAndTheWatchIsNoticed() async throws {
        try await Self.run { folder in
            try Data(Self.file("two").utf8).write(to: URL(fileURLWithPath: folder.path + "/bots.yaml"))
        } until: {
            Self.replies($0) == ["two"]
        }
    }

    @Test func aChangeThatKeepsSizeAndTimeIsNoticed() async throws {
        try await Self.run { folder in
            let path = folder.path + "/bots.yaml", before = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
            let handle = try #require(FileHandle(forUpdatingAtPath: path))
            try handle.write(contentsOf: Data(Self.file("six").utf8))
            try handle.close()
            try FileManager.default.setAttributes([.modificationDate: try #require(before)], ofItemAtPath: path)
        } until: {
            Self.replies($0) == ["six"]
        }
    }

    @Test func aListThatChangesBeforeTheWatchIsNoticed() async throws {
        try await Self.run { folder in
            try Data("lottery\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/words.txt"))
        } until: {
            $0.lists["bad"]?.entries == ["lottery"]
        }
    }
}
