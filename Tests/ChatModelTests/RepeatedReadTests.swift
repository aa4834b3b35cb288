import ChatAPI
import ChatProtocol
import Testing

@testable import ChatModel

/// Reads that the model makes by itself: of a preview that is missing, and of everything once events were lost.
@Suite(.timeLimit(.minutes(5))) struct RepeatedReadTests {
    /// What a command does to the item that becomes the preview, while that is read.
    enum Change: CaseIterable {
        case edit, deletion

        var command: ChatCommand {
            switch self {
            case .edit: .messages(.update(.direct(4), 2, UpdatedMessage(content: .text("edited"))))
            case .deletion: .messages(.delete(.direct(4), [2], mode: .internal))
            }
        }
    }

    @Test(arguments: StoredCore.Hold.allCases, Change.allCases)
    func aPreviewIsNotOlderThanACommandThatWasAnsweredWhileItWasRead(_ hold: StoredCore.Hold, _ change: Change) async throws {
        let stored = StoredModel(), model = stored.model
        try await stored.running {
            try await model.load()
            stored.core.hold(hold)
            stored.core.happen(.deletion)
            await stored.core.waitForHeldRead()
            _ = try await model.send(change.command, as: 1)
            stored.core.release()
            // The deletion is passed on before the preview is read; what comes next after it.
            try await stored.happen(.leaving, after: 1)
            let store = stored.core.now
            #expect(await model.state.chat(.direct(4), of: 1)?.chatItems == store.chat.chatItems)
        }
    }

    @Test func aWindowThatIsOpenedWhileAPreviewIsReadStaysOpen() async throws {
        let stored = StoredModel(), model = stored.model
        try await stored.running {
            try await model.load()
            stored.core.hold(.afterReading)
            stored.core.happen(.deletion)
            await stored.core.waitForHeldRead()
            try await model.loadItems(StoredCore.key, of: 1)
            stored.core.release()
            try await stored.happen(.leaving, after: 1)
            #expect(await model.items(StoredCore.key, of: 1)?.items == stored.core.now.items)
        }
    }

    @Test func aCommandThatTakesThePreviewAwayIsFollowedByTheNextPreview() async throws {
        let stored = StoredModel(), model = stored.model
        try await model.load()
        _ = try await model.send(.messages(.delete(.direct(4), [3], mode: .internal)), as: 1)
        #expect(await model.state.chat(.direct(4), of: 1)?.chatItems.map(\.id) == [2])
        #expect(await model.items(StoredCore.key, of: 1) == nil, "a preview opens no window")
    }

    @Test func whatIsOpenIsReadAnewWhenEventsWereLost() async throws {
        let stored = StoredModel(eventLimit: 1), model = stored.model
        try await model.load()
        for read in ReadRaceTests.Read.allCases { try await read.perform(model) }
        // The answer to a read that began before is too old: of what was lost the model does not know what it has.
        try await stored.during(.afterReading, of: ReadRaceTests.Read.page.perform) {
            for happening in [StoredCore.Happening.newItems, .edit, .deletion, .leaving] { stored.core.happen(happening) }
            let running = Task { try await model.run() }
            let error = await #expect(throws: ChatCoreError.self) { for try await _ in stored.events {} }
            #expect(error?.code == .eventsLost)
            let store = stored.core.now
            for read in ReadRaceTests.Read.allCases { await read.expectCurrent(model, store) }
            stored.core.close()
            try await running.value
        }
        await ReadRaceTests.Read.page.expectCurrent(model, stored.core.now)
    }
}
