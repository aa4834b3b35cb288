import SMPProtocol
import SMPWire
import TestSupport
import Testing

@testable import SMPAgent

/// When connections agree on new keys without being asked, and when another client is taken for a copy of the agent.
@Suite struct SynchronizationScheduleTests {
    private func id(_ number: UInt8) -> ConnectionID { ConnectionID([number]) }

    private func ended(_ number: UInt8, of server: SMPServerAddress) -> QueueKey { QueueKey(server: server, recipientID: EntityID([number])) }

    private let minute: Int64 = 60_000

    @Test func `Connections agree in the order in which they came, each once`() {
        var schedule = SynchronizationSchedule()
        for number in [3, 1, 2, 3, 1] as [UInt8] { schedule.add(id(number), now: 0) }
        let order = [schedule.next(now: 0), schedule.next(now: 0), schedule.next(now: 0), schedule.next(now: 0)]
        #expect(order == [id(3), id(1), id(2), nil])
        #expect(schedule.isEmpty)
    }

    /// A peer can send what cannot be decrypted as often as it likes.
    @Test func `A connection that is put out of step again and again agrees a few times in a day`() {
        var schedule = SynchronizationSchedule(), now: Int64 = 0, begun: [Int64] = []
        while now < 24 * 60 * minute {
            schedule.add(id(1), now: now)
            while let connection = schedule.next(now: now) {
                schedule.begun(connection, now: now)
                begun.append(now / minute)
            }
            now += 1_000
        }
        #expect(begun == [0, 1, 11, 71, 431, 791, 1151])
        // Others are not kept waiting by it.
        schedule.add(id(2), now: now)
        let other = schedule.next(now: now)
        #expect(other == id(2))
    }

    @Test func `After a day in step a connection agrees at once again`() {
        var schedule = SynchronizationSchedule()
        for _ in 0..<4 { schedule.begun(id(1), now: 0) }
        schedule.add(id(1), now: 10)
        let early = schedule.next(now: 10)
        #expect(early == nil && !schedule.isEmpty)
        schedule = SynchronizationSchedule()
        for _ in 0..<4 { schedule.begun(id(1), now: 0) }
        schedule.add(id(1), now: 24 * 60 * minute)
        let late = schedule.next(now: 24 * 60 * minute)
        #expect(late == id(1))
    }

    @Test func `A takeover is all queues, or many, within a minute`() throws {
        let server = SMPServerAddress(host: .domain("one.example"), keyHash: KeyHash(Bytes(repeating: 1, count: 32)))
        var few = TakeoverDetection()
        // One of three is not a copy of all. It is told once, until a queue is subscribed to again.
        let told = [few.end(ended(1, of: server), now: 0) { 2 }, few.end(ended(2, of: server), now: 1) { 1 }, few.end(ended(3, of: server), now: 2) { 0 }]
        #expect(told == [false, true, false] && few.isTakenOver)
        let resumed = [few.subscribed(), few.subscribed()]
        #expect(resumed == [true, false])

        var slow = TakeoverDetection()
        let one = (0..<100 as Range<UInt8>).filter { slow.end(ended($0, of: server), now: Int64($0) * minute) { 1_000 } }
        #expect(one.isEmpty)

        var many = TakeoverDetection()
        let twentieth = (0..<30 as Range<UInt8>).filter { many.end(ended($0, of: server), now: 0) { 100_000 } }
        #expect(twentieth == [19])
    }
}
