import ChatAPI
import ChatProtocol
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import Testing

@testable import ChatSocket

@Suite struct ChatSocketServerTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func withSocket(_ core: EchoingCore = EchoingCore(), _ body: (SocketClient, EchoingCore) async throws -> Void) async throws {
        let server = try await ChatSocketServer.start(core, port: 0, logger: Self.logger)
        let client = try await SocketClient.connect(port: server.port)
        do { try await body(client, core) } catch {
            await server.stop()
            throw error
        }
        await client.close()
        await server.stop()
    }

    @Test func aCommandIsAnsweredUnderItsMark() async throws {
        try await withSocket { client, _ in
            try await client.send(#"{"corrId":"a7","cmd":"/users"}"#)
            let answer = try await client.next()
            #expect(answer["corrId"]?.stringValue == "a7")
            #expect(answer["resp"]?["type"]?.stringValue == "usersList")
        }
    }

    @Test func whatIsNoCommandIsAnsweredLikeByTheOfficialCore() async throws {
        try await withSocket { client, _ in
            try await client.send(#"{"corrId":"1","cmd":"/nonsense"}"#)
            let answer = try await client.next()
            #expect(answer["corrId"]?.stringValue == "1")
            #expect(answer["resp"]?["type"]?.stringValue == "chatCmdError")
        }
    }

    @Test(arguments: ["", "[", "{}", "null", #"{"cmd":"/users"}"#, #"{"corrId":3,"cmd":"/users"}"#, String(repeating: "[", count: 100_000)])
    func framesThatAreNoRequestsEndNothing(_ frame: String) async throws {
        try await withSocket { client, _ in
            try await client.send(frame)
            let answer = try await client.next()
            #expect(answer["corrId"] == nil)
            #expect(answer["resp"]?["type"]?.stringValue == "chatCmdError")
            try await client.send(#"{"corrId":"2","cmd":"/users"}"#)
            #expect(try await client.next()["corrId"]?.stringValue == "2")
        }
    }

    @Test func everyClientGetsEveryEvent() async throws {
        let core = EchoingCore()
        let server = try await ChatSocketServer.start(core, port: 0, logger: Self.logger)
        let clients = [try await SocketClient.connect(port: server.port), try await SocketClient.connect(port: server.port)]
        // An answer shows that the client is subscribed.
        for client in clients {
            try await client.send(#"{"corrId":"1","cmd":"/users"}"#)
            _ = try await client.next()
        }
        core.hub.publish(.hostConnected(protocolName: "smp", transportHost: "router.example"))
        for client in clients { #expect(try await client.next()["resp"]?["type"]?.stringValue == "hostConnected") }
        await server.stop()
    }

    @Test func aPageInABrowserCannotConnect() async throws {
        let server = try await ChatSocketServer.start(EchoingCore(), port: 0, logger: Self.logger)
        await #expect(throws: (any Error).self) {
            try await SocketClient.connect(port: server.port, headers: ["Origin": "https://evil.example"])
        }
        await server.stop()
    }

    @Test func aClientGetsTheVersionOfTheAPIThatItAsksForOrElseThatOfTheSocket() async throws {
        let user: JSONValue = [
            "userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "ann", "profile": ["profileId": 1, "displayName": "ann"],
            "fullPreferences": FullChatPreferences.defaults.json, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true,
            "sendRcptsSmallGroups": true,
        ]
        let event = try ChatEvent(json: ["type": "customChatEvent", "user_": user, "response": "x"])
        let cases: [(APIVersion, String, Bool)] = [
            (.v65, "/", false), (.v65, "/?api-version=7.0", true), (.v65, "/any?x=1&api-version=7.0-beta", true), (.newest, "/", true), (.newest, "/api", true),
            (.newest, "/?api-version=6.5", false), (.newest, "/?version=6.5", true),
        ]
        for (version, path, isNew) in cases {
            let core = EchoingCore()
            let server = try await ChatSocketServer.start(core, port: 0, version: version, logger: Self.logger)
            let client = try await SocketClient.connect(port: server.port, path: path)
            try await client.send(#"{"corrId":"1","cmd":"/users"}"#)
            _ = try await client.next()
            core.hub.publish(event)
            let told = try await client.next()["resp"]?["user_"]
            #expect(told?["userId"] == 1 && (told?["clientService"] != nil) == isNew, "\(version) \(path)")
            // Commands are read for the version as well.
            try await client.send(#"{"corrId":"2","cmd":"/_create user {\"pastTimestamp\":true}"}"#)
            #expect(try await client.next()["resp"]?["type"] == (isNew ? "usersList" : "chatCmdError"), "\(version) \(path)")
            await client.close()
            await server.stop()
        }
    }

    @Test(arguments: ["/?api-version=", "/?api-version=8.0", "/?api-version=6.5.1", "/?x&api-version=v7.0"])
    func aClientThatAsksForAVersionThatThereIsNotIsRefused(_ path: String) async throws {
        let server = try await ChatSocketServer.start(EchoingCore(), port: 0, logger: Self.logger)
        await #expect(throws: (any Error).self) { try await SocketClient.connect(port: server.port, path: path) }
        await server.stop()
    }

    @Test func aPortInUseIsSaid() async throws {
        let server = try await ChatSocketServer.start(EchoingCore(), port: 0, logger: Self.logger)
        await #expect { _ = try await ChatSocketServer.start(EchoingCore(), port: server.port, logger: Self.logger) } throws: {
            ($0 as? SocketFault)?.code == .port
        }
        await server.stop()
    }
}

/// A core that answers every command with an empty list of profiles.
final class EchoingCore: ChatCore {
    let hub = ChatEventHub()

    func send(_ command: ChatCommand, as user: UserID?) async throws(ChatCoreError) -> ChatResponse { .usersList(users: []) }

    func events(bufferingUpTo limit: Int) -> ChatEvents { hub.subscribe(bufferingUpTo: limit) }
}
