import ChatAPI
import ChatProtocol
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Handlers of what becomes of a bot's messages, and of its end.
@Suite(.timeLimit(.minutes(5))) struct LifecycleHandlerTests {
    @Test func aBotIsToldWhatBecomesOfItsMessages() async throws {
        let core = ScriptedCore(), seen = EventLog<String>()
        let bot = Bot("Sender") {
            On(.deliveryFailed) { seen.add("failed \($0.id)") }
            On(.delivery) { seen.add("\($0.status) \($0.id) to \($0.chat.name)") }
        }
        let ann = try core.add(contact: 4, name: "ann")
        _ = try await HostSessionTests().running([bot], on: core) { _ in
            func report(_ status: ItemStatus, of id: ChatItemID, _ direction: ItemDirection = .directSent) {
                var item = ScriptedCore.item(id, .sentMessage(content: .text("x")), direction, "x")
                item.meta.status = status
                core.publish { .chatItemsStatusesUpdated(user: $0, chatItems: [ItemInChat(chatInfo: .direct(contact: ann), chatItem: item)]) }
            }
            report(.sendNew, of: 1)
            report(.sent(progress: .complete), of: 1)
            report(.sent(progress: .partial), of: 2)
            report(.sendReceived(receipt: .ok, progress: .complete), of: 1)
            report(.sendErrorAuth, of: 2)
            report(.receivedRead, of: 3, .directReceived)
            report(.sent(progress: .complete), of: 4)
            try await eventually("all is told") { seen.all.count == 4 }
        }
        #expect(seen.all == ["sent 1 to ann", "received 1 to ann", "failed 2", "sent 4 to ann"])
    }

    @Test func handlersOfTheEndRunBesideThoseThatAreStillAtWorkAndCanSend() async throws {
        let core = ScriptedCore(), began = Gate(), stopping = Gate()
        let bot = Bot("Leaver") {
            On(.text) { message in
                began.open()
                await stopping.wait()
                try await message.send("done")
            }
            On(.stopping) { stop in
                stopping.open()
                try await stop.client.send("closed for today", to: .direct(5))
            }
        }
        let ann = try core.add(contact: 4, name: "ann")
        try core.add(contact: 5, name: "ben")
        try await run(bot, on: core, within: .seconds(600)) {
            core.receive("go", from: ann)
            await began.wait()
        }
        #expect(core.sent(to: 4) == ["done"] && core.sent(to: 5) == ["closed for today"])
    }

    @Test func aHandlerOfTheEndThatDoesNotEndIsCancelledAtTheLimit() async throws {
        let core = ScriptedCore(), isCancelled = Mutex(false)
        let bot = Bot("Leaver") {
            On(.stopping) { _ in
                try? await suspendUntilCancelled()
                isCancelled.withLock { $0 = Task.isCancelled }
            }
        }
        try await run(bot, on: core, within: .zero) {}
        #expect(isCancelled.withLock(\.self) == true)
    }

    /// Runs a bot until the body has ended, and stops it in good order.
    private func run(_ bot: Bot, on core: ScriptedCore, within limit: Duration, _ body: @Sendable () async -> Void) async throws {
        let store = try BotStateStore(path: nil, logger: HostSessionTests.logger)
        let session = HostSession(core: core, bots: [bot], store: store, maxConcurrentHandlers: 8, logger: HostSessionTests.logger, clock: ImpatientClock())
        try await session.running { _ in
            await body()
            await session.drain(within: limit)
            core.finish()
        }
        try await store.flush()
    }
}
