import ChatAPI
import ChatProtocol
import Logging
import TestSupport
import Testing

@testable import ChatSocket

@Suite("Events again after a connection has ended") struct EventHistoryTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func withServer(_ body: (Int, EchoingCore) async throws -> Void) async throws {
        let core = EchoingCore()
        var settings = ChatSocketServer.Settings(.loopback(port: 0))
        settings.firstEvent = 1000
        let server = try await ChatSocketServer.start(core, settings, logger: Self.logger)
        do { try await body(server.port, core) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private func publish(_ names: String..., on core: EchoingCore) {
        for name in names { core.hub.publish(.hostConnected(protocolName: "smp", transportHost: name)) }
    }

    /// The number and the host, or the type of what is no event of the core.
    private func next(_ client: SocketClient) async throws -> String {
        let frame = try await client.next(), body = frame["resp"]
        let number = frame["seq"].map(\.text) ?? "-"
        return "\(number) \(body?["transportHost"]?.stringValue ?? body?["type"]?.stringValue ?? "?")"
    }

    @Test("A client that comes back gets what happened meanwhile, and then what happens")
    func comingBack() async throws {
        try await withServer { port, core in
            let client = try await SocketClient.connect(port: port, path: "/?since=0")
            #expect(try await next(client) == "1000 eventsResumed")
            publish("a", "b", on: core)
            #expect(try await [next(client), next(client)] == ["1001 a", "1002 b"])
            await client.close()
            publish("c", "d", on: core)
            let again = try await SocketClient.connect(port: port, path: "/?since=1001")
            #expect(try await [next(again), next(again), next(again), next(again)] == ["1001 eventsResumed", "1002 b", "1003 c", "1004 d"])
            publish("e", on: core)
            #expect(try await next(again) == "1005 e")
            await again.close()
        }
    }

    @Test("A number of an earlier process is answered with the loss and with all that is there")
    func earlierProcess() async throws {
        try await withServer { port, core in
            let first = try await SocketClient.connect(port: port, path: "/?since=0")
            #expect(try await next(first) == "1000 eventsResumed")
            publish("a", on: core)
            #expect(try await next(first) == "1001 a")
            let client = try await SocketClient.connect(port: port, path: "/?since=17")
            #expect(try await next(client) == "17 eventsResumed")
            let lost = try await client.next()
            #expect(lost.text == #"{"seq":1000,"resp":{"type":"eventsLost","after":17}}"#)
            #expect(try await next(client) == "1001 a")
            for client in [first, client] { await client.close() }
        }
    }

    @Test("Clients that do not count events get frames as before, and answers have no number")
    func others() async throws {
        try await withServer { port, core in
            let plain = try await SocketClient.connect(port: port), counting = try await SocketClient.connect(port: port, path: "/?since=0&api-version=6.5")
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
        try await withServer { port, core in
            let client = try await SocketClient.connect(port: port, path: "/?since=0")
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
        try await withServer { port, core in
            let client = try await SocketClient.connect(port: port, path: "/?since=0")
            #expect(try await next(client) == "1000 eventsResumed")
            core.hub.finish()
            await #expect(throws: SocketClient.Closed.self) { try await client.next() }
            let late = try await SocketClient.connect(port: port, path: "/?since=1000")
            #expect(try await next(late) == "1000 eventsResumed")
            await #expect(throws: SocketClient.Closed.self) { try await late.next() }
        }
    }
}
