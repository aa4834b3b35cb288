import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import SMPClient

@Suite("A router that says more than it was asked for")
struct SessionFloodTests {
    private func message(_ number: UInt8) -> SMPBrokerMessage {
        .msg(ReceivedMessage(id: MessageID(Bytes(repeating: number, count: 24)), encryptedBody: [1]))
    }

    /// A session that is subscribed to queue 1.
    private func subscribed(_ change: (inout SMPSessionLimits) -> Void = { _ in }) throws -> Replay {
        var replay = try Replay(change)
        _ = replay.send(replay.request(1, .sub, entity: queueID(1)))
        #expect(try replay.answer(1, .ok, entity: queueID(1)) == ["1: OK"])
        return replay
    }

    @Test("Messages, ends and notices of queues that nobody asked for are dropped")
    func unknownQueues() throws {
        var replay = try subscribed()
        for said in [message(1), .end, .deld, .nmsg(BoxNonce(padding: [1]), [])] as [SMPBrokerMessage] {
            #expect(replay.receive(try replay.block((queueID(9), .none, said))) == ["unexpected \(said.name)"])
        }
        #expect(replay.receive(try replay.block((queueID(9), .none, .ends(ServiceQueues(count: 0))))) == ["unexpected ENDS"])
        #expect(replay.machine.deliveries.count == 1)
        #expect(replay.receive(try replay.block((queueID(1), .none, message(1)))) == ["message 1 1"])
    }

    @Test("A second message before the acknowledgement of the first ends the session, and the same one again is dropped")
    func unacknowledged() throws {
        var replay = try subscribed()
        let id = MessageID(Bytes(repeating: 1, count: 24))
        #expect(replay.receive(try replay.block((queueID(1), .none, message(1)))) == ["message 1 1"])
        #expect(replay.receive(try replay.block((queueID(1), .none, message(1)))) == ["unexpected MSG"])
        _ = replay.send(replay.request(2, .ack(id), entity: queueID(1)))
        #expect(try replay.answer(2, message(2), entity: queueID(1)) == ["message 1 2", "2: OK"])
        // A repeated subscription brings the message again, as its answer.
        _ = replay.send(replay.request(3, .sub, entity: queueID(1)))
        #expect(try replay.answer(3, message(2), entity: queueID(1)) == ["message 1 2", "3: OK"])
        let flood = try replay.block((queueID(1), .none, message(3)), (queueID(1), .none, message(4)))
        #expect(replay.receive(flood) == ["close network"])
        #expect(replay.receive(try replay.block((queueID(1), .none, message(5)))) == [], "nothing more is read")
    }

    @Test("A queue's end is told once, and nothing of the queue is taken after it until it is subscribed to again")
    func ended() throws {
        var replay = try subscribed()
        #expect(replay.receive(try replay.block((queueID(1), .none, .end))) == ["ended 1"])
        #expect(replay.receive(try replay.block((queueID(1), .none, .end))) == ["unexpected END"])
        #expect(replay.receive(try replay.block((queueID(1), .none, message(1)))) == ["unexpected MSG"])
        _ = replay.send(replay.request(2, .sub, entity: queueID(1)))
        #expect(try replay.answer(2, .ok, entity: queueID(1)) == ["2: OK"])
        #expect(replay.receive(try replay.block((queueID(1), .none, message(1)))) == ["message 1 1"])
    }

    @Test("Endless answers to nothing end the session, whatever they are", arguments: 0...3)
    func endless(kind: Int) throws {
        var replay = try subscribed { $0.maximumUnexpected = 100 }
        func next(_ replay: inout Replay) throws -> Bytes {
            switch kind {
            case 0: try replay.block((queueID(7), .none, message(1)))
            case 1: try replay.block((queueID(7), .none, .end))
            case 2: try replay.block((.none, correlationID(200), .ok))
            default: try replay.sealed([1, 0, 3, 1, 2, 3])
            }
        }
        var said: [String] = []
        var blocks = 0
        while !said.contains("close network"), blocks < 1_000 {
            said = replay.receive(try next(&replay))
            blocks += 1
            // What is asked and answered does not count.
            if blocks == 50 {
                _ = replay.send(replay.request(3))
                #expect(try replay.answer(3, .pong) == ["3: PONG"])
            }
        }
        #expect(said.last == "close network")
        #expect(blocks == 151)
        #expect(replay.machine.deliveries.count == 1)
    }

    @Test("Of a service's queues, which are not subscribed to one by one, so many are taken and no more")
    func service() throws {
        var replay = try Replay { $0.maximumServiceQueues = 2 }
        _ = replay.send(replay.request(1, .subs(.unknown), entity: queueID(100)))
        #expect(try replay.answer(1, .soks(ServiceQueues(count: 2)), entity: queueID(100)) == ["1: SOKS"])
        // That all has been delivered is said once, and about no queue.
        #expect(replay.receive(try replay.block((queueID(100), .none, .alls))) == ["unreadable CMD HAS_AUTH"])
        #expect(replay.receive(try replay.block((.none, .none, .alls))) == ["service delivered"])
        #expect(replay.receive(try replay.block((.none, .none, .alls))) == ["unexpected ALLS"])
        for number in 1...4 as ClosedRange<UInt8> {
            let said = replay.receive(try replay.block((queueID(number), .none, message(1))))
            #expect(said == [number <= 2 ? "message \(number) 1" : "unexpected MSG"])
        }
        let ends = try (5...8 as ClosedRange<UInt8>).map { replay.receive(try replay.block((queueID($0), .none, .end)))[0] }
        #expect(ends == ["ended 5", "ended 6", "unexpected END", "unexpected END"])
        #expect(replay.receive(try replay.block((queueID(100), .none, .ends(ServiceQueues(count: 0))))) == ["service ended"])
        #expect(replay.receive(try replay.block((queueID(100), .none, .ends(ServiceQueues(count: 0))))) == ["unexpected ENDS"])
        // A queue that is subscribed to by itself may be the service's too.
        _ = replay.send(replay.request(2, .sub, entity: queueID(9)))
        #expect(try replay.answer(2, .sok(queueID(100)), entity: queueID(9)) == ["2: SOK"])
        #expect(replay.receive(try replay.block((queueID(100), .none, .ends(ServiceQueues(count: 1))))) == ["service ended"])
    }

    @Test("A queue that was just made may have a message at once, and none once it is deleted")
    func made() throws {
        var replay = try subscribed()
        _ = replay.send(replay.request(2, .del, entity: queueID(1)))
        #expect(try replay.answer(2, .ok, entity: queueID(1)) == ["2: OK"])
        #expect(replay.machine.deliveries.count == 0)
        #expect(replay.receive(try replay.block((queueID(1), .none, message(1)))) == ["unexpected MSG"])
    }
}
