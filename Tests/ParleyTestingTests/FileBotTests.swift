import ChatAPI
import Foundation
import Parley
import ParleyTesting
import Synchronization
import TestSupport
import Testing

private func postOffice() -> Bot {
    var bot = Bot("Office") {
        On(.fileReceived) { try await $0.reply("\($0.file.name): \($0.file.size)") }
        On(.text("stamp")) { message in
            let path = FileManager.default.temporaryDirectory.path + "/parley-stamp-\(UUID().uuidString).txt"
            try Data("stamp".utf8).write(to: URL(fileURLWithPath: path))
            let sent = try await message.reply(file: path, caption: "Here.")
            try await sent.awaitUpload()
            try FileManager.default.removeItem(atPath: path)
        }
    }
    bot.fileReception = FileReception(upTo: 100_000)
    return bot
}

private final class Paths: Sendable {
    private let paths = Mutex<[String]>([])
    func add(_ path: String) { paths.withLock { $0.append(path) } }
    var all: [String] { paths.withLock { $0 } }
}

@Suite("Files under test") struct FileBotTests {
    @Test("go both ways at each depth", arguments: TestDepth.allCases)
    func bothWays(_ depth: TestDepth) async throws {
        try await withBots(postOffice(), depth: depth) { room in
            let ann = try await room.person("Ann")
            try await ann.send(file: "letter.txt", containing: Array("Dear bot".utf8), caption: "for you")
            try await ann.expect("letter.txt: 8")
            try await ann.say("stamp")
            let stamp = try await ann.expectFile()
            #expect(stamp.bytes == Array("stamp".utf8) && stamp.caption == "Here." && stamp.name.hasSuffix(".txt"))
        }
    }

    @Test("are deleted with the messages that retention deletes") func retention() async throws {
        let paths = Paths()
        var bot = Bot("Office") { On(.fileReceived) { paths.add($0.file.path) } }
        bot.fileReception = FileReception(upTo: 100_000)
        bot.retention = .deleting(after: .seconds(3_600))
        try await withBots(bot) { room in
            let ann = try await room.person("Ann")
            try await ann.send(file: "letter.txt", containing: Array("Dear bot".utf8))
            try await eventually("the file comes") { !paths.all.isEmpty }
            let path = try #require(paths.all.first)
            #expect(FileManager.default.fileExists(atPath: path))
            try await room.advance(by: .seconds(2 * 3_600))
            try await eventually("the file is deleted") { !FileManager.default.fileExists(atPath: path) }
        }
    }

    @Test("that do not come are told with the conversation") func missing() async throws {
        try await withBots(postOffice()) { room in
            let ann = try await room.person("Ann")
            try await ann.send(file: "letter.txt", containing: [1])
            await #expect {
                try await ann.expectFile("stamp.txt")
            } throws: {
                ($0 as? ConversationError)?.description.contains("Ann expected the file \"stamp.txt\", and got \"letter.txt: 1\"") == true
            }
            await #expect(throws: BotFileError.self) { try await ann.send(file: "/nowhere/letter.txt") }
            #expect(try await ann.conversation().first?.description == "Ann:  [file letter.txt]")
        }
    }

    @Test("are uploaded and downloaded by their links", arguments: TestDepth.allCases)
    func links(_ depth: TestDepth) async throws {
        let folder = try TemporaryFolder()
        let copier = Bot("Copier") {
            On(.text) { message in
                let download = try await message.client.download(message.text, to: folder.path + "/copy-\(message.item.id)")
                let upload = try await message.client.upload(try await download.file())
                try await message.reply(try await upload.link())
            }
        }
        try await withBots(copier, depth: depth) { room in
            let ann = try await room.person("Ann")
            try await ann.say(try await ann.upload(file: "letter.txt", containing: Array("Dear bot".utf8)))
            let answer = try await ann.expect(containing: "simplex:/file#/")
            #expect(try await ann.download(answer.text) == Array("Dear bot".utf8))
        }
    }

    @Test("are received in a dry run, whose answer goes nowhere") func dryReception() async throws {
        try await withBots(postOffice(), isDryRun: true) { room in
            let ann = try await room.person("Ann")
            try await ann.send(file: "letter.txt", containing: Array("Dear bot".utf8))
            try await ann.expectNothing()
            #expect(room.suppressed.map(\.kind) == ["send"] && room.suppressed.map(\.text) == ["letter.txt: 8"])
        }
    }

    @Test("are not uploaded in a dry run") func dryRun() async throws {
        try await withBots(Bot("Speaker") {}, isDryRun: true) { room in
            let folder = try TemporaryFolder()
            try Data([1]).write(to: URL(fileURLWithPath: folder.path + "/a"))
            let error = await #expect(throws: ChatCoreError.self) { _ = try await room.bot("Speaker").upload(folder.path + "/a") }
            #expect(error?.code == .unsupported)
        }
    }

    /// Files that are within and beyond what the bot receives on its own, by their kinds and sizes.
    @Test("are received if their kind and size are wanted, and handlers see the others, too") func reception() async throws {
        var bot = Bot("Album") {
            On(.fileReceived) { try await $0.reply("kept \($0.file.size)") }
            On(.anyMessage) { message in try await message.send("seen \(message.attachment?.name ?? "nothing")") }
        }
        bot.fileReception = FileReception(upTo: 1_000, kinds: [.voice, .file])
        try await withBots(bot) { room in
            let ann = try await room.person("Ann"), folder = try TemporaryFolder()
            for (name, kind, size, isKept) in [
                ("a.bin", .file, 1_000, true), ("b.bin", .file, 1_001, false), ("c.bin", .file, 1, true), ("d.m4a", .voice(seconds: 1), 1_000, true),
                ("e.m4a", .voice(seconds: 1), 1_001, false),
            ] as [(String, OutgoingFile.Appearance, Int, Bool)] {
                try Data(repeating: 7, count: size).write(to: URL(fileURLWithPath: folder.path + "/" + name))
                try await ann.send(OutgoingFile(folder.path + "/" + name, as: kind))
                try await ann.expect("seen \(name)")
                if isKept { try await ann.expect("kept \(size)") } else { try await ann.expectNothing() }
            }
        }
        bot.fileReception = FileReception(upTo: 1_000, kinds: [.voice])
        try await withBots(bot) { room in
            let ann = try await room.person("Ann")
            try await ann.send(file: "a.txt", containing: [1])
            try await ann.expect("seen a.txt")
            try await ann.expectNothing()
        }
    }

    @Test("that are more than the limits of a day are refused, also after a restart, and that is told once a day")
    func quota() async throws {
        var bot = Bot("Archive") {
            On(.fileReceived) { try await $0.reply("kept \($0.file.name)") }
            On(.content(.file)) { if $0.attachment?.name == "b.txt" { throw CancellationError() } }
        }
        bot.fileReception = FileReception(upTo: 1_000, filesPerDay: 2, refusal: "That is enough for today.")
        try await withBots(bot) { room in
            let ann = try await room.person("Ann")
            for name in ["a.txt", "b.txt"] {
                try await ann.send(file: name, containing: [1])
                try await ann.expect("kept \(name)")
            }
            try await ann.send(file: "c.txt", containing: [1])
            try await ann.expect("That is enough for today.")
            try await room.restart()
            try await ann.send(file: "d.txt", containing: [1])
            try await ann.expectNothing()
            // Others have their own limits.
            let ben = try await room.person("Ben")
            try await ben.send(file: "e.txt", containing: [1])
            try await ben.expect("kept e.txt")
            try await room.advance(by: .seconds(86_400))
            try await ann.send(file: "f.txt", containing: [1])
            try await ann.expect("kept f.txt")
        }
    }
}
