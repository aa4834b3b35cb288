package import ChatAPI
import ChatProtocol

/// The counts of members by how far an item has come at them.
package struct GroupStatusSummary: Hashable {
    private var total = 0
    private var sent = 0
    private var received = 0
    private var hasBadHash = false
    private var error: SendError?

    package init(_ counts: [(status: GroupSendStatus, count: Int)]) {
        for (status, count) in counts {
            total += count
            switch status {
            case .sent: sent += count
            case .received(let receipt):
                received += count
                if receipt == .badMessageHash { hasBadHash = true }
            default: break
            }
        }
    }

    /// The status of the item as a whole. Members who get it by way of others, or later, keep it from being complete.
    package var itemStatus: ItemStatus {
        guard total > 0 else { return .sendNew }
        if received > 0 {
            return .sendReceived(receipt: hasBadHash ? .badMessageHash : .ok, progress: received == total ? .complete : .partial)
        }
        if sent > 0 { return .sent(progress: sent == total ? .complete : .partial) }
        return .sendNew
    }
}
