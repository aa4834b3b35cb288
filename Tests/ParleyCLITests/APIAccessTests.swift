import ChatProtocol
import Foundation
import HTTPEndpoint
import NIOCore
import OfficialPeers
import ProcessSupport
import TestSupport
import Testing

@testable import ParleyCLI

/// Access to the socket of `parley api`, and its health.
@Suite struct APIAccessTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    private static func get(_ port: Int, _ target: String = "/healthz") async throws -> (status: Int, body: JSONValue) {
        let answer = try await HTTPGet(host: "127.0.0.1", port: port, target: target, limit: 4096, timeout: .seconds(120)).perform()
        return (answer.status, try JSONValue(parsing: String(decoding: answer.body, as: UTF8.self)))
    }

    private func tokenFile(_ text: String, in folder: ScratchFolder, mode: Int = 0o600) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: folder("token")))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder("token"))
        return folder("token")
    }

    @Test func theHealthCheckTellsWhetherTheCoreRuns() async throws {
        let folder = try ScratchFolder("health")
        defer { folder.remove() }
        let program = try ParleyProgram.start(
            ["api", "--listen", "127.0.0.1:0", "--json", "--name", "helper", "--address", "--data", folder("data")], in: folder.path, log: folder("log"))
        let ready = try await program.ready(), port = try #require(ready.port)
        #expect(ready.url == "ws://127.0.0.1:\(port)")
        // The queue of the address is subscribed to soon after the start.
        var health = try await Self.get(port)
        #expect(health.status == 200 && health.body["status"] == "ok" && health.body["profiles"] == 1, "\(health.body.text)")
        #expect(health.body["problems"]?.arrayValue == [] && health.body["unreachableRouters"] == 0, "\(health.body.text)")
        let socket = try await APISocket.connect(port)
        _ = try await socket.send("/_stop")
        health = try await Self.get(port)
        #expect(health.status == 503 && health.body["problems"] == ["stopped"], "\(health.body.text)")
        _ = try await socket.send("/_start")
        health = try await Self.get(port)
        #expect(health.status == 200, "\(health.body.text)")
        await socket.close()
        program.send(.terminate)
        #expect(try await program.exit() == 0, "\(program.logTail())")
    }

    @Test func aFolderWithoutAProfileIsNotHealthy() async throws {
        let folder = try ScratchFolder("health")
        defer { folder.remove() }
        let program = try ParleyProgram.start(["api", "-p", "0", "--json", "--data", folder("data")], in: folder.path, log: folder("log"))
        let port = try #require(try await program.ready().port)
        let health = try await Self.get(port)
        #expect(health.status == 503 && health.body["problems"] == ["stopped", "noProfile"], "\(health.body.text)")
        program.send(.terminate)
        #expect(try await program.exit() == 0, "\(program.logTail())")
    }

    @Test func withATokenOnlyThoseWhoHaveItGetIn() async throws {
        let folder = try ScratchFolder("token")
        defer { folder.remove() }
        let file = try tokenFile(Self.secret + "\n", in: folder)
        let program = try ParleyProgram.start(
            ["api", "--listen", "0.0.0.0:0", "--token-file", file, "--json", "--name", "helper", "--data", folder("data")], in: folder.path,
            log: folder("log"))
        let port = try #require(try await program.ready().port)
        await #expect(throws: (any Error).self) { try await APISocket.connect(port) }
        let socket = try await APISocket.connect(port, path: "/?token=\(Self.secret)")
        #expect(try await socket.send("/u")["type"] == "activeUser")
        await socket.close()
        #expect(try await Self.get(port).body.text == #"{"status":"ok"}"#)
        #expect(try await Self.get(port, "/healthz?token=\(Self.secret)").body["profiles"] == 1)
        program.send(.terminate)
        #expect(try await program.exit() == 0, "\(program.logTail())")
        #expect(!program.logTail().contains(Self.secret))
    }

    @Test(arguments: [
        ("", 0o600, "it is empty"), ("\n", 0o600, "it is empty"), ("short\n", 0o600, "16 to 1024"), ("two words of a token\n", 0o600, "letters, digits"),
        (secret, 0o660, "other users can change it"), (secret, 0o602, "other users can change it"), (secret + "\n\n", 0o600, "letters, digits"),
    ])
    func aFileWithoutAGoodTokenIsRefused(_ text: String, _ mode: Int, _ reason: String) async throws {
        let folder = try ScratchFolder("token")
        defer { folder.remove() }
        let file = try tokenFile(text, in: folder, mode: mode)
        let arguments = ["api", "-p", "0", "--data", folder("data"), "--token-file", file]
        let program = try ParleyProgram.start(arguments, in: folder.path, log: folder("log"))
        #expect(try await program.exit() == 2)
        #expect(program.logTail().contains("--token-file \(file): ") && program.logTail().contains(reason), "\(program.logTail())")
        #expect(!FileManager.default.fileExists(atPath: folder("data")), "nothing is made before")
    }

    @Test func aTokenFileThatIsNoneIsRefused() async throws {
        let folder = try ScratchFolder("token")
        defer { folder.remove() }
        for (path, reason) in [(folder("nowhere"), "No such file"), (folder.path, "it is not a file"), ("/dev/null", "it is not a file")] {
            let program = try ParleyProgram.start(["api", "-p", "0", "--token-file", path], in: folder.path, log: folder("log"))
            #expect(try await program.exit() == 2)
            #expect(program.logTail().contains(reason), "\(program.logTail())")
        }
    }

    /// The count of routers, by the answer of the core.
    @Test func routersAreUnreachableIfNothingIsReceivedFromThem() {
        #expect(APIHealth.count(active: ["a": 1, "b": 2], pending: ["b": 1, "c": 1]) == (3, 1))
        #expect(APIHealth.count(active: [:], pending: ["b": 1]) == (1, 1))
        #expect(APIHealth.count(active: .null, pending: .null) == (0, 0))
    }
}

/// A connection to `parley api` that waits for the answer to each command, and keeps the events.
final class APISocket: Sendable {
    let events: Mailbox<JSONValue>
    private let socket: ChatSocket
    private let replies: Mailbox<(id: String, body: JSONValue)>

    private init(_ socket: ChatSocket, _ events: Mailbox<JSONValue>, _ replies: Mailbox<(id: String, body: JSONValue)>) {
        self.socket = socket
        self.events = events
        self.replies = replies
    }

    static func connect(_ port: Int, path: String = "/") async throws -> APISocket {
        let events = Mailbox<JSONValue>(label: OfficialClient.label), replies = Mailbox<(id: String, body: JSONValue)>(label: { $0.id })
        let socket = try await ChatSocket.connect(port: port, path: path) { frame in
            guard let body = frame["resp"] else { return }
            if let id = frame["corrId"]?.stringValue { replies.put((id, body)) } else { events.put(body) }
        } closed: {
            replies.finish(PeerError(.ended, "the program has closed the connection"))
            events.finish(PeerError(.ended, "the program has closed the connection"))
        }
        return APISocket(socket, events, replies)
    }

    /// The answer to a command.
    func send(_ command: String) async throws -> JSONValue {
        let id = UUID().uuidString
        try await socket.send(#"{"corrId":"\#(id)","cmd":\#(JSONValue.string(command).text)}"#)
        return try await replies.first("the response to \(command)", within: Patience.limit) { $0.id == id ? $0.body : JSONValue?.none }
    }

    /// The next event of that type.
    func event(_ type: String) async throws -> JSONValue {
        try await events.first(type, within: Patience.limit) { $0["type"]?.stringValue == type ? $0 : JSONValue?.none }
    }

    func close() async { await socket.close() }
}
