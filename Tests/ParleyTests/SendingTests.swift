import ChatAPI
import ChatModel
import ChatProtocol
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Messages of handlers: sent in parts if they are long, again if the network failed, and followed until they are delivered.
@Suite struct SendingTests {
    static let timeout = ChatCoreError(.agent(error: .broker(server: "smp://router", error: .timeout), agentConnectionID: "", entity: nil))

    /// A chat with ann as a handler has it.
    private func chat(_ core: ScriptedCore) async throws -> BotChat {
        let model = ChatModel(core: core)
        let ann = try core.add(contact: 4, name: "ann")
        _ = try await core.send(.users(.create(NewUser(profile: Profile(displayName: "bot", fullName: ""), pastTimestamp: false, isChatRelay: false))))
        let effects = Effects(model: model, userID: 1, event: "item/1", retry: CommandRetry(clock: ImpatientClock()))
        return BotChat(bot: BotIdentity(id: "bot", name: "bot", userID: 1), info: .direct(contact: ann), effects: effects)
    }

    @Test func textThatTheCoreFindsTooLargeIsSentInPartsWithTheQuoteOnTheFirst() async throws {
        let core = ScriptedCore()
        core.state.withLock { $0.longestText = 15_500 }
        let chat = try await chat(core)
        let asked = core.receive("a question", from: try #require(chat.contact))
        let words = (0..<5_000).map { "word\($0)" }.joined(separator: " ")
        let sent = try await chat.send(.text(words), quoting: asked)
        #expect(sent.furtherItems.count == core.sent(to: 4).count - 1 && core.sent(to: 4).count > 2)
        #expect(core.sent(to: 4).joined(separator: " ") == words)
        let quotes = core.state.withLock { state in
            state.commands.compactMap { if case .messages(.send(_, let messages, _, _, _)) = $0 { messages.map(\.quotedItemID) } else { nil } }.last
        }
        #expect(quotes?.first == asked && quotes?.dropFirst().allSatisfy { $0 == nil } == true)
    }

    @Test func temporaryFailuresAreTriedAgainAndOthersAreNot() async throws {
        let core = ScriptedCore(), chat = try await chat(core)
        core.state.withLock { $0.failures = [Self.timeout, Self.timeout] }
        try await chat.send("at last")
        #expect(core.sent(to: 4) == ["at last"])
        core.state.withLock { $0.failures = [ChatCoreError(.store(error: .largeMessage))] }
        await #expect(throws: ChatCoreError.self) { try await chat.send(.image(text: "", image: ImageData("data:")), quoting: nil) }
        core.state.withLock { $0.failures = Array(repeating: Self.timeout, count: CommandRetry.waits.count + 1) }
        let error = await #expect(throws: ChatCoreError.self) { try await chat.send("never") }
        #expect(error?.isTemporary == true)
    }

    /// A handler that runs again may find that it is answered again: its effects must have the numbers that they had.
    @Test func whatIsRefusedInASilentChatHasANumberToo() async throws {
        let chat = try await chat(ScriptedCore()), effects = chat.effects
        effects.silence(in: .direct(4))
        await #expect(throws: ChatCoreError.self) { try await chat.send("no") }
        await #expect(throws: ChatCoreError.self) { try await effects.forward([1], from: .direct(5), to: .direct(4)) }
        #expect(effects.nextKey() == "item/1/3")
    }

    @Test func faultsOfTheNetworkAreTemporaryWhateverCoreReportsThem() {
        func isTemporary(_ error: MessagingError) -> Bool { ChatCoreError(.agent(error: error, agentConnectionID: "", entity: nil)).isTemporary }
        #expect(isTemporary(.broker(server: "", error: .timeout)))
        #expect(isTemporary(.smp(server: "", error: .proxy(error: .broker(error: .timeout)))))
        #expect(!isTemporary(.smp(server: "", error: .auth)))
        #expect(!isTemporary(.broker(server: "", error: .host)))
        #expect(!ChatCoreError(.timeout, "whether it was run is not known").isTemporary)
    }

    private func status(_ status: ItemStatus, of item: ChatItem, in core: ScriptedCore, _ contact: Contact) {
        var item = item
        item.meta.status = status
        core.state.withLock { state in
            guard let index = state.items[contact.contactID]?.firstIndex(where: { $0.id == item.id }) else { return }
            state.items[contact.contactID]?[index] = item
        }
        let changed = item
        core.publish { .chatItemsStatusesUpdated(user: $0, chatItems: [ItemInChat(chatInfo: .direct(contact: contact), chatItem: changed)]) }
    }

    @Test(
        arguments: [
            (ItemStatus.sent(progress: .complete), DeliveryStage.router, DeliveryOutcome.reached),
            (.sendReceived(receipt: .ok, progress: .complete), .recipient, .reached),
            (.sendReceived(receipt: .ok, progress: .complete), .router, .reached),
            (.sendErrorAuth, .recipient, .failed),
        ] as [(ItemStatus, DeliveryStage, DeliveryOutcome)])
    func aWaitEndsWhenTheStatusDecidesBeforeOrAfterItBegan(_ decided: ItemStatus, _ stage: DeliveryStage, _ outcome: DeliveryOutcome) async throws {
        let core = ScriptedCore(), chat = try await chat(core), contact = try #require(chat.contact)
        let early = try await chat.send("early").item
        status(decided, of: early, in: core, contact)
        #expect(try await core.awaitDelivery(of: early.id, in: .direct(4), as: 1, to: stage, within: .seconds(60)) == outcome)
        let late = try await chat.send("late").item
        async let waited = core.awaitDelivery(of: late.id, in: .direct(4), as: 1, to: stage, within: .seconds(60))
        status(.sendNew, of: late, in: core, contact)
        status(decided, of: late, in: core, contact)
        #expect(try await waited == outcome)
    }

    @Test func aWaitEndsWithItsTimeOrWithTheMessage() async throws {
        let core = ScriptedCore(), chat = try await chat(core)
        let item = try await chat.send("slow").item
        let slow = try await core.awaitDelivery(of: item.id, in: .direct(4), as: 1, to: .recipient, within: .seconds(60), clock: ImpatientClock())
        #expect(slow == .timedOut)
        core.remove([item.id], of: try #require(chat.contact))
        #expect(try await core.awaitDelivery(of: item.id, in: .direct(4), as: 1, to: .router, within: .seconds(60)) == .deleted)
    }
}
