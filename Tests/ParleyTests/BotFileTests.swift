import ChatAPI
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
        guard case .image(let text, let image)? = seen.all.first?.kind else { return }
        #expect(text == "look")
        let encoded = try #require(image.uri.firstRange(of: "base64,")).upperBound
        let preview = try Picture(decoding: Array(try #require(Data(base64Encoded: String(image.uri[encoded...])))))
        #expect((preview.width, preview.height) == (320, 240))
        #expect(errors.all == [.notFound])
    }

    @Test func progressComesAsASequenceThatEndsWithTheTransfer() async throws {
        let world = try await LiveBots(), path = try world.file("data.bin", 300_000)
        let steps = EventLog<FileProgress>(), uploads = EventLog<FileProgress>(), received = EventLog<Int64>()
        let keeper = Bot("Keeper") {
            On(.content(.file)) { message in
                for try await progress in message.fileProgress() { steps.add(progress) }
                received.add(try await message.file().size)
            }
        }
        let sender = Bot("Sender") {
            On(.connected) { contact in
                let sent = try await contact.send(file: path)
                for try await progress in sent.uploadProgress() { uploads.add(progress) }
            }
        }
        try await world.run([keeper, sender]) { profiles in
            try await world.connect(profiles[1], to: profiles[0])
            try await eventually("the file is received") { !received.all.isEmpty }
        }
        #expect(received.all == [300_000])
        for all in [steps.all, uploads.all] { #expect(all.map(\.done) == all.map(\.done).sorted()) }
        #expect(!steps.all.isEmpty)
    }

    @Test func aSequenceThrowsWhatTheTransferFailsWith() async throws {
        let world = try await LiveBots(), path = try world.file("data.bin", 300_000)
        let errors = EventLog<BotFileError.Code>()
        let keeper = Bot("Keeper") {
            On(.content(.file)) { message in
                do {
                    for try await _ in message.fileProgress(upTo: 10) {}
                } catch let error as BotFileError {
                    errors.add(error.code)
                }
                do {
                    for try await _ in message.fileProgress(within: .zero) {}
                } catch let error as BotFileError {
                    errors.add(error.code)
                }
            }
        }
        let sender = Bot("Sender") { On(.connected) { try await $0.send(file: path) } }
        try await world.run([keeper, sender]) { profiles in
            try await world.connect(profiles[1], to: profiles[0])
            try await eventually("both have failed") { errors.all.count == 2 }
        }
        #expect(errors.all == [.tooLarge, .timedOut])
    }

    @Test func filesAreReceivedOnTheirOwnWithinTheLimitsAndTold() async throws {
        let world = try await LiveBots()
        let small = try world.file("small.bin", 20_000), large = try world.file("large.bin", 200_000)
        let seen = EventLog<String>()
        var keeper = Bot("Keeper") {
            On(.content(.file)) { seen.add("message \($0.attachment?.name ?? "-")") }
            On(.fileReceived) { context in
                seen.add("file \(context.file.name) \(try context.file.bytes().count) of \(context.chat.displayName)")
                try await context.reply("kept")
            }
        }
        keeper.fileReception = FileReception(upTo: 100_000)
        let sender = Bot("Sender") {
            On(.connected) { contact in
                try await contact.send(file: large)
                try await contact.send(file: small)
            }
            On(.text) { seen.add("answer \($0.text)") }
        }
        try await world.run([keeper, sender]) { profiles in
            try await world.connect(profiles[1], to: profiles[0])
            try await eventually("the small file is kept") { seen.all.contains("answer kept") }
        }
        #expect(Set(seen.all) == ["message large.bin", "message small.bin", "file small.bin 20000 of Sender", "answer kept"])
    }

    @Test func aFileIsWithdrawnAndItsReceiverIsTold() async throws {
        let world = try await LiveBots(), path = try world.file("data.bin", 300_000)
        let seen = EventLog<BotFileError.Code>(), came = EventLog<Bool>(), errors = EventLog<BotFileError.Code>()
        let keeper = Bot("Keeper") {
            On(.content(.file)) { _ in came.add(true) }
            On(.fileFailed) { context in
                seen.add(context.error.code)
                #expect(context.isReceived)
            }
        }
        let sender = Bot("Sender") {
            On(.connected) { contact in
                let sent = try await contact.send(file: path)
                try await sent.awaitUpload()
                try await eventually("the file is offered") { !came.all.isEmpty }
                try await sent.cancelFile()
                do { try await contact.send("no file").cancelFile() } catch let error as BotFileError { errors.add(error.code) }
            }
        }
        try await world.run([keeper, sender]) { profiles in
            try await world.connect(profiles[1], to: profiles[0])
            try await eventually("the withdrawal is told") { !seen.all.isEmpty && !errors.all.isEmpty }
        }
        #expect(seen.all == [.cancelled] && errors.all == [.noFile])
    }

    @Test func encryptedFilesAreReadReturnedAndPassedOnToAChatOfAnotherBot() async throws {
        let world = try await LiveBots(encryptsFiles: true), path = try world.file("data.bin", 50_000), copy = world.folder.path + "/copy.bin"
        let content = try Data(contentsOf: URL(fileURLWithPath: path)), seen = EventLog<String>()
        let keeper = Bot("Keeper", id: "keeper") {
            On(.content(.file)) { message in
                let file = try await message.file()
                let onDisk = try Data(contentsOf: URL(fileURLWithPath: file.path))
                let decrypted = Data(try file.bytes())
                #expect(file.isEncrypted && onDisk != content && decrypted == content)
                try file.copy(to: copy)
                #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == content)
                try await message.reply(OutgoingFile(file))
                guard let other = message.client.other("courier"), let chat = await other.chats.all.first?.reference else { return }
                try await message.forward(to: chat, through: other)
                await #expect(throws: ChatCoreError.self) { try await message.forward(to: .direct(99), through: other) }
            }
        }
        let courier = Bot("Courier", id: "courier") {}
        let sender = Bot("Sender", id: "sender") {
            On(.connected) { contact in if contact.chat.displayName == "Keeper" { try await contact.send(file: path, caption: "for you") } }
            On(.content(.file)) { message in
                let file = try await message.file()
                seen.add("\(message.senderName) \(message.text) \(file.name.hasPrefix("data")) \(Data(try file.bytes()) == content)")
            }
        }
        try await world.run([keeper, courier, sender]) { profiles in
            try await world.connect(profiles[2], to: profiles[1])
            try await eventually("the courier has a chat") { await !profiles[1].chats.all.isEmpty }
            try await world.connect(profiles[2], to: profiles[0])
            try await eventually("both come") { seen.all.count == 2 }
        }
        #expect(Set(seen.all) == ["Keeper  true true", "Courier for you true true"])
    }
}

extension LiveBots {
    /// A new file with so many bytes.
    fileprivate func file(_ name: String, _ count: Int) throws -> String {
        let path = folder.path + "/" + name
        try Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: URL(fileURLWithPath: path))
        return path
    }
}
