import Logging
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPServer

/// Whose names are looked up, wait or are refused.
@Suite struct NameQueueTests {
    private typealias Queue = NameQueue<String>

    /// A queue that several calls change.
    private final class Line {
        var queue: Queue
        init(_ limits: Queue.Limits = Queue.Limits()) { queue = Queue(limits) }

        func add(_ entry: String, _ session: SessionID, _ client: NameClient) -> String {
            switch queue.add(entry, of: session, client) {
            case .start: "start"
            case .waits(nil): "waits"
            case .waits(let displaced?): "instead of \(displaced)"
            case .refused: "refused"
            }
        }

        /// The outcomes of as many names of a client, and how often they came in a row.
        func add(_ count: Int, _ name: String, _ client: NameClient, of session: SessionID = SessionID(number: 1)) -> [String] {
            var outcomes: [(word: String, count: Int)] = []
            for number in 0..<count {
                let outcome = add("\(name)\(number)", session, client)
                if outcomes.last?.word == outcome { outcomes[outcomes.count - 1].count += 1 } else { outcomes.append((outcome, 1)) }
            }
            return outcomes.map { "\($0.count) \($0.word)" }
        }

        /// Ends a lookup, and tells what is looked up in its place.
        func end(_ client: NameClient) -> String? { queue.end(of: client)?.entry }
        func drop(_ session: SessionID, _ client: NameClient) -> Int { queue.drop(session, of: client.client) }
    }

    private let session = SessionID(number: 1)

    private func direct(_ number: UInt64) -> NameClient { NameClient(client: .session(SessionID(number: number)), isProxy: false) }
    private func proxy(_ number: UInt64) -> NameClient { NameClient(client: .session(SessionID(number: number)), isProxy: true) }

    @Test func `A client has 16 names, and a proxy 256, whatever others have`() {
        let line = Line()
        #expect(line.add(20, "a", direct(1)) == ["16 start", "4 refused"])
        #expect(line.add(300, "b", proxy(1)) == ["16 start", "240 waits", "44 refused"])
        #expect(line.add(20, "c", direct(2)) == ["16 waits", "4 refused"])
        #expect(line.end(direct(1)) == "c0", "a proxy has half of the places at most")
        #expect(line.add(2, "d", direct(1)) == ["1 waits", "1 refused"])
    }

    @Test func `All sessions of an address are one client`() throws {
        let line = Line()
        let address = try #require(IPAddress(parsing: "192.0.2.1"))
        let client = NameClient(client: .address(NetworkPrefix(address)), isProxy: false)
        for number in 1...5 { _ = line.add(256, "a", client, of: SessionID(number: UInt64(number))) }
        #expect(line.queue.active == 16 && line.queue.waiting == 0)
        #expect(line.add(1, "b", direct(9)) == ["1 start"])
    }

    @Test func `Clients take turns, whatever the number of their names and whoever came first`() {
        let line = Line()
        for number in 1...2 { _ = line.add(256, "x\(number).", proxy(UInt64(number))) }
        _ = line.add(3, "y", direct(3))
        _ = line.add(1, "z", direct(4))
        let order = (0..<8).map { line.end(proxy($0.isMultiple(of: 2) ? 1 : 2)) }
        #expect(order == ["x1.16", "x2.16", "y0", "z0", "x1.17", "x2.17", "y1", "x1.18"])
        #expect(line.queue.active == 32)
    }

    @Test func `Where all places are taken, the latest name of who has most gives way to one of who has fewer`() {
        let line = Line()
        for number in 1...4 { _ = line.add(256, "x\(number).", proxy(UInt64(number))) }
        #expect(line.add(10, "a", proxy(5)) == ["8 waits", "1 instead of x3.255", "1 instead of x4.255"])
        #expect(line.queue.active == 32 && line.queue.waiting == 1_000)
        #expect(line.add(1, "b", direct(6)) == ["1 instead of x3.254"])
        #expect(line.add(16, "c", direct(7)).allSatisfy { $0.contains("instead of x") })
        // One that has as many as any other displaces nobody.
        #expect(line.add(1, "more", proxy(3)) == ["1 refused"])
        #expect(line.queue.waiting == 1_000)
    }

    @Test func `Among equals nobody is displaced`() {
        var limits = Queue.Limits()
        limits.concurrent = 0
        limits.waiting = 3
        let line = Line(limits)
        for number in 1...3 { #expect(line.add(1, "a", direct(UInt64(number))) == ["1 waits"]) }
        #expect(line.add(1, "b", direct(4)) == ["1 refused"])
        #expect(line.add(1, "b", direct(1)) == ["1 refused"])
    }

    @Test func `The waiting names of a session that has ended are dropped, and nothing is remembered when the others are over`() {
        let line = Line()
        let (gone, stays) = (SessionID(number: 1), SessionID(number: 2))
        let client = proxy(1)
        _ = line.add(20, "a", client, of: gone)
        _ = line.add(5, "b", client, of: stays)
        #expect(line.drop(gone, client) == 4)
        #expect(line.drop(gone, client) == 0)
        #expect(line.queue.active == 16 && line.queue.waiting == 5)
        #expect((0..<6).map { _ in line.end(client) } == ["b0", "b1", "b2", "b3", "b4", nil])
        for _ in 0..<20 { #expect(line.end(client) == nil) }
        #expect(line.queue.active == 0 && line.queue.clients == 0)
    }

    @Test func `The places of clients are counted rightly whatever happens`() {
        var queue = Queue()
        var random = SplitMix64(seed: 20)
        let clients = (1...6).flatMap { [direct($0), proxy($0)] }
        var active: [NameClient: Int] = [:]
        for _ in 0..<20_000 {
            let client = clients[Int.random(in: 0..<clients.count, using: &random)]
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6: if case .start = queue.add("", of: session, client) { active[client, default: 0] += 1 }
            case 6..<9:
                guard active[client, default: 0] > 0 else { continue }
                active[client, default: 0] -= 1
                if let next = queue.end(of: client) { active[next.client, default: 0] += 1 }
            default: if Int.random(in: 0..<50, using: &random) == 0 { _ = queue.drop(session, of: client.client) }
            }
            let (count, waiting) = (queue.active, queue.waiting)
            #expect(count == active.values.reduce(0, +))
            #expect(count <= 32 && active.values.allSatisfy { $0 <= 16 } && waiting <= 1_000)
        }
        let (waiting, entries) = (queue.waiting, queue.dropAll())
        #expect(entries.count == waiting && queue.waiting == 0)
    }

    private struct Broken: NameResolver {
        func resolve(_: SimpleXDomain) async -> Result<NameRecord, NameResolutionError> { .failure(.resolver("HTTP 502")) }
    }

    @Test func `A resolver that fails is logged once a minute with the number of failures, and without the names`() async throws {
        let records = LogRecords()
        let seconds = Mutex<Int64>(5)
        let names = NameService(Broken(), logger: records.logger, uptime: { seconds.withLock { $0 * 1_000_000_000 } })
        let domain = try SimpleXDomain(wireString: "zoe.simplex")
        for (second, expected) in [(5, 1), (6, 1), (64, 1), (65, 2), (66, 2)] as [(Int64, Int)] {
            seconds.withLock { $0 = second }
            await withCheckedContinuation { continuation in
                names.resolve(domain, for: session, of: direct(1)) { answer in
                    #expect(answer == .err(.name(.resolver("HTTP 502"))))
                    continuation.resume()
                }
            }
            #expect(records.lines.withLock(\.count) == expected, "at \(second) s")
        }
        let lines = records.lines.withLock(\.self)
        #expect(lines.allSatisfy { $0.contains("HTTP 502") && !$0.contains("zoe") })
        #expect(lines.first?.contains(#""failures": 1"#) == true && lines.last?.contains(#""failures": 3"#) == true, "\(lines)")
        #expect(names.counts.failed == 5)
        names.close()
    }

    @Test func `Records of names that a client does not read become an error, as do those that are too many`() throws {
        let json = #"{"name":"a.simplex","nickname":"","website":"","location":"","simplexContact":[],"simplexChannel":[],"owner":"","resolver":""}"#
        let record = SMPBrokerMessage.rname(try NameRecord(json: Bytes(json.utf8)))
        var outbox = Outbox()
        func answers(_ outbox: inout Outbox) -> [SMPBrokerMessage] {
            outbox.take(.max) { _ in true }.compactMap { if case .message(let message) = $0.output.content { message } else { nil } }
        }
        func append(_ count: Int, _ outbox: inout Outbox) {
            for _ in 0..<count { outbox.append(RouterOutput(record, to: .none, entity: .none)) }
        }
        append(200, &outbox)
        #expect(answers(&outbox) == Array(repeating: record, count: Outbox.recordLimit) + Array(repeating: NameService.busy, count: 200 - Outbox.recordLimit))
        append(2, &outbox)
        outbox.keepsBodies = false
        append(1, &outbox)
        #expect(answers(&outbox) == Array(repeating: NameService.busy, count: 3))
        outbox.keepsBodies = true
        append(1, &outbox)
        #expect(answers(&outbox) == [record])
    }
}
