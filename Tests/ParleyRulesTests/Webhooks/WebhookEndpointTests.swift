import ChatProtocol
import Foundation
import FoundationNetworking
import Logging
import Parley
import ParleyTesting
import Testing

@testable import ParleyRules

/// Requests of other programs that ask bots to send.
@Suite(.timeLimit(.minutes(5))) struct WebhookEndpointTests {
    private static let token = RuleSecret(literal: "the token"), secret = RuleSecret(literal: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func request(
        _ endpoint: WebhookEndpoint, _ body: String, method: String = "POST", path: String = "/messages",
        headers: [String: String] = ["authorization": "Bearer the token"]
    ) async throws -> (status: Int, body: JSONValue) {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(endpoint.port)\(path)")))
        request.httpMethod = method
        if method == "POST" { request.httpBody = Data(body.utf8) }
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = try #require(response as? HTTPURLResponse).statusCode
        return (status, (try? JSONValue(parsing: String(decoding: data, as: UTF8.self))) ?? .null)
    }

    private func signed(_ body: String, as id: String = "msg_1", at time: Int64 = 1_000_000, with secret: RuleSecret = Self.secret) -> [String: String] {
        [
            WebhookSignature.idField: id, WebhookSignature.timeField: "\(time)",
            WebhookSignature.signatureField: WebhookSignature.sign(id: id, time: time, body: Array(body.utf8), secret: secret),
        ]
    }

    /// Requests by their ids and keys, and whether each is a new one.
    @Test func aSignedRequestThatComesTwiceIsOneRequest() async throws {
        let bots = try BotsFile(parsing: "parley: 1\nprofiles: { shop: { trusted-contacts: Ann } }").makeBots(),
            long = String(repeating: "i", count: WebhookEndpoint.longestKey)
        let endpoint = try await WebhookEndpoint.start(WebhooksSpec(port: 0, token: nil, secret: Self.secret), logger: Self.logger) { 1_000_000 }
        try await withBots(bots) { room in
            let ann = try await room.person("Ann", trustedAs: "Ann")
            endpoint.open(["shop": try room.bot("shop")])
            var items: [String: Int64] = [:]
            for (id, key, isNew) in [
                ("msg_1", nil, true), ("msg_1", nil, false), ("msg_2", nil, true), ("msg_3", "order 7", true), ("msg_4", "order 7", false),
                // Ids as long as a key, and longer ones that differ at the end alone.
                (long, nil, true), (long, nil, false), (long + "1", nil, true), (long + "2", nil, true), (long + "1", nil, false),
                (String(repeating: "x", count: 4_000), nil, true), (String(repeating: "x", count: 4_000), nil, false),
            ] as [(String, String?, Bool)] {
                let name = key ?? id, body = #"{"to":"Ann","text":"\#(name.suffix(8))"\#(key.map { #","key":"\#($0)""# } ?? "")}"#
                let answer = try await request(endpoint, body, headers: signed(body, as: id))
                let item = try #require(answer.body["item"]?.intValue, "\(name.count) bytes: \(answer)")
                #expect((items.updateValue(item, forKey: name) == nil) == isNew, "\(name)")
                if isNew { try await ann.expect(String(name.suffix(8))) }
            }
            #expect(Set(items.values).count == items.count)
            try await ann.expectNothing()
        }
        await endpoint.stop()
    }

    @Test func aProgramSendsThroughAProfileOnceForAKey() async throws {
        let bots = try BotsFile(parsing: "parley: 1\nprofiles: { shop: { trusted-contacts: Ann }, other: {} }").makeBots()
        let endpoint = try await WebhookEndpoint.start(WebhooksSpec(port: 0, token: Self.token, secret: nil), logger: Self.logger)
        try await withBots(bots) { room in
            let ann = try await room.person("Ann", trustedAs: "Ann")
            let message = #"{"profile":"shop","to":"Ann","text":"Your order is ready.","key":"order 7"}"#
            #expect(try await request(endpoint, message).status == 503)
            endpoint.open(["shop": try room.bot("shop"), "other": try room.bot("other")])
            let first = try await request(endpoint, message), second = try await request(endpoint, message)
            #expect(first.status == 200 && first.body["item"]?.intValue != nil && second.body == first.body)
            try await ann.expect("Your order is ready.")
            try await ann.expectNothing()
            #expect(try await request(endpoint, "\u{FEFF}" + message).body == first.body, "a mark of the encoding is no part of the text")
            #expect(try await request(endpoint, message.replacing("order 7", with: "order 8")).status == 200)
            try await ann.expect("Your order is ready.")

            func code(_ body: String) async throws -> JSONValue? { try await request(endpoint, body).body["error"]?["code"] }
            #expect(try await code(#"{"to":"Ann","text":"x"}"#) == "webhook.profile")
            #expect(try await code(#"{"profile":"nobody","to":"Ann","text":"x"}"#) == "webhook.profile")
            #expect(try await code(#"{"profile":"shop","to":"Nobody","text":"x"}"#) == "webhook.chat")
            #expect(try await code(#"{"profile":"shop","to":"Ann"}"#) == "webhook.missing")
            #expect(try await code(#"{"profile":"shop","to":"Ann","text":7}"#) == "webhook.value")
            #expect(try await code(#"{"profile":"shop","to":"Ann","text":"x","txet":"y"}"#) == "webhook.key")
            #expect(try await code("hello") == "webhook.json")
            #expect(try await code(#"{"profile":"shop","to":"Ann","text":"x","key":""# + String(repeating: "k", count: 181) + "\"}") == "webhook.value")
            #expect(try await request(endpoint, String(repeating: "x", count: WebhookEndpoint.largestBody + 1)).status == 413)
            #expect(try await request(endpoint, message, method: "GET").status == 405)
            #expect(try await request(endpoint, message, path: "/other").status == 404)
            try await ann.expectNothing()
        }
        await endpoint.stop()
    }

    @Test func aChatHasTheNamesThatTheCommandLineTakesAndAStrangerHasNone() async throws {
        let bots = try BotsFile(parsing: "parley: 1\nprofiles: { shop: { trusted-contacts: [ann, team], groups: { t: { name: Team Room } } } }").makeBots()
        let endpoint = try await WebhookEndpoint.start(WebhooksSpec(port: 0, token: Self.token, secret: nil), logger: Self.logger)
        try await withBots(bots) { room in
            let strangers = [try await room.person("ann"), try await room.person("Team Room"), try await room.person("Customer")]
            let ann = try await room.person("Annika", trustedAs: "ann"), reader = try await room.person("Reader")
            try await reader.join(group: "t")
            endpoint.open(["shop": try room.bot("shop")])
            func send(_ chat: String, _ text: String = "x") async throws -> JSONValue? {
                try await request(endpoint, #"{"to":"\#(chat)","text":"\#(text)"}"#).body["error"]?["code"]
            }
            for (number, name) in ["ann", "@ann", "ANN", "@Ann"].enumerated() {
                #expect(try await send(name, "\(number)") == nil, "\(name)")
                try await ann.expect("\(number)")
            }
            for (number, name) in ["Team Room", "#Team Room", "team room", "#TEAM ROOM"].enumerated() {
                #expect(try await send(name, "\(number)") == nil, "\(name)")
                try await reader.expect("\(number)", in: "Team Room")
            }
            // "team" is a contact who has not connected; nobody else has the name.
            for name in ["#ann", "@Team Room", "team", "@team", "Customer", "@Customer", "Annika", "ann_1", "Team Room_1", "@0", "#99", "@", "#", " ann"] {
                #expect(try await send(name) == "webhook.chat", "\(name)")
            }
            for stranger in strangers { try await stranger.expectNothing() }
            // A program that was told of a message answers in the chat of that id.
            let chat = try #require(await room.bot("shop").chats.summary(named: "Customer")).reference
            #expect(try await send("\(chat)", "by its id") == nil)
            try await strangers[2].expect("by its id")
        }
        await endpoint.stop()
    }

    @Test func whoHasNeitherTheTokenNorTheKeyIsRefused() async throws {
        let endpoint = try await WebhookEndpoint.start(WebhooksSpec(port: 0, token: Self.token, secret: Self.secret), logger: Self.logger) { 1_000_000 }
        let body = #"{"to":"Ann","text":"x"}"#
        for headers in [
            [:], ["authorization": "Bearer the tokem"], ["authorization": "the token"], signed("other"), signed(body, at: 999_699),
            signed(body, at: 1_000_301), signed(body, at: .max), signed(body, at: .min), signed(body, with: Self.token),
            signed(body).merging([WebhookSignature.idField: "msg_2"]) { $1 }, signed(body).merging([WebhookSignature.timeField: "1000001"]) { $1 },
            signed(body).filter { $0.key != WebhookSignature.idField }, signed(body).filter { $0.key != WebhookSignature.timeField },
        ] {
            let answer = try await request(endpoint, body, headers: headers)
            #expect(answer.status == 401 && answer.body["error"]?["code"] == "webhook.unauthorized", "\(headers)")
        }
        // Nobody has started yet: the request is known to be of somebody who may.
        for headers in [
            ["authorization": "bearer the token"], ["authorization": "Bearer the token \t"], signed(body), signed(body, at: 999_700),
            signed(body, at: 1_000_300),
        ] {
            #expect(try await request(endpoint, body, headers: headers).status == 503)
        }
        await endpoint.stop()
    }

    @Test func theFileSaysWhereAndWithWhatSecret() throws {
        let file = try BotsFile(parsing: "parley: 1\nwebhooks: { port: 8080, token: { env: TOKEN } }\nprofiles: { a: {} }")
        #expect(file.webhooks?.host == "127.0.0.1" && file.webhooks?.port == 8_080)
        for webhooks in ["{ port: 8080 }", "{ token: { env: TOKEN } }", "{ port: 0, token: { env: TOKEN } }", "{ port: 8080, token: hunter2 }"] {
            #expect(throws: BotsFileError.self, "\(webhooks)") { try BotsFile(parsing: "parley: 1\nwebhooks: \(webhooks)\nprofiles: { a: {} }") }
        }
    }

    @Test func aPortThatIsTakenIsSaid() async throws {
        let spec = WebhooksSpec(port: 0, token: Self.token, secret: nil)
        let endpoint = try await WebhookEndpoint.start(spec, logger: Self.logger)
        do {
            _ = try await WebhookEndpoint.start(WebhooksSpec(port: endpoint.port, token: Self.token, secret: nil), logger: Self.logger)
            Issue.record("the port was taken twice")
        } catch {
            #expect(error.code == .portInUse)
        }
        await endpoint.stop()
    }
}
