import ChatAPI
import ChatProtocol
import ChatRules
import Testing

@testable import ChatEngine

@Suite("What becomes of sent messages")
struct DeliveryStatusTests {
    @Test("every message is shown as sent, and told of once, however many are sent at a time")
    func all() async throws {
        let world = TestWorld()
        let alice = try await TestPerson("alice", world)
        let bob = try await TestPerson("bob", world)
        let (atAlice, _) = try await TestPerson.connect(alice, bob)
        _ = try await bob.core.run("/_set receipts contacts 1 off clear_overrides=on")
        let core = alice.core
        let ids = Recorder<ChatItemID>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<120 {
                group.addTask {
                    ids.append(try await core.send("\(number)", to: atAlice).id)
                }
            }
            try await group.waitForAll()
        }
        @Sendable func isSent(_ item: ChatItem) -> Bool { item.meta.status == .sent(progress: .complete) }
        await alice.eventually("all are sent") { await $0.messages(with: atAlice, count: 200).allSatisfy(isSent) }
        let told = core.events.flatMap { event -> [ChatItem] in
            if case .chatItemsStatusesUpdated(_, let items) = event { items.map(\.chatItem).filter(isSent) } else { [] }
        }
        #expect(Set(told.map(\.id)) == Set(ids.elements))
        #expect(told.count == 120)
        await alice.core.close()
        await bob.core.close()
    }
}
