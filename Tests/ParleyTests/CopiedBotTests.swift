import ChatAPI
import ChatEngine
import ChatProtocol
import Foundation
import Logging
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Bots on a raw copy of a data folder that is one message behind what the contacts have seen.
@Suite(.timeLimit(.minutes(10))) struct CopiedBotTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Profiles of one core that write to the bot.
    private final class People: Sendable {
        private struct State {
            var contacts: [UserID: ContactID] = [:]
            var received: [UserID: [String]] = [:]
            var errors: [String] = []
            var inStep: Set<UserID> = []
        }

        let core: NativeCore
        private let state = Mutex(State())
        private let reader = Mutex<Task<Void, Never>?>(nil)

        init(_ internet: SimulatedInternet, _ router: SimulatedRouter) async throws {
            let configuration = NativeCoreConfiguration(prefix: nil, servers: [SMPServerWithAuth(router.address)], logger: CopiedBotTests.logger)
            core = try NativeCore.open(configuration, network: internet.makeClient())
            let events = core.events()
            let task = Task { [weak self] in
                do { for try await event in events { self?.take(event) } } catch { Issue.record(error) }
            }
            reader.withLock { $0 = task }
        }

        private func take(_ event: ChatEvent) {
            state.withLock { state in
                switch event {
                case .contactConnected(let user, let contact, _): state.contacts[user.userID] = contact.contactID
                case .contactRatchetSync(let user, _, let progress):
                    if progress.status == .ok { state.inStep.insert(user.userID) } else { state.inStep.remove(user.userID) }
                case .newChatItems(let user, let items):
                    for item in items {
                        switch item.chatItem.content {
                        case .receivedMessage(let content): state.received[user.userID, default: []].append(content.text)
                        case .receivedDecryptionError, .receivedIntegrityError, .receivedMessageError: state.errors.append("\(item.chatItem.content)")
                        default: break
                        }
                    }
                default: break
                }
            }
        }

        var contacts: [UserID: ContactID] { state.withLock(\.contacts) }
        var errors: [String] { state.withLock(\.errors) }
        /// True if all have agreed on new keys with the bot.
        var areInStep: Bool { state.withLock { $0.inStep.count == $0.contacts.count } }
        func received(_ user: UserID) -> [String] { state.withLock { $0.received[user] ?? [] } }

        func connect(_ count: Int, to link: String) async throws {
            for number in 1...count {
                let new = NewUser(profile: Profile(displayName: "person \(number)", fullName: ""), pastTimestamp: false, isChatRelay: false)
                guard case .activeUser(let user) = try await core.send(.users(.create(new)), as: nil) else { throw CancellationError() }
                if number == 1 { _ = try await core.send(.core(.start()), as: nil) }
                _ = try await core.send(.connections(.connectLink(link)), as: user.userID)
            }
            try await eventually("all are connected") { contacts.count == count }
        }

        func say(_ text: String) async throws {
            for (user, contact) in contacts {
                _ = try await core.send(.messages(.send(to: .direct(contact), [ComposedMessage(content: .text(text))])), as: user)
            }
        }

        func haveHeard(_ text: String) -> Bool { contacts.keys.allSatisfy { received($0).contains(text) } }
    }

    /// Runs a bot on a folder until the body ends.
    private func run(
        _ path: String, _ internet: SimulatedInternet, _ router: SimulatedRouter, logger: Logger = logger,
        _ body: @escaping @Sendable (HostReady.Profile, CoreHost) async throws -> Void
    ) async throws {
        var configuration = HostConfiguration(dataFolder: path, servers: [router.address.wireString], logger: logger)
        configuration.databaseKey = nil
        let host = try await CoreHost.open(configuration, network: internet.makeClient())
        let bot = Bot("Echo", id: "echo") { On(.text) { message in try await message.send("echo \(message.text)") } }
        let store = try BotStateStore(path: path + "/bots.db", logger: logger)
        let session = HostSession(core: host.core, bots: [bot], store: store, maxConcurrentHandlers: 8, logger: logger)
        let ready = AsyncStream<[HostReady.Profile]>.makeStream()
        let running = Task {
            defer { ready.continuation.finish() }
            try await session.run { ready.continuation.yield($0) }
        }
        var failure: (any Error)?
        for await profiles in ready.stream {
            do { try await body(try #require(profiles.first), host) } catch { failure = error }
            break
        }
        running.cancel()
        _ = await running.result
        await session.drain(within: .seconds(5))
        await host.close()
        try await store.close()
        if let failure { throw failure }
    }

    /// Without new keys the next answer would use the key of the news a second time, and the contacts could not read it.
    @Test(arguments: [false, true])
    func aCopyThatIsOneMessageBehindAnswersEverythingAndNobodySeesADecryptionError(isBesideTheOriginal: Bool) async throws {
        let folder = try TemporaryFolder(), internet = SimulatedInternet(), router = internet.addRouter("router.example")
        let people = try await People(internet, router), path = folder.path + "/data", copy = folder.path + "/copy"
        try await run(path, internet, router) { profile, _ in
            try await people.connect(8, to: try #require(profile.address))
            try await people.say("one")
            try await eventually("all are answered") { people.haveHeard("echo one") }
        }
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let log = RecordedLog(), originalLog = RecordedLog()
        let useCopy: @Sendable () async throws -> Void = {
            try await run(copy, internet, router, logger: log.logger) { _, _ in
                if isBesideTheOriginal {
                    // A message that the original takes before it knows of the copy waits there until it has the connections again.
                    try await eventually("the original knows of the copy") { originalLog.all.contains { $0.metadata["code"] == "connections.takenOver" } }
                }
                // Clients that are not Parley's refuse what a person writes while keys are being agreed on.
                try await eventually("all have new keys") { people.areInStep }
                for text in ["three", "four"] {
                    try await people.say(text)
                    try await eventually("all are answered") { people.haveHeard("echo " + text) }
                }
            }
        }
        try await run(path, internet, router, logger: originalLog.logger) { profile, host in
            for chat in await profile.chats.all {
                guard let contact = chat.contactID else { continue }
                _ = try await host.core.send(
                    .messages(.send(to: .direct(contact), [ComposedMessage(content: .text("news"))])), as: profile.chats.userID)
            }
            try await eventually("all have the news") { people.haveHeard("news") }
            if isBesideTheOriginal { try await useCopy() }
        }
        if !isBesideTheOriginal {
            // While nobody is there to answer.
            try await people.say("two")
            try await useCopy()
        }
        let expected = ["echo one", "news"] + (isBesideTheOriginal ? [] : ["echo two"]) + ["echo three", "echo four"]
        for user in people.contacts.keys { #expect(people.received(user).sorted() == expected.sorted()) }
        #expect(people.errors.isEmpty)
        #expect(log.all.first { $0.metadata["code"] == "folder.copied" }?.metadata["connections"] == "8")
        await people.core.close()
    }
}
