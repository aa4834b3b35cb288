import ChatProtocol
import Foundation
import FoundationNetworking
import HTTPEndpoint
import NIOHTTP1
import ProcessSupport
import Synchronization
import TestSupport
import Testing

/// Webhooks of `parley run`, in both directions.
@Suite struct WebhookProcessTests {
    /// A service that is told of events.
    private final class Receiver: Sendable {
        private let state = Mutex<(status: HTTPResponseStatus, ids: [String], chat: String?)>((.serviceUnavailable, [], nil))

        /// The ids of the deliveries, an element for each attempt.
        var ids: [String] { state.withLock(\.ids) }

        /// The id of the chat of the last event.
        var chat: String? { state.withLock(\.chat) }

        func accept() { state.withLock { $0.status = .ok } }

        func take(_ request: HTTPRequest) -> HTTPResponse {
            state.withLock { state in
                state.ids.append(request.headers.first(name: "webhook-id") ?? "")
                let event = String(validating: request.body, as: UTF8.self).flatMap { try? JSONValue(parsing: $0) }
                state.chat = event?["chat"]?["id"]?.stringValue
                return .text(state.status, "")
            }
        }
    }

    @Test func aDeliverySurvivesAKillAndOtherProgramsSendThroughTheBots() async throws {
        let folder = try ScratchFolder("webhooks")
        defer { folder.remove() }
        let receiver = Receiver(), server = try await HTTPServer.start(host: "127.0.0.1", port: 0) { receiver.take($0) }
        let other = try await HTTPServer.start(host: "127.0.0.1", port: 0) { _ in .text(.ok, "") }
        let port = other.port
        await other.stop()
        try folder.write("hunter2\n", to: "token")
        let file = """
            parley: 1
            webhooks: { port: \(port), token: { file: token } }
            profiles:
              shop:
                rules:
                  - when: { contains: order }
                    then: [ { webhook: { url: "http://127.0.0.1:\(server.port)/in", secret: { file: token } } }, { reply: noted } ]
            """
        let people = People(folder)
        let first = try await people.start(file)
        let link = try #require(first.ready.profiles?.first?.shortAddress)
        let talk = try await people.ann(["--connect", link, "--exec", "order 7", "--exec", ":wait noted"])
        #expect(talk.exitCode == 0, "\(talk)")
        try await eventually("an attempt") { receiver.ids.count >= 1 }
        first.process.send(.kill)
        _ = try await first.process.exit()
        let before = receiver.ids.count
        receiver.accept()
        let second = try await people.start(file)
        try await eventually("another attempt") { receiver.ids.count > before }
        #expect(Set(receiver.ids).count == 1)

        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/messages")))
        request.httpMethod = "POST"
        // Anybody can have the name Ann: a customer is known by the id of the chat.
        let chat = try #require(receiver.chat)
        request.httpBody = Data(#"{"to":"\#(chat)","text":"Your order is ready.","key":"order 7"}"#.utf8)
        let (refused, refusal) = try await URLSession.shared.data(for: request)
        #expect((refusal as? HTTPURLResponse)?.statusCode == 401 && String(decoding: refused, as: UTF8.self).contains("webhook.unauthorized"))
        request.setValue("Bearer hunter2", forHTTPHeaderField: "Authorization")
        let (data, answer) = try await URLSession.shared.data(for: request)
        #expect((answer as? HTTPURLResponse)?.statusCode == 200 && String(decoding: data, as: UTF8.self).contains("\"item\""))
        let told = try await people.ann(["--exec", ":wait Your order is ready."])
        #expect(told.exitCode == 0, "\(told)")
        second.process.send(.terminate)
        #expect(try await second.process.exit() == 0)
        #expect(!second.process.logTail(200).contains("hunter2"))
        await server.stop()
    }
}
