import ChatAPI
import ChatProtocol
import Logging
import NIOCore
import NIOEmbedded
import NIOWebSocket
import TestSupport
import Testing

@testable import ChatSocket

@Suite("Events again after a connection has ended") struct EventHistoryTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// A client of the socket, without a network.
    private struct Client {
        let channel = NIOAsyncTestingChannel()

        init(_ core: EchoingCore, _ history: EventHistory, since: Int64?, version: APIVersion = .newest) async throws {
            try await channel.testingEventLoop.executeInContext { [channel] in
                try channel.pipeline.syncOperations.addHandler(
                    SocketSession(
                        core: core, channel: channel, version: version, numbered: since.map { (history, $0) }, logger: EventHistoryTests.logger))
            }
        }

        func next() async throws -> JSONValue {
            let frame = try await channel.waitForOutboundWrite(as: WebSocketFrame.self)
            return try JSONValue(parsing: String(buffer: frame.data))
        }

        func send(_ text: String) async throws {
            try await channel.writeInbound(WebSocketFrame(fin: true, opcode: .text, maskKey: nil, data: ByteBuffer(string: text)))
        }

        func close() async { _ = try? await channel.finish() }
    }

    private func withHistory(_ body: (EventHistory, EchoingCore) async throws -> Void) async throws {
        let core = EchoingCore()
        let history = EventHistory(core, version: .newest, start: 1000, logger: Self.logger)
        try await body(history, core)
        history.stop()
    }

    private func publish(_ names: String..., on core: EchoingCore) {
        for name in names { core.hub.publish(.hostConnected(protocolName: "smp", transportHost: name)) }
    }

    /// The number and the host, or the type of what is no event of the core.
    private func next(_ client: Client) async throws -> String {
        let frame = try await client.next(), body = frame["resp"]
        let number = frame["seq"].map(\.text) ?? "-"
        return "\(number) \(body?["transportHost"]?.stringValue ?? body?["type"]?.stringValue ?? "?")"
    }

    @Test("A client that comes back gets what happened meanwhile, and then what happens")
    func comingBack() async throws {
        try await withHistory { history, core in
            let client = try await Client(core, history, since: 0)
            #expect(try await next(client) == "1000 eventsResumed")
            publish("a", "b", on: core)
            #expect(try await [next(client), next(client)] == ["1001 a", "1002 b"])
            await client.close()
            publish("c", "d", on: core)
            let again = try await Client(core, history, since: 1001)
            #expect(try await [next(again), next(again), next(again), next(again)] == ["1001 eventsResumed", "1002 b", "1003 c", "1004 d"])
            publish("e", on: core)
            #expect(try await next(again) == "1005 e")
            await again.close()
        }
    }

    @Test("A number of an earlier process is answered with the loss and with all that is there")
    func earlierProcess() async throws {
        try await withHistory { history, core in
            let first = try await Client(core, history, since: 0)
            #expect(try await next(first) == "1000 eventsResumed")
            publish("a", on: core)
            #expect(try await next(first) == "1001 a")
            let client = try await Client(core, history, since: 17)
            #expect(try await next(client) == "17 eventsResumed")
            let lost = try await client.next()
            #expect(lost.text == #"{"seq":1000,"resp":{"type":"eventsLost","after":17}}"#)
            #expect(try await next(client) == "1001 a")
            for client in [first, client] { await client.close() }
        }
    }

    @Test("Clients that do not count events get frames as before, and answers have no number")
    func others() async throws {
        try await withHistory { history, core in
            let plain = try await Client(core, history, since: nil), counting = try await Client(core, history, since: 0, version: .v65)
            #expect(try await next(counting) == "1000 eventsResumed")
            for client in [plain, counting] {
                try await client.send(#"{"corrId":"1","cmd":"/users"}"#)
                let answer = try await client.next()
                #expect(answer["corrId"] == "1" && answer["seq"] == nil)
            }
            publish("a", on: core)
            #expect(try await next(plain) == "- a")
            #expect(try await next(counting) == "1001 a")
            for client in [plain, counting] { await client.close() }
        }
    }

    @Test("Events that the core loses are a gap, and recording goes on")
    func lostEvents() async throws {
        try await withHistory { history, core in
            let client = try await Client(core, history, since: 0)
            #expect(try await next(client) == "1000 eventsResumed")
            core.hub.lose()
            #expect(try await next(client) == "1001 eventsLost")
            publish("a", on: core)
            #expect(try await next(client) == "1002 a")
            await client.close()
        }
    }

    @Test("Clients are closed when the core ends")
    func end() async throws {
        try await withHistory { history, core in
            let client = try await Client(core, history, since: 0)
            #expect(try await next(client) == "1000 eventsResumed")
            core.hub.finish()
            try await eventually("the connection is closed") { !client.channel.isActive }
        }
    }
}
