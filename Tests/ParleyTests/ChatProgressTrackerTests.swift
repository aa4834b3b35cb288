import ChatAPI
import Logging
import Testing

@testable import Parley

@Suite struct ChatProgressTrackerTests {
    @Test func anItemGoesToTheHandlersOnce() {
        var tracker = ChatProgressTracker(HandledProgress(items: ["@4": 10]))
        let old = tracker.admits(announced: 10, in: "@4"), new = tracker.admits(announced: 11, in: "@4")
        tracker.didSubmit(11, in: "@4")
        let again = tracker.admits(announced: 11, in: "@4"), elsewhere = tracker.admits(announced: 1, in: "@5")
        #expect([old, new, again, elsewhere] == [false, true, false, true])
        #expect(!tracker.admits(fetched: 11, in: "@4"))
    }

    @Test func afterARefusalNothingOvertakes() {
        var tracker = ChatProgressTracker(HandledProgress())
        tracker.didSubmit(1, in: "@4")
        tracker.didRefuse(2, in: "@4")
        let overtaking = tracker.admits(announced: 3, in: "@4"), elsewhere = tracker.admits(announced: 3, in: "@5")
        #expect([overtaking, elsewhere] == [false, true])
        #expect(tracker.refused(in: "@4") == 3)
        #expect(tracker.submitted(in: "@4") == 1)
        #expect(tracker.admits(fetched: 2, in: "@4"))
    }

    @Test func whatIsAnnouncedWhileRefusedItemsAreFetchedIsFetchedToo() {
        var tracker = ChatProgressTracker(HandledProgress())
        tracker.didSubmit(1, in: "@4")
        tracker.didRefuse(2, in: "@4")
        let before = tracker.refused(in: "@4")
        // The page with item 2 is on its way when item 3 is stored and announced.
        let overtaking = tracker.admits(announced: 3, in: "@4")
        tracker.didSubmit(2, in: "@4")
        let isClosed = tracker.closeGap(in: "@4", refusedBefore: before)
        #expect([overtaking, isClosed] == [false, false])
        let then = tracker.refused(in: "@4")
        tracker.didSubmit(3, in: "@4")
        let isClosedNow = tracker.closeGap(in: "@4", refusedBefore: then), next = tracker.admits(announced: 4, in: "@4")
        #expect([isClosedNow, next] == [true, true])
    }

    @Test func aRefusedItemThatWasDeletedDoesNotHoldUpTheOthers() {
        var tracker = ChatProgressTracker(HandledProgress())
        tracker.didRefuse(5, in: "@4")
        let isClosed = tracker.closeGap(in: "@4", refusedBefore: tracker.refused(in: "@4"))
        let next = tracker.admits(announced: 6, in: "@4")
        #expect([isClosed, next] == [true, true])
    }

    @Test func whatHappensOnceIsSeenOnce() {
        var tracker = ChatProgressTracker(HandledProgress(references: [.connected: [7]]))
        let answers = [tracker.isFirst(.connected, 7), tracker.isFirst(.request, 7), tracker.isFirst(.request, 7)]
        #expect(answers == [false, true, false])
    }
}

@Suite struct BotStateStoreTests {
    @Test func progressIsKeptPerProfileAndNeverGoesBack() async throws {
        let store = try BotStateStore(path: nil, logger: Logger(label: "test"))
        store.note(.item(5, chat: "@1"), of: 1)
        store.note(.item(3, chat: "@1"), of: 1)
        store.note(.item(9, chat: "@1"), of: 2)
        for contact: Int64 in [4, 4, 5] { store.note(.once(.connected, contact), of: 1) }
        try await store.flush()
        let progress = try await store.progress(of: 1)
        #expect(progress == HandledProgress(items: ["@1": 5], references: [.connected: [4, 5]]))
        #expect(try await store.progress(of: 3) == HandledProgress())
    }

    @Test func aBotFindsItsProfileAgain() async throws {
        let store = try BotStateStore(path: nil, logger: Logger(label: "test"))
        #expect(try await store.userID(of: "echo") == nil)
        try await store.setUserID(1, of: "echo")
        try await store.setUserID(3, of: "echo")
        #expect(try await store.userID(of: "echo") == 3)
    }
}
