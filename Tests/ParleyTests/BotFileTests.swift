import ChatProtocol
import Foundation
import Pictures
import TestSupport
import Testing

@testable import Parley

/// Files between two bots of one process, over the routers inside it.
@Suite struct BotFileTests {
    @Test func aHandlerGetsTheFileThatAnotherBotSends() async throws {
        let world = try await LiveBots()
        let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let path = world.folder.path + "/data.bin"
        try Data(content).write(to: URL(fileURLWithPath: path))
        let received = EventLog<(String, [UInt8], [FileProgress])>(), uploaded = EventLog<Bool>()
        let keeper = Bot("Keeper") {
            On(.content(.file)) { message in
                let steps = EventLog<FileProgress>()
                let file = try await message.file { steps.add($0) }
                received.add((file.name, try file.bytes(), steps.all))
            }
        }
        let sender = Bot("Sender") {
            On(.connected) { contact in
                let sent = try await contact.send(file: path, caption: "for you")
                try await sent.awaitUpload()
                uploaded.add(true)
            }
        }
        try await world.run([keeper, sender]) { profiles in
            try await world.connect(profiles[1], to: profiles[0])
            try await eventually("the file is received") { !received.all.isEmpty && !uploaded.all.isEmpty }
        }
        let (name, bytes, steps) = try #require(received.all.first)
        #expect(name == "data.bin" && bytes == content)
        #expect(steps.last.map { $0.done == $0.total } == true, "\(steps)")
    }

    @Test func aPictureIsSentWithAPreviewAndAFileThatIsNotThereIsRefused() async throws {
        let world = try await LiveBots()
        let path = world.folder.path + "/picture.jpg"
        let picture = Picture(width: 800, height: 600, pixels: Array(repeating: 90, count: 800 * 600 * 3))
        try Data(try picture.jpeg(quality: 90)).write(to: URL(fileURLWithPath: path))
        let seen = EventLog<MessageContent>(), errors = EventLog<BotFileError.Code>()
        let keeper = Bot("Keeper") { On(.content(.image)) { seen.add($0.content) } }
        let sender = Bot("Sender") {
            On(.connected) { contact in
                do { try await contact.send(image: path + ".missing") } catch let error as BotFileError { errors.add(error.code) }
                try await contact.send(image: path, caption: "look")
            }
        }
        try await world.run([keeper, sender]) { profiles in
            try await world.connect(profiles[1], to: profiles[0])
            try await eventually("the picture comes") { !seen.all.isEmpty }
        }
        guard case .image(let text, let image)? = seen.all.first else { return }
        #expect(text == "look")
        let encoded = try #require(image.uri.firstRange(of: "base64,")).upperBound
        let preview = try Picture(decoding: Array(try #require(Data(base64Encoded: String(image.uri[encoded...])))))
        #expect((preview.width, preview.height) == (320, 240))
        #expect(errors.all == [.notFound])
    }
}
