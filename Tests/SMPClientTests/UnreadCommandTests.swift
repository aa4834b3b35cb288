import SMPProtocol
import SMPWire
import Testing

@testable import SMPClient

/// Commands for a router that has stopped reading: as many wait as there is room for.
@Suite struct UnreadCommandTests {
    private static let send = SMPCommand.send(MessageFlags(notification: false), Bytes(repeating: 7, count: 15_000))

    private static func command(_ number: UInt8, deadline: Duration = .seconds(31)) throws -> SMPSessionMachine<Int>.Request {
        try Replay().request(number, send, entity: queueID(number), deadline: deadline)
    }

    /// A session whose commands fill all the room there is.
    private static func full(
        _ count: UInt8, isSubscribed: Bool = false, deadline: Duration = .seconds(31), _ change: (inout SMPSessionLimits) -> Void = { _ in }
    ) throws -> Replay {
        let commands = try (1...count + 1).map { try command($0, deadline: deadline) }
        var replay = try Replay {
            $0.maximumOutgoingBytes = Int(count) * commands[0].transmission.count
            change(&$0)
        }
        if isSubscribed {
            _ = replay.send(replay.request(0, .sub, entity: queueID(0)))
            _ = try replay.answer(0, .ok, entity: queueID(0), at: .seconds(1))
        }
        #expect(replay.machine.submit(commands).map(replay.describe) == ["\(count + 1): overloaded"])
        return replay
    }

    /// Each probe finds room, and counts as a command without an answer.
    @Test(arguments: [(1, 0), (2, 0), (2, 2), (3, 0), (4, 1), (4, 4)] as [(UInt8, UInt8)])
    func aRouterIsProbedAndGivenUpHoweverFewCommandsFillTheRoom(_ count: UInt8, _ cancelled: UInt8) throws {
        var replay = try Self.full(count, isSubscribed: true)
        #expect(replay.machine.abandon((0..<cancelled).map { correlationID($0 + 1) }).count == Int(cancelled))
        #expect(replay.tick(.seconds(31)).actions.count == Int(count - cancelled))
        #expect(replay.machine.nextTick == .seconds(601))
        var (number, now) = (100 as UInt8, Duration.seconds(601))
        while now < .seconds(901) {
            let (actions, ping) = replay.tick(now)
            #expect(actions == [])
            if ping {
                number += 1
                #expect(replay.machine.submit([replay.request(number, deadline: now + .seconds(30), isProbe: true)]).isEmpty)
            }
            let next = try #require(replay.machine.nextTick)
            #expect(next > now && next <= .seconds(901))
            now = next
        }
        #expect(number >= 103)
        #expect(replay.tick(now).actions == ["close network"])
        // Closing takes a while, and nothing is due meanwhile.
        #expect(replay.machine.nextTick == nil)
    }

    @Test(arguments: [0, 1])
    func aProbeHasRoomWhereCommandsHaveNone(_ mostPending: Int) throws {
        var replay = try Self.full(1, isSubscribed: true, deadline: .seconds(700)) { if mostPending > 0 { $0.maximumPendingRequests = mostPending } }
        #expect(replay.tick(.seconds(601)).ping)
        #expect(replay.machine.submit([replay.request(50, deadline: .seconds(631), isProbe: true)]).isEmpty)
        #expect(try replay.open(replay.machine.nextBlocks().blocks).flatMap { $0 } == [1, 50].map(correlationID))
        #expect(try replay.answer(50, .pong, at: .seconds(605)) == [])
        #expect(replay.tick(.seconds(700)).actions == ["1: timeout"])
        #expect(replay.machine.nextTick == .seconds(1_205))
    }

    @Test(arguments: [false, true])
    func whatNobodyWaitsForMakesRoom(_ isCancelled: Bool) throws {
        var replay = try Self.full(3)
        if isCancelled {
            #expect(replay.machine.abandon([correlationID(2), correlationID(3)]).count == 2)
        } else {
            #expect(replay.tick(.seconds(31)).actions.sorted() == ["1: timeout", "2: timeout", "3: timeout"])
        }
        let room: ClosedRange<UInt8> = isCancelled ? 10...11 : 10...12
        for number in room { #expect(replay.machine.submit([try Self.command(number, deadline: .seconds(60))]).isEmpty) }
        #expect(replay.machine.submit([try Self.command(20)]).map(replay.describe) == ["20: overloaded"])
        // Those that are left leave in their order, and nothing else does.
        var replayed: [CorrelationID] = []
        while replay.machine.hasOutgoing { replayed += try replay.open(replay.machine.nextBlocks().blocks).flatMap { $0 } }
        #expect(replayed == ((isCancelled ? [1] : []) + Array(room)).map(correlationID))
        #expect(replay.machine.pendingCount == replayed.count)
    }
}
