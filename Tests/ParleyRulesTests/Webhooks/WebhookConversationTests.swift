import ChatProtocol
import Foundation
import HTTPEndpoint
import Logging
import NIOHTTP1
import Parley
import ParleyTesting
import Synchronization
import TestSupport
import Testing

@testable import ParleyRules

/// Webhooks of a bot that runs, to receivers that answer as a test wants.
@Suite(.timeLimit(.minutes(5))) struct WebhookConversationTests {
    /// Receivers that note requests and answer with a status each; the last one again and again.
    private final class Receivers: WebhookTransport {
        private struct Unreachable: Error {}
        private let state: Mutex<(statuses: [Int], requests: [WebhookRequest])>

        init(_ statuses: Int...) { state = Mutex((statuses, [])) }

        var requests: [WebhookRequest] { state.withLock(\.requests) }

        func answer(_ statuses: Int...) { state.withLock { $0.statuses = statuses } }

        /// - Returns: 0 stands for a receiver that cannot be reached.
        func post(_ request: WebhookRequest) async throws -> WebhookResponse {
            let status = state.withLock { state in
                state.requests.append(request)
                return state.statuses.count > 1 ? state.statuses.removeFirst() : state.statuses[0]
            }
            guard status > 0 else { throw Unreachable() }
            return WebhookResponse(status: status)
        }
    }

    private func file(_ options: String = "") throws -> BotsFile {
        try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  shop:
                    rules:
                      - id: order
                        when: { pattern: "order ([0-9]+)" }
                        then: [ { webhook: { url: "https://hooks.example/in", secret: { env: KEY }\(options) } }, { reply: noted } ]
                """)
    }

    private func waiting(_ room: TestRoom) async throws -> [WebhookDelivery] { try await room.bot("shop").state(WebhookQueue.self).deliveries }

    @Test func anEventIsToldOnceAndAgainUntilItIsTaken() async throws {
        let receivers = Receivers(503, 0, 200)
        try await withBots(RunningRules(file(), webhooks: receivers).bots) { room in
            let ann = try await room.person("Ann")
            try await ann.say("order 7")
            try await ann.expect("noted")
            try await eventually("the first attempt") { receivers.requests.count == 1 }
            let first = try #require(receivers.requests.first), body = try JSONValue(parsing: String(decoding: first.body, as: UTF8.self))
            #expect(first.url == "https://hooks.example/in")
            #expect(body["event"] == "message" && body["profile"] == "shop" && body["rule"] == "order" && body["person"]?["name"] == "Ann")
            #expect(body["message"]?["text"] == "order 7" && body["message"]?["kind"] == "text" && body["chat"]?["kind"] == "contact")
            let id = try #require(first.headers[WebhookSignature.idField]), time = try #require(first.headers[WebhookSignature.timeField])
            #expect(body["id"]?.stringValue == id)
            #expect(
                WebhookSignature.isValid(
                    try #require(first.headers[WebhookSignature.signatureField]), id: id, time: try #require(Int64(time)), body: first.body,
                    secret: RuleSecret(literal: ""), at: room.now.timeIntervalSince1970))

            try await room.advance(by: .seconds(6))
            try await eventually("the second attempt") { receivers.requests.count == 2 }
            try await eventually("the second attempt is stored") { try await waiting(room).first?.attempts == 2 }
            try await room.restart(after: .seconds(1))
            try await room.advance(by: .seconds(11))
            try await eventually("the third attempt") { receivers.requests.count == 3 }
            try await eventually("nothing waits") { try await waiting(room).isEmpty }
            #expect(Set(receivers.requests.map { $0.headers[WebhookSignature.idField] }) == [id])
            #expect(Set(receivers.requests.map(\.body)).count == 1)
            try await room.advance(by: .seconds(86_400))
            try await ann.say("order 8")
            try await ann.expect("noted")
            try await eventually("another event") { receivers.requests.count == 4 }
            #expect(receivers.requests.last?.headers[WebhookSignature.idField] != id)
        }
    }

    @Test func whatIsNotWantedOrNotReachedForADayIsGivenUp() async throws {
        let receivers = Receivers(410)
        try await withBots(RunningRules(file(", text: false"), webhooks: receivers).bots) { room in
            let ann = try await room.person("Ann")
            try await ann.say("order 7")
            try await ann.expect("noted")
            try await eventually("the attempt is given up") {
                let isDone = try await waiting(room).isEmpty
                return receivers.requests.count == 1 && isDone
            }
            #expect(!String(decoding: receivers.requests[0].body, as: UTF8.self).contains("order 7"))
            receivers.answer(0)
            try await ann.say("order 8")
            try await ann.expect("noted")
            try await eventually("the first attempt in vain") { try await waiting(room).first?.attempts == 1 }
            for hour in 1...30 where try await !waiting(room).isEmpty {
                let before = receivers.requests.count
                try await room.advance(by: .seconds(3_601))
                try await eventually("an attempt in hour \(hour)") {
                    let isStored = try await waiting(room).allSatisfy { $0.due > room.now.timeIntervalSince1970 }
                    return receivers.requests.count > before && isStored
                }
            }
            #expect(try await waiting(room).isEmpty)
            #expect(receivers.requests.count > 20)
        }
    }

    @Test func aRuleThatIsGoneEndsItsWebhooks() async throws {
        let receivers = Receivers(500), rules = try RunningRules(file(), webhooks: receivers)
        try await withBots(rules.bots) { room in
            let ann = try await room.person("Ann")
            try await ann.say("order 7")
            try await ann.expect("noted")
            try await eventually("the first attempt in vain") { try await waiting(room).first?.attempts == 1 }
            _ = try rules.replace(with: BotsFile(parsing: "parley: 1\nprofiles: { shop: {} }"))
            try await room.advance(by: .seconds(6))
            try await eventually("nothing waits") { try await waiting(room).isEmpty }
            #expect(receivers.requests.count == 1)
        }
    }

    @Test func aDryRunTellsNobody() async throws {
        let receivers = Receivers(200)
        try await withBots(RunningRules(file(), webhooks: receivers).bots, isDryRun: true) { room in
            let ann = try await room.person("Ann")
            try await ann.say("order 7")
            try await room.settle()
            #expect(room.suppressed.map(\.kind).suffix(2) == ["webhook", "send"], "\(room.suppressed)")
            #expect(try await waiting(room).isEmpty)
        }
        #expect(receivers.requests.isEmpty)
    }

    // MARK: A store that fails

    /// A queue that cannot be read and changed for some times, with the times at which that was tried.
    private final class FailingQueue: Sendable {
        private struct Failure: Error {}
        private let state = Mutex((reads: [Double](), changes: [Double]()))

        var reads: [Double] { state.withLock(\.reads) }
        var changes: [Double] { state.withLock(\.changes) }

        /// - Parameter failures: of each kind, before it works again.
        func storage(failures: Int) -> WebhookStorage {
            let working = WebhookStorage()
            return WebhookStorage(
                read: { [self] client in
                    let count = state.withLock { state in
                        state.reads.append(client.now.timeIntervalSince1970)
                        return state.reads.count
                    }
                    guard count > failures else { throw Failure() }
                    return try await working.read(client)
                },
                change: { [self] client, change in
                    let count = state.withLock { state in
                        state.changes.append(client.now.timeIntervalSince1970)
                        return state.changes.count
                    }
                    guard count > failures else { throw Failure() }
                    try await working.change(client, change)
                })
        }
    }

    @Test func aStoreThatFailsIsTriedAgainAfterPausesThatGrowAndNothingIsSentTwice() async throws {
        let receivers = Receivers(200), queue = FailingQueue()
        let endpoints = try RuleSet(try #require(file().profiles.first).rules).webhooks
        let address = try #require(endpoints.values.first).endpoint
        try await withBots(Bot("shop", id: "shop") {}) { room in
            let client = try room.bot("shop"), now = room.now.timeIntervalSince1970
            let delivery = WebhookDelivery(id: "msg_1", endpoint: address, rule: "order", body: "{}", created: now, due: now)
            try await client.update(WebhookQueue.self) { $0.add(delivery) }
            let sender = WebhookSender(
                transport: receivers, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, storage: queue.storage(failures: 4)
            ) { endpoints }
            let sending = Task { await sender.run(client) }
            // What is put into the queue meanwhile wakes it, and does not shorten the pauses.
            try await eventually("it is read, attempted and removed") {
                sender.wake()
                try await room.advance(by: .seconds(1))
                return try await waiting(room).isEmpty
            }
            sending.cancel()
            await sending.value
        }
        #expect(receivers.requests.count == 1)
        for times in [queue.reads, queue.changes] {
            let pauses = zip(times.dropFirst(), times).prefix(4).map { $0 - $1 }
            #expect(pauses.count == 4 && zip(pauses, [1, 2, 4, 8]).allSatisfy { $0 >= $1 }, "\(pauses)")
        }
    }

    // MARK: A receiver on the loopback interface

    @Test func requestsReachAReceiverAndFollowNoRedirection() async throws {
        let seen = Mutex<[HTTPRequest]>([])
        let server = try await HTTPServer.start(host: "127.0.0.1", port: 0) { request in
            seen.withLock { $0.append(request) }
            switch request.path {
            case "/moved": return HTTPResponse(.temporaryRedirect, headers: ["location": "/taken"])
            case "/busy": return HTTPResponse(.tooManyRequests, headers: ["retry-after": "30"])
            case "/endless":
                return HTTPResponse(
                    .ok,
                    body: .stream(AsyncThrowingStream { [UInt8](repeating: 0x78, count: 64 * 1_024) }))
            default: return .text(.ok, "thank you")
            }
        }
        let transport = WebClientTransport()
        func post(_ path: String) async throws -> WebhookResponse {
            try await transport.post(WebhookRequest(url: "http://127.0.0.1:\(server.port)\(path)", headers: ["webhook-id": "msg_1"], body: Array("{}".utf8)))
        }
        #expect(try await post("/taken") == WebhookResponse(status: 200))
        #expect(try await post("/moved").status == 307)
        #expect(try await post("/busy") == WebhookResponse(status: 429, retryAfter: 30))
        #expect(try await post("/endless").status == 200)
        let requests = seen.withLock(\.self)
        #expect(requests.map(\.path) == ["/taken", "/moved", "/busy", "/endless"])
        #expect(requests.allSatisfy { $0.method == .POST && $0.body == Array("{}".utf8) && $0.headers.first(name: "webhook-id") == "msg_1" })
        await server.stop()
        await #expect(throws: (any Error).self) { try await post("/taken") }
    }
}
