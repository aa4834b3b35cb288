import ChatProtocol
import Foundation
import Parley
import ParleyTesting
import Synchronization
import TestSupport
import Testing

@testable import ParleyRules

/// Webhooks with what receivers, senders and people should not say.
@Suite(.timeLimit(.minutes(5))) struct WebhookLimitTests {
    @Test(arguments: [-1, -.infinity, .nan, 0, 4.9] as [Double])
    func aReceiverCannotShortenThePause(_ wish: Double) {
        let delivery = WebhookDelivery(id: "m", endpoint: "e", rule: "r", body: "", created: 0, due: 0)
        #expect(delivery.retried(at: 100, notBefore: wish)?.due == 105)
    }

    @Test(arguments: [(5.1, 105.1), (3_600, 3_700), (3_601, 3_700), (.infinity, 3_700)] as [(Double, Double)])
    func aReceiverProlongsThePauseUpToABound(_ wish: Double, _ due: Double) {
        let delivery = WebhookDelivery(id: "m", endpoint: "e", rule: "r", body: "", created: 0, due: 0)
        #expect(delivery.retried(at: 100, notBefore: wish)?.due == due)
    }

    @Test func aDeliveryIsGivenUpWhenItsNextAttemptWouldBeTooLate() {
        var delivery = WebhookDelivery(id: "m", endpoint: "e", rule: "r", body: "", created: 1_000, due: 1_000)
        delivery.attempts = 1_000_000
        let last = 1_000 + WebhookDelivery.lifetime - WebhookDelivery.longestPause
        #expect(delivery.retried(at: last)?.due == 1_000 + WebhookDelivery.lifetime)
        #expect(delivery.retried(at: last + 0.1) == nil)
        // A clock that was set back gives no more than its time again.
        #expect(delivery.retried(at: 0)?.due == WebhookDelivery.longestPause)
    }

    @Test(arguments: [100, 199, 301, 399, 401, 404, 413, 426, 451, 499])
    func anAnswerThatSaysNoEndsTheDelivery(_ status: Int) {
        if case .refused = WebhookVerdict(status: status) { return }
        Issue.record("\(status)")
    }

    @Test(arguments: [408, 425, 429, 500, 502, 504, 599, 999])
    func anAnswerThatSaysLaterDoesNot(_ status: Int) { #expect(WebhookVerdict(status: status, retryAfter: 3) == .retry(after: 3)) }

    @Test func aSignatureIsOneOfAListAndAllOfIt() {
        let secret = RuleSecret(literal: "key"), body = Array("{}".utf8), good = WebhookSignature.sign(id: "m", time: 5, body: body, secret: secret)
        func isValid(_ text: String, id: String = "m", time: Int64 = 5, at now: Double = 5) -> Bool {
            WebhookSignature.isValid(text, id: id, time: time, body: body, secret: secret, at: now)
        }
        #expect(isValid(good) && isValid("v1,x \(good)") && isValid("\(good) v2,y") && isValid("  \(good)  "))
        for wrong in [
            String(good.dropLast()), good + "=", good.replacing("v1,", with: "v2,"), good.lowercased(), "v1,", good.replacing("v1,", with: "v1, "),
            "\u{FEFF}" + good,
        ] {
            #expect(!isValid(wrong), "\(wrong)")
        }
        // Parts that are moved into each other are another text.
        #expect(!isValid(good, id: "m.5", time: 5) && !isValid(good, id: "", time: 5))
        for time in [Int64.min, -1, 0, .max] {
            #expect(!isValid(WebhookSignature.sign(id: "m", time: time, body: body, secret: secret), time: time, at: 1_000_000))
        }
    }

    @Test func aKeyInBase64IsDecodedAndAnyOtherIsUsedAsItIs() {
        func sign(_ secret: String) -> String { WebhookSignature.sign(id: "m", time: 1, body: [], secret: RuleSecret(literal: secret)) }
        #expect(sign("whsec_" + Data("key".utf8).base64EncodedString()) == sign("key"))
        #expect(sign("whsec_not base64!") != sign("not base64!"))
        #expect(sign("whsec_not base64!") != sign("whsec_"))
    }

    private final class Receiver: WebhookTransport {
        private let bodies = Mutex<[JSONValue]>([])
        var seen: [JSONValue] { bodies.withLock { $0 } }

        func post(_ request: WebhookRequest) async throws -> WebhookResponse {
            let body = try JSONValue(parsing: String(decoding: request.body, as: UTF8.self))
            bodies.withLock { $0.append(body) }
            return WebhookResponse(status: 200)
        }
    }

    @Test func aLongTextIsCutBetweenCharactersAndAHostileOneStaysJSON() async throws {
        let receiver = Receiver()
        let file = try BotsFile(
            parsing: "parley: 1\nprofiles: { shop: { rules: [ { id: any, when: { message: any }, then: { webhook: https://hooks.example } } ] } }")
        let longest = String(repeating: "x", count: WebhookEvent.longestText - 1)
        let texts = ["\"}, \"rule\": \"other\", \\ \u{0}\u{1B}[2J\u{2028}\u{202E} \u{7F}", longest + "x", longest + "ü", longest + "👍", longest + "xy"]
        try await withBots(RunningRules(file, webhooks: receiver).bots) { room in
            let ann = try await room.person("Ann")
            for (index, text) in texts.enumerated() {
                try await ann.say(text)
                try await eventually("the event is told") { receiver.seen.count == index + 1 }
            }
        }
        let messages = receiver.seen.map { $0["message"] }
        #expect(receiver.seen.allSatisfy { $0["rule"] == "any" })
        #expect(messages.map { $0?["text"]?.stringValue } == [texts[0], texts[1], longest, longest, longest + "x"])
        #expect(messages.map { $0?["truncated"]?.boolValue } == [nil, nil, true, true, true])
    }
}
