import ChatAPI
import Foundation
import TestSupport
import Testing

@testable import Parley

/// Files without a message, over the router inside the process.
@Suite(.timeLimit(.minutes(5))) struct StandaloneFileTests {
    private static func content(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } }

    private static func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

    /// Runs two bots, and gives what they can do to the test.
    private func withClients(
        encryptsFiles: Bool? = nil, _ body: @escaping @Sendable (_ sender: BotClient, _ receiver: BotClient, _ folder: String) async throws -> Void
    ) async throws {
        let world = try await LiveBots(encryptsFiles: encryptsFiles)
        try await world.run([Bot("Sender") {}, Bot("Receiver") {}]) { profiles in
            try await body(profiles[0].client, profiles[1].client, world.folder.path)
        }
    }

    // Of a file of several chunks, the links lead to its description.
    @Test(arguments: [20_000, 300_000, 3_000_000]) func areDownloadedByTheirLinksWithProgress(_ size: Int) async throws {
        try await withClients { sender, receiver, folder in
            let bytes = Self.content(size)
            try Self.write(bytes, to: folder + "/menu.pdf")
            let upload = try await sender.upload(folder + "/menu.pdf")
            let uploaded = EventLog<FileProgress>(), downloaded = EventLog<FileProgress>()
            for try await progress in upload.progress() { uploaded.add(progress) }
            let links = try await upload.links()
            #expect(!links.isEmpty && links.allSatisfy { $0.hasPrefix("simplex:/file#/?desc=") })
            // A link is good for many.
            for number in 0..<2 {
                let download = try await receiver.download(links[0], to: folder + "/copy-\(number).pdf")
                for try await progress in download.progress() { downloaded.add(progress) }
                let file = try await download.file()
                #expect(file.name == "copy-\(number).pdf" && file.size == Int64(size) && !file.isEncrypted)
                #expect(try file.bytes() == bytes)
            }
            for steps in [uploaded.all, downloaded.all] { #expect(steps.allSatisfy { $0.done <= $0.total && $0.total >= Int64(size) }) }
        }
    }

    @Test func areEncryptedWhereReceivedFilesAre() async throws {
        try await withClients(encryptsFiles: true) { sender, receiver, folder in
            let bytes = Self.content(50_000)
            try Self.write(bytes, to: folder + "/menu.pdf")
            let link = try await sender.upload(folder + "/menu.pdf").link()
            let download = try await receiver.download(link, to: folder + "/copy.pdf"), file = try await download.file()
            #expect(file.isEncrypted && FileManager.default.contents(atPath: file.path).map { Array($0) != bytes } == true)
            #expect(try file.bytes() == bytes)
            // The databases hold the key.
            #expect(try await receiver.download(download.id).file() == file)
            try file.copy(to: folder + "/plain.pdf")
            #expect(FileManager.default.contents(atPath: folder + "/plain.pdf").map { Array($0) } == bytes)
            // It is decrypted when it is passed on.
            let passedOn = try await receiver.upload(file).link()
            #expect(try await sender.download(passedOn, to: folder + "/back.pdf").file().bytes() == bytes)
        }
    }

    @Test func whatCannotBeTransferredIsRefusedWithAReason() async throws {
        try await withClients { sender, receiver, folder in
            func code(_ body: () async throws -> Void) async -> BotFileError.Code? {
                do { try await body() } catch { return (error as? BotFileError)?.code }
                return nil
            }
            #expect(await code { _ = try await sender.upload(folder + "/none.pdf") } == .notFound)
            #expect(await code { _ = try await receiver.download("https://example.com/file", to: folder + "/x") } == .link)
            try Self.write(Self.content(20_000), to: folder + "/menu.pdf")
            let link = try await sender.upload(folder + "/menu.pdf").link()
            #expect(await code { _ = try await receiver.download(link, to: folder + "/menu.pdf") } == .exists)
            #expect(await code { _ = try await receiver.download(link, to: folder + "/x", upTo: -8 << 20) } == .tooLarge)
            #expect(await code { _ = try await receiver.download(link, to: folder + "/x", upTo: 19_999).file() } == .tooLarge)
            #expect(!FileManager.default.fileExists(atPath: folder + "/x"))
            #expect(await code { _ = try await receiver.download(FileID(999)) } == .noFile)
            let elsewhere = link.replacingOccurrences(of: "localhost", with: "elsewhere.example").replacingOccurrences(of: "127.0.0.1", with: "127.0.0.9")
            #expect(elsewhere != link)
            #expect(await code { _ = try await receiver.download(elsewhere, to: folder + "/x") } == .unknownRouter)
            #expect(await code { _ = try await sender.upload(folder + "/menu.pdf").links(within: .zero) } == .timedOut)
        }
    }

    @Test(arguments: [20_000, 300_000]) func linksOfAnUploadThatWasCancelledLeadNowhere(_ size: Int) async throws {
        try await withClients { sender, receiver, folder in
            try Self.write(Self.content(size), to: folder + "/menu.pdf")
            let upload = try await sender.upload(folder + "/menu.pdf"), link = try await upload.link()
            try await upload.cancel()
            await #expect(throws: ChatCoreError.self) { try await upload.cancel() }
            // The routers are asked in the background.
            try await eventually("the file is gone") {
                let download = try await receiver.download(link, to: folder + "/copy-\(UUID().uuidString)")
                do { try await download.file() } catch let error as BotFileError { return error.code == .failed }
                return false
            }
        }
    }

    @Test func aTransferThatIsCancelledEndsForThoseWhoWait() async throws {
        try await withClients { sender, receiver, folder in
            try Self.write(Self.content(3_000_000), to: folder + "/menu.pdf")
            let upload = try await sender.upload(folder + "/menu.pdf")
            let waiting = Task { try await upload.links() }
            try await upload.cancel()
            let error = await #expect(throws: BotFileError.self) { _ = try await waiting.value }
            #expect(error?.code == .cancelled)
            await #expect(throws: BotFileError.self) { for try await _ in upload.progress() {} }
        }
    }
}
