import ChatProtocol
import Foundation
import SMPCrypto
import Testing

@testable import ParleyRules

/// Webhooks as they are read, signed and stored.
@Suite struct WebhookTests {
    private func faults(_ action: String, _ more: String = "") -> [String] {
        do throws(BotsFileError) {
            _ = try BotsFile(parsing: "parley: 1\n\(more)profiles: { a: { rules: [ { when: { message: any }, then: { webhook: \(action) } } ] } }")
            return []
        } catch {
            return error.diagnostics.map(\.message)
        }
    }

    @Test(arguments: [
        "https://hooks.example/x", "{ url: \"https://hooks.example:8443/x?y=z\", secret: { env: KEY }, text: false }", "http://127.0.0.1:8080/x",
        "\"http://[::1]:80/\"",
        "http://localhost/x", "{ url: \"http://10.0.0.7/x\", insecure: true }", "{ env: ADDRESS }", "{ url: { file: address }, secret: { file: key } }",
    ])
    func addressesThatAreSafeAreTaken(_ action: String) { #expect(faults(action) == []) }

    @Test(arguments: [
        ("http://hooks.example/x", "could read and change the requests"), ("http://127.0.0.1.example/x", "could read and change"),
        ("http://128.0.0.1/x", "could read and change"), ("ftp://hooks.example", "is not an address of the web"),
        ("hooks.example", "is not an address of the web"),
        ("https:///x", "is not an address of the web"), ("https://user:word@hooks.example/", "holds a user or a password"),
        ("{ url: https://hooks.example, secret: hunter2 }", "must not be in the file"), ("{ secret: { env: KEY } }", "needs the key \"url\""),
        ("{ url: https://hooks.example, retries: 3 }", "has no key \"retries\""),
    ])
    func addressesThatAreNotSafeAreRefused(_ action: String, _ fault: String) {
        #expect(faults(action).contains { $0.contains(fault) }, "\(faults(action))")
    }

    @Test func aRequestToConnectHasNoWebhook() {
        #expect(throws: BotsFileError.self) {
            try BotsFile(
                parsing:
                    "parley: 1\nprofiles: { a: { address: { accept: manual }, rules: [ { when: { request: true }, then: { webhook: https://x.example } } ] } }")
        }
    }

    @Test func testsAndExplanationsNameTheHostOnly() throws {
        let file = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  a:
                    rules: [ { id: tell, when: { contains: help }, then: { webhook: "https://hooks.example/secret-part" } } ]
                    tests: [ { say: help!, expect: tell, actions: webhook } ]
                """)
        #expect(try file.testFailures().isEmpty)
        let rules = try RuleSet(try #require(file.profiles.first).rules)
        #expect(rules.plan(try RuleScenario([("say", "help")]), bot: "a").map(\.description) == ["webhook \"hooks.example\""])
    }

    // MARK: Signatures

    @Test func theAuthenticationCodeIsThatOfTheStandard() {
        func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
        // RFC 4231, test cases 2 and 6.
        #expect(
            hex(HMAC.sha256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            hex(HMAC.sha256(Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8), key: [UInt8](repeating: 0xaa, count: 131)))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test func aSignatureHoldsForItsIdTimeBodyAndKey() {
        let secret = RuleSecret(literal: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), body = Array("{\"test\": 2432232314}".utf8)
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek", time: Int64 = 1_614_265_330
        let signature = WebhookSignature.sign(id: id, time: time, body: body, secret: secret)
        // The example of the specification Standard Webhooks.
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        func isValid(
            _ text: String = "v1,other v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", id: String = id, time: Int64 = time, body: [UInt8] = body,
            secret: RuleSecret = secret, at now: Double = 1_614_265_330
        ) -> Bool { WebhookSignature.isValid(text, id: id, time: time, body: body, secret: secret, at: now) }
        #expect(isValid() && isValid(at: 1_614_265_630))
        #expect(!isValid(at: 1_614_265_631) && !isValid(at: 1_614_265_029))
        #expect(!isValid("v1,x") && !isValid("") && !isValid(id: "msg_x") && !isValid(time: time + 1) && !isValid(body: body + [0x20]))
        #expect(!isValid(secret: RuleSecret(literal: "other")))
    }

    // MARK: Attempts

    private func delivery(_ number: Int = 1, size: Int = 10) -> WebhookDelivery {
        WebhookDelivery(id: "msg_\(number)", endpoint: "e", rule: "r", body: String(repeating: "x", count: size), created: 1_000, due: 1_000)
    }

    @Test func pausesGrowAndEndAfterADay() throws {
        var delivery = delivery(), pauses: [Double] = [], now = delivery.created
        while let next = delivery.retried(at: now) {
            pauses.append(next.due - now)
            (now, delivery) = (next.due, next)
            try #require(pauses.count < 100)
        }
        #expect(Array(pauses.prefix(4)) == [5, 10, 20, 40])
        #expect(pauses.max() == 3_600)
        #expect(now - 1_000 <= 86_400 && now - 1_000 > 80_000)
        #expect(self.delivery().retried(at: 1_000, notBefore: 120)?.due == 1_120)
        #expect(self.delivery().retried(at: 1_000, notBefore: .infinity)?.due == 4_600)
    }

    @Test(arguments: [
        (200, WebhookVerdict.delivered), (204, .delivered), (302, .refused("the receiver redirects to another address, which is not followed")),
        (400, .refused("the receiver answered 400")), (410, .refused("the receiver answered 410")), (408, .retry(after: 7)), (429, .retry(after: 7)),
        (500, .retry(after: 7)), (503, .retry(after: 7)),
    ])
    func anAnswerDecidesWhatFollows(_ status: Int, _ verdict: WebhookVerdict) { #expect(WebhookVerdict(status: status, retryAfter: 7) == verdict) }

    @Test func theQueueIsBounded() {
        var queue = WebhookQueue()
        func isAdded(_ delivery: WebhookDelivery) -> Bool {
            guard queue.hasRoom(for: delivery) else { return false }
            queue.add(delivery)
            return true
        }
        for number in 1...WebhookQueue.maximumCount { #expect(isAdded(delivery(number))) }
        #expect(!isAdded(delivery(1_000)))
        #expect(isAdded(delivery(5)), "it waits already")
        #expect(queue.deliveries.count == WebhookQueue.maximumCount)
        queue.remove("msg_5")
        #expect(isAdded(delivery(1_000)))
        queue = WebhookQueue()
        #expect(isAdded(delivery(1, size: WebhookQueue.maximumSize - 5)))
        #expect(!isAdded(delivery(2)))
    }
}
