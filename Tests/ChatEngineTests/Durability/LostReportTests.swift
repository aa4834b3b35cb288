import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import SMPClient
import SMPProtocol
import SMPSimulation
import Synchronization
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatStore
@testable import SMPAgent

/// The process ends when the agent has stored what became of a message, and the chat has not.
@Suite("What became of messages that a chat was not told of any more")
struct LostReportTests {
    /// Keeps what is told of messages from a chat.
    private final class Withholder: Sendable {
        private let held = Mutex<[AgentEvent]>([])

        var events: [AgentEvent] { held.withLock { $0 } }

        func attach(_ reports: AsyncStream<AgentNotification>) -> AsyncStream<AgentNotification> {
            let (stream, continuation) = AsyncStream.makeStream(of: AgentNotification.self)
            Task { [self] in
                for await report in reports {
                    switch report.event {
                    case .sent, .messageFailed: held.withLock { $0.append(report.event) }
                    default: continuation.yield(report)
                    }
                }
                continuation.finish()
            }
            return stream
        }
    }

    /// Alice, who is killed, with a contact and a folder.
    private struct Scene {
        let world = TestWorld()
        let folder: TemporaryFolder
        let bob: TestCore
        var prefix: String { folder.path + "/core" }

        init() async throws {
            folder = try TemporaryFolder()
            bob = try await world.core("bob")
            _ = try await bob.run("/_set receipts contacts 1 off clear_overrides=on")
        }

        /// Sends texts whose fate alice's chat is not told, and ends her process when the agent has written it down.
        func sendAndDie(_ texts: [String], refused: Bool) async throws -> ContactID {
            let withholder = Withholder()
            let crash = CrashPoint()
            let alice = try await world.open(prefix: prefix, crash: crash, agent: .light, reports: withholder.attach)
            _ = try await alice.createUser("alice")
            try await bob.join(try await alice.invite())
            try #require(await alice.eventually { await !alice.connected().isEmpty })
            let contact = try #require(await alice.connected().first)
            let agent = try #require(alice.native.engine.agent as? SMPAgent)
            // What a connection says by itself is on its way as well, and does not count.
            try await sendingEnds(alice, agent)
            if refused { alice.network.setFault { request, _ in if case .send = request.command { .refused(.auth) } else { nil } } }
            for text in texts { _ = try await alice.send(text, to: contact) }
            try await sendingEnds(alice, agent)
            try await eventually("the agent has told of all") { withholder.events.count >= texts.count }
            crash.crash()
            alice.network.sever()
            await alice.close()
            return contact
        }

        /// Waits until the chat's messages are with the agent, and the agent has written down what became of all.
        private func sendingEnds(_ core: TestCore, _ agent: SMPAgent) async throws {
            try await eventually("nothing is on its way") {
                let kept = try await core.native.engine.store.read { try $0.number("SELECT COUNT(*) FROM deliveries WHERE done = 0") }
                guard kept == 0 else { return false }
                try await agent.core.store.flush()
                return try await agent.core.store.connectionsWithDeliveries().isEmpty
            }
        }
    }

    private func statuses(_ core: TestCore, _ contact: ContactID) async -> [ItemStatus] {
        await core.messages(with: contact).map(\.meta.status)
    }

    @Test("messages that a router has are shown as sent after a restart, and are not sent again")
    func sent() async throws {
        let scene = try await Scene()
        let contact = try await scene.sendAndDie(["one", "two", "three"], refused: false)
        let commands = Mutex(0)
        let alice = try await scene.world.open(prefix: scene.prefix, agent: .light)
        alice.network.setFault { request, _ in
            if case .send = request.command { commands.withLock { $0 += 1 } }
            return nil
        }
        #expect(await alice.eventually { await statuses(alice, contact).allSatisfy { $0 == .sent(progress: .complete) } })
        #expect(await statuses(alice, contact).count == 3)
        let agent = try #require(alice.native.engine.agent as? SMPAgent)
        let isConfirmed = await alice.eventually {
            do {
                try await agent.core.store.flush()
                return try await agent.core.store.events().isEmpty
            } catch {
                return false
            }
        }
        #expect(isConfirmed)
        #expect(commands.withLock { $0 } == 0)
        let told = alice.events.flatMap { event -> [ChatItemID] in
            if case .chatItemsStatusesUpdated(_, let items) = event { items.map(\.chatItem.id) } else { [] }
        }
        #expect(told.count == 3)
        await alice.close()
        await scene.bob.close()
    }

    @Test("messages that were given up are shown as failed after a restart, and each counts once")
    func failed() async throws {
        let scene = try await Scene()
        let contact = try await scene.sendAndDie(["one", "two", "three"], refused: true)
        for _ in 0..<2 {
            let alice = try await scene.world.open(prefix: scene.prefix, agent: .light, reports: { $0.repeated() })
            #expect(await alice.eventually { await statuses(alice, contact).allSatisfy { $0 == .sendError(error: .auth) } })
            guard case .contactInfo(_, let it, _, _) = try await alice.run("/_info @\(contact)") else { throw UnexpectedAnswer() }
            #expect(it.activeConnection?.authErrorCounter == 3)
            await alice.close()
        }
        await scene.bob.close()
    }
}
