import ChatAPI
import Testing

@testable import ChatRules

@Suite("The status of an item that goes to many members")
struct GroupStatusSummaryTests {
    private func status(_ counts: [(status: GroupSendStatus, count: Int)]) -> ItemStatus { GroupStatusSummary(counts).itemStatus }

    @Test("an item is new until a member has it")
    func new() {
        #expect(status([]) == .sendNew)
        #expect(status([(.new, 3), (.inactive, 1), (.forwarded, 1), (.error(error: .auth), 1)]) == .sendNew)
    }

    @Test("an item is sent completely once it is sent to every member, and in part before")
    func sent() {
        #expect(status([(.sent, 3)]) == .sent(progress: .complete))
        for other in [GroupSendStatus.new, .inactive, .forwarded, .error(error: .auth)] {
            #expect(status([(.sent, 3), (other, 1)]) == .sent(progress: .partial), "\(other)")
        }
    }

    @Test("the first receipt counts for the item, and the last makes it complete")
    func received() {
        #expect(status([(.sent, 2), (.received(receipt: .ok), 1)]) == .sendReceived(receipt: .ok, progress: .partial))
        #expect(status([(.received(receipt: .ok), 3)]) == .sendReceived(receipt: .ok, progress: .complete))
        #expect(status([(.received(receipt: .ok), 3), (.forwarded, 1)]) == .sendReceived(receipt: .ok, progress: .partial))
    }

    @Test("one member who got another text shows in the status of the item")
    func badHash() {
        let counts: [(status: GroupSendStatus, count: Int)] = [(.received(receipt: .badMessageHash), 1), (.received(receipt: .ok), 2)]
        #expect(status(counts) == .sendReceived(receipt: .badMessageHash, progress: .complete))
        #expect(status(counts.reversed()) == status(counts))
    }
}
