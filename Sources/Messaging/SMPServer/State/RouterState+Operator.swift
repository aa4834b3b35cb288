import SMPProtocol
import SMPWire

// What the operator of a router does to queues, and what time does.
extension RouterState {
    /// Why a queue is blocked; nil if it is not.
    func blocking(_ slot: Int) -> BlockingInfo? {
        guard case .blocked(let info) = store.queue(slot)?.record.status else { return nil }
        return info
    }

    /// Days since 1970.
    static func day(_ now: Int64) -> UInt16 { UInt16(clamping: now / 86_400) }

    /// Takes note that a queue is used.
    mutating func use(_ slot: Int, _ now: Int64, sink: inout some RecordSink) {
        store.use(slot, on: Self.day(now), isRemembered: limits.queueLifetime != nil, sink: &sink)
    }
}
