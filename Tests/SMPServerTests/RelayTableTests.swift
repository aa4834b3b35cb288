import NIOCore
import SMPProtocol
import SMPTransport
import SMPWire
import Testing

@testable import SMPServer

/// Which routers a proxy connects to when more are named than it can have.
@Suite struct RelayTableTests {
    private typealias Table = RelayTable<Int>
    private let honest = RouterClient.session(SessionID(number: 1))
    private let attacker = RouterClient.session(SessionID(number: 2))

    private func server(_ number: Int) -> SMPServerAddress {
        SMPServerAddress(host: .domain("relay\(number).example"), keyHash: KeyHash(Bytes(repeating: UInt8(truncatingIfNeeded: number), count: 32)))
    }

    private func time(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(1) + .seconds(seconds) }

    /// Connects to a router that answers.
    private func connect(_ table: inout Table, _ number: Int, for client: RouterClient, at seconds: Int64, busy: Set<UInt64> = []) -> UInt64? {
        guard case .waits = table.request(server(number), for: client, number, at: time(seconds)), table.next() == server(number) else {
            Issue.record("router \(number) is not connected to")
            return nil
        }
        let result = table.connected(server(number), as: UInt64(number), at: time(seconds)) { busy.contains($0) }
        #expect(result.waiters == [number] && result.isKept)
        return result.evicted
    }

    /// Ends an attempt. Failures are remembered for five seconds.
    private func fail(_ table: inout Table, _ number: Int, at seconds: Int64) -> [Int] {
        table.attemptFailed(server(number), at: time(seconds), until: time(seconds + 5))
    }

    private func isKnown(_ table: inout Table, _ number: Int, for client: RouterClient, at seconds: Int64) -> Bool {
        if case .known(UInt64(number)) = table.request(server(number), for: client, 0, at: time(seconds)) { true } else { false }
    }

    @Test func aThousandRoutersThatDoNotAnswerKeepNobodyFromHis() {
        var table = Table(.init(connections: 1_000))
        for number in 0..<1_000 { _ = table.request(server(number), for: attacker, number, at: time(0)) }
        var attempted: [SMPServerAddress] = []
        while let next = table.next() { attempted.append(next) }
        #expect(attempted.count == 4)
        guard case .waits = table.request(server(5_000), for: honest, 5_000, at: time(0)) else {
            Issue.record("refused")
            return
        }
        #expect(table.next() == server(5_000))
    }

    @Test func clientsTakeTurnsWhenAllAttemptsAreUnderWay() {
        var table = Table(.init(connections: 1_000, attempts: 4, attemptsPerClient: 4))
        for number in 0..<100 { _ = table.request(server(number), for: attacker, number, at: time(0)) }
        while table.next() != nil {}
        for number in 200..<204 { _ = table.request(server(number), for: honest, number, at: time(0)) }
        #expect(table.next() == nil)
        var order: [SMPServerAddress] = []
        for number in 0..<4 {
            #expect(fail(&table, number, at: 0).isEmpty)
            if let next = table.next() { order.append(next) }
        }
        #expect(order.count == 4 && order.filter { [server(200), server(201)].contains($0) }.count == 2)
    }

    @Test func aRouterThatManyClientsHaveNamedIsConnectedToOnceAndTheirTurnsPassWithoutDepth() {
        var table = Table(.init(connections: 1_000, queued: 20_000))
        for number in 0..<20_000 { _ = table.request(server(1), for: .session(SessionID(number: UInt64(number))), number, at: time(0)) }
        #expect(table.next() == server(1))
        #expect(table.next() == nil)
    }

    @Test func aRouterThatAnotherHasNamedBehindManyIsConnectedToInOnesOwnTurn() {
        var table = Table(.init(connections: 1_000, attempts: 100))
        for number in 0..<100 { _ = table.request(server(number), for: attacker, number, at: time(0)) }
        while table.next() != nil {}
        _ = table.request(server(99), for: honest, 1_099, at: time(0))
        #expect(table.next() == server(99))
        #expect(table.connected(server(99), as: 1, at: time(0)) { _ in false }.waiters == [99, 1_099])
        // It is not connected to twice.
        for number in 0..<100 where number != 99 {
            #expect(fail(&table, number, at: 0).isEmpty)
            while let next = table.next() { #expect(next != server(99)) }
        }
    }

    @Test func theOneUsedLeastLatelyOfWhoHasMostMakesRoom() {
        var table = Table(.init(connections: 4))
        #expect(connect(&table, 1, for: honest, at: 1) == nil)
        for number in 2...4 { #expect(connect(&table, number, for: attacker, at: Int64(number)) == nil) }
        #expect(isKnown(&table, 2, for: attacker, at: 10) == true)
        // The honest client's is the oldest by far, and stays.
        for number in 5...40 { #expect(connect(&table, number, for: attacker, at: Int64(10 + number)) != nil) }
        #expect(isKnown(&table, 1, for: honest, at: 100) == true)
        #expect(table.count == 4)
        // The third of four is the honest client's too when he wants it.
        #expect(connect(&table, 50, for: honest, at: 101) == 38)
        #expect(isKnown(&table, 1, for: honest, at: 102) == true)
        #expect(isKnown(&table, 50, for: honest, at: 102) == true)
    }

    @Test func oneThatWorksGoesForAnotherClientOnly() {
        var table = Table(.init(connections: 2))
        #expect(connect(&table, 1, for: attacker, at: 1) == nil)
        #expect(connect(&table, 2, for: attacker, at: 2) == nil)
        _ = table.request(server(3), for: attacker, 3, at: time(3))
        #expect(table.next() == server(3))
        let refused = table.connected(server(3), as: 3, at: time(3)) { _ in true }
        #expect(refused.waiters == [3] && !refused.isKept && refused.evicted == nil)
        #expect(connect(&table, 4, for: honest, at: 4, busy: [1, 2]) == 1)
        #expect(table.count == 2)
    }

    @Test func whoUsesAConnectionLastOwnsIt() {
        var table = Table(.init(connections: 2))
        _ = connect(&table, 1, for: attacker, at: 1)
        _ = connect(&table, 2, for: attacker, at: 2)
        table.use(1, by: honest, at: time(3))
        #expect(connect(&table, 3, for: attacker, at: 4) == 2)
        #expect(isKnown(&table, 1, for: honest, at: 5) == true)
        table.end(1)
        table.end(1)
        #expect(table.count == 1)
    }

    @Test func failuresTakeNoRoomAndAreNotRepeatedForAWhile() {
        var table = Table(.init(connections: 1, failures: 8))
        for number in 0..<50 {
            guard case .waits = table.request(server(number), for: attacker, number, at: time(0)) else {
                Issue.record("refused")
                return
            }
            #expect(table.next() == server(number))
            #expect(fail(&table, number, at: 0).isEmpty)
            // Who waits is told when the time has come, and who asks meanwhile waits with him.
            guard case .waits = table.request(server(number), for: honest, 1_000, at: time(0)) else {
                Issue.record("told too early")
                return
            }
            #expect(table.expire(server(number), at: time(1), until: time(6)) == [number, 1_000])
        }
        guard case .failed = table.request(server(0), for: honest, 0, at: time(5)) else {
            Issue.record("tried again")
            return
        }
        #expect(connect(&table, 0, for: honest, at: 7) == nil)
    }

    @Test func anAttemptThatTakesTooLongIsAnsweredAndMayStillEndWell() {
        var table = Table(.init(connections: 1))
        _ = table.request(server(1), for: honest, 1, at: time(0))
        #expect(table.next() == server(1))
        #expect(table.expire(server(1), at: time(15), until: time(20)) == [1])
        #expect(table.expire(server(1), at: time(15), until: time(20)) == [])
        let result = table.connected(server(1), as: 1, at: time(16)) { _ in false }
        #expect(result.isKept && result.waiters.isEmpty)
        #expect(isKnown(&table, 1, for: honest, at: 17) == true)
    }

    @Test func whoAsksWhileAnAttemptTakesTooLongIsAnsweredWhenItFailsAndNobodyWaitsAfterwards() {
        var table = Table(.init(connections: 1))
        _ = table.request(server(1), for: honest, 1, at: time(0))
        #expect(table.next() == server(1))
        #expect(table.expire(server(1), at: time(15), until: time(20)) == [1])
        for waiter in [2, 3] {
            guard case .waits = table.request(server(1), for: honest, waiter, at: time(16)) else {
                Issue.record("not kept")
                return
            }
        }
        #expect(fail(&table, 1, at: 17) == [2, 3])
        guard case .failed = table.request(server(1), for: honest, 4, at: time(18)) else {
            Issue.record("waits for nothing")
            return
        }
        // It is tried again, and the time of the next attempt is its own.
        _ = table.request(server(1), for: honest, 5, at: time(23))
        #expect(table.next() == server(1))
        #expect(fail(&table, 1, at: 24).isEmpty)
        #expect(table.expire(server(1), at: time(38), until: time(43)) == [5])
    }

    @Test func whatWaitsIsBounded() {
        var table = Table(.init(connections: 10, queued: 6, queuedPerClient: 4, waiters: 3))
        var kept = 0
        for number in 0..<20 {
            if case .waits = table.request(server(number), for: attacker, number, at: time(0)) { kept += 1 }
        }
        #expect(kept == 4)
        for number in 100..<120 {
            if case .waits = table.request(server(number), for: honest, number, at: time(0)) { kept += 1 }
        }
        #expect(kept == 6)
        var waiting = 0
        for _ in 0..<10 { if case .waits = table.request(server(0), for: honest, 0, at: time(0)) { waiting += 1 } }
        #expect(waiting == 2)
        #expect(table.clear().count == 8)
    }

    @Test func routersThatDoNotReadLeaveEachOtherItsShareOfMemory() {
        let budget = RelayBudget()
        let block = 16_384
        var held: [Int] = []
        // As many as there can be, each with all that it is given.
        for _ in 0..<1_000 {
            var own = 0
            while budget.reserve(block, beside: own) { own += block }
            #expect(own >= RelayBudget.guaranteed && own <= RelayBudget.perConnection)
            held.append(own)
        }
        #expect(budget.used <= RelayBudget.sharedLimit)
        #expect(held.reduce(0, +) <= RelayBudget.sharedLimit + 1_000 * RelayBudget.guaranteed)
        for own in held { budget.release(own, of: own) }
        #expect(budget.used == 0)
    }
}
