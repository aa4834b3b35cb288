import ChatAPI
import Foundation
import TestSupport
import Testing

@testable import Hosting

/// What a process that runs bots leaves for others to read while it lives.
@Suite struct RunningProfilesTests {
    private static let profiles = [
        RunningProfiles.Profile(name: "Echo", userID: 1, address: "simplex:/contact#1", shortAddress: "https://simplex.chat/a#1"),
        RunningProfiles.Profile(name: "Ann \"the\" Böt\n", userID: UserID(Int64.max), address: nil, shortAddress: nil),
    ]

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var file: String { folder.path + "/running.json" }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) }

    @Test func whatIsWrittenIsReadByOthersUntilItIsRemoved() throws {
        #expect(RunningProfiles.read(dataFolder: folder.path) == nil)
        let written = RunningProfiles(Self.profiles)
        for _ in 1...2 { try written.write(dataFolder: folder.path) }
        #expect(RunningProfiles.read(dataFolder: folder.path) == written)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600, "addresses are nobody else's")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["running.json"])
        for _ in 1...2 { RunningProfiles.remove(dataFolder: folder.path) }
        #expect(RunningProfiles.read(dataFolder: folder.path) == nil)
    }

    @Test func whatAProcessLeftThatIsGoneSaysNothing() async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "exit 0"]
        try process.run()
        process.waitUntilExit()
        try RunningProfiles(Self.profiles, processID: process.processIdentifier).write(dataFolder: folder.path)
        #expect(RunningProfiles.read(dataFolder: folder.path) == nil)
        try RunningProfiles(Self.profiles).write(dataFolder: folder.path)
        #expect(RunningProfiles.read(dataFolder: folder.path)?.profiles == Self.profiles)
    }

    /// Numbers that the system takes for groups of processes, and for all of them.
    @Test(arguments: [0, -1, Int32.min, .max]) func aNumberThatIsNoProcessSaysNothing(_ number: Int32) throws {
        try RunningProfiles(Self.profiles, processID: number).write(dataFolder: folder.path)
        #expect(RunningProfiles.read(dataFolder: folder.path) == nil)
    }

    @Test func aProcessOfAnotherAccountCounts() throws {
        // The first process of the system: whether or not it may be signalled, it is there.
        try RunningProfiles(Self.profiles, processID: 1).write(dataFolder: folder.path)
        #expect(RunningProfiles.read(dataFolder: folder.path)?.profiles == Self.profiles)
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "{\"profiles\":[]}", "{\"profiles\":[],\"processID\":99999999999999999999}", "{\"profiles\":{},\"processID\":1}",
        "{\"profiles\":[{\"name\":7,\"userID\":1}],\"processID\":1}", "{\"profiles\":[],\"processID\":1", "\u{FEFF}x",
    ])
    func aFileOfAnotherShapeSaysNothing(_ text: String) throws {
        try write(text)
        #expect(RunningProfiles.read(dataFolder: folder.path) == nil)
    }

    @Test func aFolderThatIsNotThereIsSaid() {
        let error = #expect(throws: HostError.self) { try RunningProfiles(Self.profiles).write(dataFolder: folder.path + "/nowhere") }
        #expect(error?.code == .dataFolder)
        RunningProfiles.remove(dataFolder: folder.path + "/nowhere")
        #expect(RunningProfiles.read(dataFolder: folder.path + "/nowhere") == nil)
    }
}
