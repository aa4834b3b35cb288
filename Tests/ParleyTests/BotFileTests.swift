import ChatAPI
import ChatProtocol
import Foundation
import Logging
import Pictures
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Files between two bots of one process, over the routers inside it.
@Suite struct BotFileTests {
    private struct World {
        let folder: TemporaryFolder
        let host: CoreHost

        init() async throws {
            folder = try TemporaryFolder()
            var configuration = HostConfiguration(dataFolder: folder.path + "/data", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            configuration.databaseKey = nil
            host = try await CoreHost.open(configuration)
        }

        /// Runs bots until `body` ends.
        func run(_ bots: [Bot], _ body: @escaping @Sendable ([HostReady.Profile]) async throws -> Void) async throws {
            let store = try BotStateStore(path: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let session = HostSession(
                core: host.core, bots: bots, store: store, parallelHandlers: 8, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                filesFolder: host.filesFolder)
            let ready = AsyncStream<[HostReady.Profile]>.makeStream()
            let running = Task { try await session.run { ready.continuation.yield($0) } }
            for await profiles in ready.stream {
                try await body(profiles)
                break
            }
            running.cancel()
            _ = await running.result
            await session.drain(within: .seconds(5))
            await host.close()
            try await store.close()
        }
    }

    /// What handlers have seen, in order.
    private final class Log<Element: Sendable>: Sendable {
        private let entries = Mutex<[Element]>([])
        func add(_ entry: Element) { entries.withLock { $0.append(entry) } }
        var all: [Element] { entries.withLock(\.self) }
    }

    @Test func aHandlerGetsTheFileThatAnotherBotSends() async throws {
        let world = try await World()
        let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let path = world.folder.path + "/data.bin"
        try Data(content).write(to: URL(fileURLWithPath: path))
        let received = Log<(String, [UInt8], [FileProgress])>(), uploaded = Log<Bool>()
        let keeper = Bot("Keeper") {
            On(.content(.file)) { message in
                let steps = Log<FileProgress>()
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
            try await Self.connect(profiles[1], to: profiles[0], world.host.core)
            try await eventually("the file is received") { !received.all.isEmpty && !uploaded.all.isEmpty }
        }
        let (name, bytes, steps) = try #require(received.all.first)
        #expect(name == "data.bin" && bytes == content)
        #expect(steps.last.map { $0.done == $0.total } == true, "\(steps)")
    }

    @Test func aPictureIsSentWithAPreviewAndAFileThatIsNotThereIsRefused() async throws {
        let world = try await World()
        let path = world.folder.path + "/picture.jpg"
        let picture = Picture(width: 800, height: 600, pixels: Array(repeating: 90, count: 800 * 600 * 3))
        try Data(try picture.jpeg(quality: 90)).write(to: URL(fileURLWithPath: path))
        let seen = Log<MessageContent>(), errors = Log<BotFileError.Code>()
        let keeper = Bot("Keeper") { On(.content(.image)) { seen.add($0.content) } }
        let sender = Bot("Sender") {
            On(.connected) { contact in
                do { try await contact.send(image: path + ".missing") } catch let error as BotFileError { errors.add(error.code) }
                try await contact.send(image: path, caption: "look")
            }
        }
        try await world.run([keeper, sender]) { profiles in
            try await Self.connect(profiles[1], to: profiles[0], world.host.core)
            try await eventually("the picture comes") { !seen.all.isEmpty }
        }
        guard case .image(let text, let image)? = seen.all.first else { return }
        #expect(text == "look")
        let encoded = try #require(image.uri.firstRange(of: "base64,")).upperBound
        let preview = try Picture(decoding: Array(try #require(Data(base64Encoded: String(image.uri[encoded...])))))
        #expect((preview.width, preview.height) == (320, 240))
        #expect(errors.all == [.notFound])
    }

    private static func connect(_ profile: HostReady.Profile, to other: HostReady.Profile, _ core: any ChatCore) async throws {
        let user = profile.chats.userID
        let link = try #require(other.shortAddress ?? other.address)
        _ = try await core.send(.connections(.connectLink(link)), as: user)
    }
}
