import Foundation
import NIOCore
import NIOPosix
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import TestSupport
import Testing

@testable import RouterSupport
@testable import SMPServer

/// What an operator does: through the control socket, to the certificate, and with figures.
@Suite struct RouterOperatorTests {
    private func command(_ text: String) throws -> ControlCommand { try ControlCommand(parsing: text) }

    @Test func commandsAreReadStrictly() throws {
        let id = EntityID(Bytes(repeating: 7, count: 24))
        let text = Base64URL.encode(id.bytes)
        #expect(try command("stats") == .statistics)
        #expect(try command("block \(text) spam") == .block(id, BlockingInfo(reason: .spam)))
        #expect(try command("block \(text) content 2") == .block(id, BlockingInfo(reason: .content, notice: ClientNotice(ttl: 7_200))))
        let wrong = [
            "", " ", "Stats", "stats now", "block", "block \(text)", "block \(text) rude", "block \(text) spam -1", "block \(text) spam 1 1",
            "block \(text.dropLast()) spam", "delete \(text)=", "status ../x", "block \(text) spam 99999999999999999999",
        ]
        for text in wrong { #expect(throws: ControlError.self, "\(text)") { try command(text) } }
    }

    @Test func aBlockedQueueTakesAndGivesNothingUntilItIsUnblocked() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        let info = BlockingInfo(reason: .content, notice: ClientNotice(ttl: 3_600))
        let queue = try await withRouter(.folder(folder.path)) { router in
            let (client, old) = (try await TestClient(router.address), try await TestClient(router.address, versions: VersionRange(9...11)))
            let queue = try await TestQueue.create(client)
            #expect(try await client.request([queue.secure(), queue.send([1])]) == [.ok, .ok])
            let message = try queue.open(try await client.event().message).message
            let shown = Base64URL.encode(queue.sender.bytes)
            let answer = try await router.answer(try command("block \(shown) content 1"))
            #expect(answer == #"{"blocked":true}"#)
            let event = try await client.event()
            #expect(event.entity == queue.recipient && event.message == .err(.blocked(info)))
            #expect(
                try await client.request([queue.sub(), queue.send([2]), queue.acknowledge(message), queue.secure()])
                    == Array(repeating: .err(.blocked(info)), count: 4))
            // Who does not know the error is told what they know.
            #expect(try await old.request([queue.send([2])]) == [.err(.auth)])
            // Nobody else learns that it is blocked.
            #expect(try await client.request(.send(MessageFlags(), [1]), queue.sender) == .err(.auth))
            #expect(try await router.answer(try command("status \(shown)")).contains(#""status":"blocked","reason":"content""#))
            return queue
        }
        try await withRouter(.folder(folder.path)) { router in
            let client = try await TestClient(router.address)
            #expect(try await client.request([queue.sub()]) == [.err(.blocked(info))])
            let shown = Base64URL.encode(queue.sender.bytes)
            #expect(try await router.answer(try command("unblock \(shown)")) == #"{"wasBlocked":true}"#)
            #expect(try await router.answer(try command("unblock \(shown)")) == #"{"wasBlocked":false}"#)
            #expect(try await client.request([queue.sub()]) == [.sok(nil)])
            #expect(try queue.body(try await client.event().message) == [1])
            #expect(try await router.answer(try command("delete \(shown)")) == #"{"deletedMessages":1}"#)
            #expect(try await client.event().message == .deld)
            #expect(try await client.request([queue.sub()]) == [.err(.auth)])
            let gone = try command("status \(shown)")
            await #expect(throws: ControlError.self) { try await router.answer(gone) }
            #expect(router.statistics.counters.queuesBlocked == 1)
        }
    }

    /// The answers to lines sent to the control socket of a folder, until it closes or there are as many.
    private func ask(_ folder: String, _ bytes: Bytes, answers: Int) async throws -> [String] {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(
            unixDomainSocketPath: folder + "/" + RouterControl.fileName
        ) { channel in
            channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel) }
        }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(bytes: bytes))
            var text = ""
            for try await part in inbound {
                text += String(buffer: part)
                if text.split(separator: "\n").count >= answers, text.hasSuffix("\n") { break }
            }
            return text.split(separator: "\n").map(String.init)
        }
    }

    @Test func theControlSocketIsTheOwnersAndAnswersEveryLine() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        try await withRouter(.folder(folder.path)) {
            $0.hasControl = true
        } _: { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client)
            let mode = try #require(
                try FileManager.default.attributesOfItem(atPath: folder.path + "/control.sock")[.posixPermissions] as? Int)
            #expect(mode == 0o600)
            let lines = "stats\nnonsense \u{1}\"\nsessions\ncompact\nstatus \(Base64URL.encode(queue.sender.bytes))\n"
            let answers = try await ask(folder.path, Bytes(lines.utf8), answers: 5)
            #expect(answers.count == 5)
            let objects = try answers.map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
            #expect(objects[0]["queues"] as? Int == 1)
            #expect((objects[0]["total"] as? [String: Any])?["queues_created"] as? Int == 1)
            #expect((objects[1]["error"] as? [String: Any])?["code"] as? String == "badCommand")
            #expect((objects[2]["sessions"] as? [[String: Any]])?.first?["subscriptions"] as? Int == 1)
            #expect((objects[3]["journalBytes"] as? Int ?? 0) > 0)
            #expect(objects[4]["mode"] as? String == "messaging")
            // A line without an end is not waited for for ever.
            let endless = try? await ask(folder.path, Bytes(repeating: 97, count: 5_000), answers: 1)
            #expect(endless?.isEmpty ?? true)
            #expect(try await client.request(.ping) == .pong)
        }
        // One that a killed router has left is no hindrance.
        try Data().write(to: URL(fileURLWithPath: folder.path + "/control.sock"))
        try await withRouter(.folder(folder.path)) {
            $0.hasControl = true
        } _: { _ in
            let answers = try await ask(folder.path, Bytes("stats\n".utf8), answers: 1)
            #expect(answers.count == 1)
        }
    }

    @Test func aRenewedCertificateIsShownToNewClientsAndDisturbsNoOther() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        try await withRouter(.folder(folder.path)) {
            $0.certificateDays = 90
        } _: { router in
            let before = try await TestClient(router.address)
            let queue = try await TestQueue.create(before)
            try router.renewCertificate()
            let after = try await TestClient(router.address)
            #expect(after.connection.peerChain[0] != before.connection.peerChain[0])
            #expect(after.connection.peerChain[1] == before.connection.peerChain[1])
            #expect(try await after.request([queue.secure(), queue.send([1])]) == [.ok, .ok])
            #expect(try queue.body(try await before.event().message) == [1])
            let remaining = try #require(router.statistics.certificateLifetime)
            #expect((89 * 86_400...90 * 86_400).contains(remaining))

            // The key of the identity is kept elsewhere: the router says so and goes on; a certificate brought to the folder is taken.
            let (key, kept) = (folder.path + "/ca.key", folder.path + "/elsewhere")
            try FileManager.default.moveItem(atPath: key, toPath: kept)
            #expect { try router.renewCertificate() } throws: { ($0 as? RouterError)?.code == .transport }
            _ = try await TestClient(router.address)
            let issued = try ServerCredential.renew(in: folder.path, authorityKey: AuthorityKey(contentsOf: kept), lifetime: .days(30))
            try router.renewCertificate()
            #expect(try await TestClient(router.address).connection.peerChain == issued.chain)

            // The key of another identity, and another identity in the folder, change nothing.
            let other = try TemporaryFolder(isCreated: false)
            _ = try ServerCredential.loadOrGenerate(in: other.path)
            let foreign = try AuthorityKey(contentsOf: other.path + "/ca.key")
            #expect(throws: ConnectionError.self) { try ServerCredential.renew(in: folder.path, authorityKey: foreign) }
            for name in ["ca.crt", "server.crt", "server.key"] {
                try FileManager.default.removeItem(atPath: folder.path + "/" + name)
                try FileManager.default.copyItem(atPath: other.path + "/" + name, toPath: folder.path + "/" + name)
            }
            #expect { try router.renewCertificate() } throws: { ($0 as? RouterError)?.code == .transport }
            #expect(try await TestClient(router.address).connection.peerChain == issued.chain)
        }
    }

    /// Every state that a kill can leave between the steps of a renewal.
    @Test func aRenewalThatIsInterruptedLeavesAPairThatBelongsTogether() throws {
        let folder = try TemporaryFolder(isCreated: false)
        let old = try ServerCredential.loadOrGenerate(in: folder.path)
        let saved = try TemporaryFolder(isCreated: false)
        try FileManager.default.copyItem(atPath: folder.path, toPath: saved.path)
        let new = try ServerCredential.renew(in: folder.path)
        func put(_ name: String, from source: String, as target: String) throws {
            let path = folder.path + "/" + target
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: source + "/" + name, toPath: path)
        }
        let renewed = try TemporaryFolder(isCreated: false)
        try FileManager.default.copyItem(atPath: folder.path, toPath: renewed.path)
        // Both written, none in place.
        for name in ["server.key", "server.crt"] {
            try put(name, from: saved.path, as: name)
            try put(name, from: renewed.path, as: name + ".new")
        }
        #expect(try ServerCredential.load(from: folder.path).chain == old.chain)
        // The key in place, the certificate not.
        try FileManager.default.removeItem(atPath: folder.path + "/server.key.new")
        try put("server.key", from: renewed.path, as: "server.key")
        #expect(try ServerCredential.load(from: folder.path).chain == new.chain)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/server.crt.new"))
        #expect(try ServerCredential.load(from: folder.path).chain == new.chain)
    }

    @Test func queuesThatNobodyUsesAreDeletedAndOthersAreNot() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        let clock = TestClock(1_700_000_000)
        let (idle, sentTo, subscribed) = try await withRouter(.folder(folder.path), now: { clock.now }) { router in
            let client = try await TestClient(router.address)
            return (
                try await TestQueue.create(client, subscription: .onlyCreate), try await TestQueue.create(client, subscription: .onlyCreate),
                try await TestQueue.create(client)
            )
        }
        clock.advance(8 * 86_400)
        try await withRouter(.folder(folder.path), now: { clock.now }) { router in
            let client = try await TestClient(router.address)
            #expect(try await client.request([sentTo.secure(), sentTo.send([1]), subscribed.sub()]) == [.ok, .ok, .sok(nil)])
            let active = router.statistics.activeQueues
            #expect(active.day == 2 && active.week == 2 && active.month == 3)
        }
        clock.advance(4 * 86_400)
        try await withRouter(.folder(folder.path)) {
            $0.queueLifetime = .seconds(10 * 86_400)
        } now: {
            clock.now
        } _: { router in
            await router.expire()
            #expect(router.statistics.queues == 2 && router.statistics.counters.queuesExpired == 1)
            let client = try await TestClient(router.address)
            #expect(try await client.request([idle.sub(), sentTo.sub(), subscribed.sub()]) == [.err(.auth), .sok(nil), .sok(nil)])
        }
    }

    @Test func figuresAreKeptByDayAndOverRestarts() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        let clock = TestClock(1_700_000_000)
        for restart in 1...3 as ClosedRange<UInt64> {
            try await withRouter(.folder(folder.path), now: { clock.now }) { router in
                let client = try await TestClient(router.address)
                _ = try await TestQueue.create(client)
                let statistics = router.statistics
                #expect(statistics.counters.queuesCreated == restart)
                #expect(statistics.day.queuesCreated == 1)
                #expect(statistics.week.queuesCreated == min(2, restart))
                #expect(statistics.month.queuesCreated == restart)
                #expect(statistics.since == 1_700_000_000)
            }
            clock.advance(4 * 86_400)
        }
        clock.advance(365 * 86_400)
        try await withRouter(.folder(folder.path), now: { clock.now }) { router in
            #expect(router.statistics.month.queuesCreated == 0 && router.statistics.counters.queuesCreated == 3)
        }
        // What cannot be read is put aside.
        try "nonsense".write(toFile: folder.path + "/statistics", atomically: true, encoding: .utf8)
        try await withRouter(.folder(folder.path), now: { clock.now }) { #expect($0.statistics.counters.queuesCreated == 0) }
        #expect(FileManager.default.fileExists(atPath: folder.path + "/statistics.damaged"))
    }

    @Test func aHistoryIsReadAsItWasWrittenAndForgetsOldDays() {
        var history = CounterHistory<RouterStatistics.Counters>(since: 5)
        for day in 1...100 as ClosedRange<UInt16> {
            var counters = RouterStatistics.Counters()
            counters.messagesSent = UInt64(day)
            history.add(counters, on: day)
        }
        #expect(CounterHistory<RouterStatistics.Counters>(history.text) == history)
        #expect(history.sum(of: 1, until: 100).messagesSent == 100)
        #expect(history.sum(of: 7, until: 100).messagesSent == (94...100).reduce(0, +))
        #expect(history.sum(of: 30, until: 101).messagesSent == (72...100).reduce(0, +))
        #expect(history.total.messagesSent == 5_050)
        #expect(history.text.split(separator: "\n").count == 33)
        for text in ["", "since 1", history.text + "x y\n", history.text.replacingOccurrences(of: "total", with: "70000")] {
            #expect(CounterHistory<RouterStatistics.Counters>(text) == nil)
        }
    }

    /// What a server on this machine says until it closes.
    private func talk(_ text: String, to port: Int) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel) }
        }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            var answer = ""
            for try await part in inbound { answer += String(buffer: part) }
            return answer
        }
    }

    @Test func metricsAreServedAndNothingElse() async throws {
        try await withRouter {
            $0.metrics = .init(port: 0)
        } _: { router in
            let client = try await TestClient(router.address)
            _ = try await TestQueue.create(client)
            let port = try #require(router.metricsPort)
            func get(_ path: String, method: String = "GET") async throws -> (status: Int, text: String) {
                let answer = try await talk("\(method) \(path) HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", to: port)
                let status = answer.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
                return (status, answer.components(separatedBy: "\r\n\r\n").last ?? "")
            }
            let (status, text) = try await get("/metrics")
            #expect(status == 200)
            #expect(text.contains("\nparley_smp_queues_created_total 1\n"))
            #expect(text.contains("\nparley_smp_queues 1\n"))
            #expect(text.contains("\nparley_smp_active_queues{period=\"day\"} 1\n"))
            // Every sample has its help and its type, and no name stands twice.
            let lines = text.split(separator: "\n")
            let names = lines.filter { $0.hasPrefix("# TYPE") }.map { $0.split(separator: " ")[2] }
            #expect(Set(names).count == names.count)
            for line in lines where !line.hasPrefix("#") {
                #expect(names.contains(line.prefix { $0 != " " && $0 != "{" }))
                #expect(Int64(line.split(separator: " ").last ?? "") != nil)
            }
            #expect(try await get("/").status == 404)
            #expect(try await get("/metrics", method: "POST").status == 405)
        }
    }
}
