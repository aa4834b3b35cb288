import Foundation
import Parley
import ParleyTesting
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

@Suite("Files under test") struct FileBotTests {
    @Test("go both ways, over a network in memory and over real routers", arguments: [TestDepth.engine, .live])
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
}
