import ArgumentParser
import ChatAPI
import ChatProtocol
import Foundation
import Hosting
import Logging
import ProcessSupport
import Synchronization
import TestSupport
import Testing

@testable import ParleyCLI

/// The work that options of `parley api` ask for, on cores of this process.
@Suite struct ProfileAssistantTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func open(_ name: String, _ folder: ScratchFolder) async throws -> CoreHost {
        var configuration = HostConfiguration(dataFolder: folder(name), logger: Self.logger)
        configuration.databaseKey = nil
        let host = try await CoreHost.open(configuration)
        _ = try await host.core.send(.users(.create(NewUser(profile: Profile(displayName: name), pastTimestamp: false, isChatRelay: false))), as: nil)
        _ = try await host.core.send(.core(.start()), as: nil)
        return host
    }

    /// The first event that `match` makes something of.
    private func next<Result: Sendable>(_ events: ChatEvents, _ match: @Sendable (ChatEvent) -> Result?) async throws -> Result {
        for try await event in events { if let result = match(event) { return result } }
        throw PeerError(.ended, "the core has ended")
    }

    private func command(_ text: String) throws -> ChatCommand { try ChatCommand(parsing: text) }

    @Test("Messages that came while events were lost are read again: their files are accepted, and they are marked as read")
    func lostEvents() async throws {
        let folder = try ScratchFolder("assistant")
        defer { folder.remove() }
        let bot = try await open("bot", folder), person = try await open("ann", folder)
        let botEvents = bot.core.events(), personEvents = person.core.events()
        let options = try ProfileOptions.parse(["--address", "--accept", "--auto-accept-files", "1kb", "-r"])
        let core = LosingCore(bot.core)
        let assistant = ProfileAssistant(core: core, options: ProfileAssistant.Work(options), logger: Self.logger)
        let address = try #require(try await assistant.createAddress())
        _ = try await person.core.send(try command("/c \(address)"), as: nil)
        let contact = try await next(personEvents) { if case .contactConnected(_, let contact, _) = $0 { contact.contactID } else { nil } }
        let working = Task { await assistant.run(core.events()) }
        // The assistant is given none of these.
        for (name, size) in [("small", 10), ("large", 2000)] {
            try Data(repeating: 1, count: size).write(to: URL(filePath: folder(name)))
            let json = #"[{"fileSource":{"filePath":"\#(folder(name))"},"msgContent":{"type":"file","text":""}}]"#
            _ = try await person.core.send(try command("/_send @\(contact) json \(json)"), as: nil)
            _ = try await next(botEvents) { event in
                guard case .newChatItems(_, let items) = event, items.contains(where: { $0.chatItem.file?.fileName == name }) else { return Bool?.none }
                return true
            }
        }
        core.lose()
        let received = try await next(botEvents) { if case .rcvFileComplete(_, let item) = $0 { item.chatItem.file?.fileName } else { nil } }
        #expect(received == "small")
        try await eventually("all is read") {
            guard case .chatItems(_, _, let items) = try await bot.core.send(.chats(.items(pagination: .last(100))), as: nil) else { return false }
            return items.count >= 2 && items.allSatisfy { $0.chatItem.meta.status != .receivedNew }
        }
        guard case .chatItems(_, _, let items) = try await bot.core.send(.chats(.items(pagination: .last(100))), as: nil) else { return }
        #expect(items.compactMap { $0.chatItem.file }.map { $0.status == .receiveInvitation } == [false, true], "the large one waits")
        working.cancel()
        await bot.close()
        await person.close()
    }
}

/// A core whose first subscription gets no events, and loses them.
private final class LosingCore: ChatCore {
    private let core: any ChatCore
    private let hub = ChatEventHub()
    private let isLosing = Mutex(true)

    init(_ core: any ChatCore) { self.core = core }

    func send(_ command: ChatCommand, as user: UserID?) async throws(ChatCoreError) -> ChatResponse { try await core.send(command, as: user) }

    func events(bufferingUpTo limit: Int) -> ChatEvents {
        isLosing.withLock { $0 } ? hub.subscribe(bufferingUpTo: limit) : core.events(bufferingUpTo: limit)
    }

    func lose() {
        isLosing.withLock { $0 = false }
        hub.lose()
    }
}
