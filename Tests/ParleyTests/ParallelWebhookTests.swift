import ChatAPI
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Parley
@testable import ParleyRules

/// Webhooks of handlers that run side by side.
@Suite(.timeLimit(.minutes(5))) struct ParallelWebhookTests {
    /// A receiver that takes nothing before its gate is open.
    private final class Receiver: WebhookTransport {
        let gate = Gate()
        private let bodies = Mutex<[String]>([])

        var told: [String] { bodies.withLock(\.self) }

        func post(_ request: WebhookRequest) async throws -> WebhookResponse {
            await gate.wait()
            bodies.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
            return WebhookResponse(status: 200)
        }
    }

    /// Both have found room, and what they add is stored when they have ended.
    @Test func theLastPlaceInTheQueueIsForBothHandlersThatWereGivenIt() async throws {
        let receiver = Receiver(), runner = try BotSessionRunner(), core = runner.core, answering = Gate(), sent = Gate()
        let file = try BotsFile(
            parsing: """
                parley: 1
                profiles: { shop: { rules: [ { id: any, when: { message: any }, then: [ { webhook: "https://hooks.example" }, { send: noted } ] } ] } }
                """)
        let ann = try core.add(contact: 4, name: "ann"), ben = try core.add(contact: 5, name: "ben")
        try await runner.run(try #require(RunningRules(file, webhooks: receiver).bots.first)) { profiles, session in
            let client = try #require(profiles.first).client, later = runner.now.timeIntervalSince1970 + 3_600
            @Sendable func count() async throws -> Int { try await client.state(WebhookQueue.self).deliveries.count }
            try await client.update(WebhookQueue.self) { queue in
                for number in 1..<WebhookQueue.maximumCount {
                    queue.add(WebhookDelivery(id: "msg_\(number)", endpoint: "e", rule: "r", body: "", created: later, due: later))
                }
            }
            core.holdSending(to: .direct(4), answering, sent)
            core.receive("of ann", from: ann)
            await answering.wait()
            core.receive("of ben", from: ben)
            try await eventually("the last place is taken") { try await count() == WebhookQueue.maximumCount }
            sent.open()
            try await eventually("both wait") { try await count() == WebhookQueue.maximumCount + 1 }
            receiver.gate.open()
            try await eventually("both are told") { receiver.told.count == 2 }
        }
        #expect(receiver.told.map { $0.contains("of ann") }.sorted { $0 && !$1 } == [true, false])
    }
}
