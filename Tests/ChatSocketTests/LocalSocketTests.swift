import ChatAPI
import ChatProtocol
import Foundation
import Logging
import NIOCore
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import ChatSocket

@Suite("The local socket") struct LocalSocketTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs `body` with a socket in a temporary folder.
    private func withSocket(
        _ core: KeyCore = KeyCore(), connectionLimit: Int = 8, lineLimit: Int = 1 << 16, _ body: (String, KeyCore) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder(), path = folder.path + "/bots.sock"
        let server = try await LocalSocketServer.start(
            core, path: path, logger: Self.logger, connectionLimit: connectionLimit, lineLimit: lineLimit,
            report: { name, argument throws(ChatCoreError) in
                switch (name, argument) {
                case ("status", nil): return ["bots": .int(3)]
                case ("backup", let folder?): return ["folder": .string(folder)]
                case ("backup", nil): throw ChatCoreError(.init(rawValue: "storage.diskFull"), "the disk is full")
                default: return nil
                }
            })
        do { try await body(path, core) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test("A command is given to the core with its profile and its key, and answered")
    func commands() async throws {
        try await withSocket { path, core in
            let client = try await LocalSocketCore.connect(path: path)
            #expect(try await client.send(.users(.list), as: nil) == .usersList(users: []))
            #expect(try await client.send(.users(.list), as: UserID(7), onceAs: "send/a \"key\"") == .usersList(users: []))
            #expect(core.calls == [KeyCore.Call(user: nil, key: nil), KeyCore.Call(user: UserID(7), key: "send/a \"key\"")])
            #expect(try await client.report("status") == ["bots": .int(3)])
            #expect(try await client.report("backup", argument: "/a \"folder\"") == ["folder": "/a \"folder\""])
            await client.close()
        }
    }

    @Test("What the core refuses, and what is no report, is an error with its code")
    func errors() async throws {
        try await withSocket { path, _ in
            let client = try await LocalSocketCore.connect(path: path)
            await #expect { try await client.send(.users(.showActive), as: nil) } throws: { ($0 as? ChatCoreError)?.chatError == .chat(error: .noActiveUser) }
            await #expect { try await client.send(.chats(.list(user: UserID(1))), as: nil) } throws: { ($0 as? ChatCoreError)?.code == .unreachable }
            await #expect { try await client.report("nothing") } throws: { ($0 as? ChatCoreError)?.code == .unsupported }
            await #expect { try await client.report("backup") } throws: {
                let error = $0 as? ChatCoreError
                return error?.code.rawValue == "storage.diskFull" && error?.message == "the disk is full"
            }
            await client.close()
        }
    }

    @Test(
        "What would change the process that runs the core is refused",
        arguments: [
            "/_stop", "/_start", "/quit", "/_app suspend 1", "/_db delete", "/db export", "/sql chat DROP TABLE users", "/_delete user 1 del_smp=on",
            "/_files_folder /tmp", "/start remote host new",
        ])
    func processCommands(_ text: String) async throws {
        let command = try ChatCommand(parsing: text)
        try await withSocket { path, core in
            let client = try await LocalSocketCore.connect(path: path)
            await #expect { try await client.send(command, as: nil) } throws: { ($0 as? ChatCoreError)?.code == .unsupported }
            #expect(core.calls.isEmpty)
            await client.close()
        }
    }

    @Test("Events come to those who asked for them, from the command on that follows")
    func events() async throws {
        try await withSocket { path, core in
            let client = try await LocalSocketCore.connect(path: path)
            let events = client.events()
            _ = try await client.send(.users(.list), as: nil)
            core.hub.publish(.hostConnected(protocolName: "smp", transportHost: "router.example"))
            var iterator = events.makeAsyncIterator()
            #expect(try await iterator.next() == .hostConnected(protocolName: "smp", transportHost: "router.example"))
            await client.close()
            #expect(try await iterator.next() == nil)
        }
    }

    @Test("Only its owner can use the socket, and it is gone when it is closed")
    func mode() async throws {
        let folder = try TemporaryFolder(), path = folder.path + "/bots.sock"
        let server = try await LocalSocketServer.start(KeyCore(), path: path, logger: Self.logger)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["bots.sock"])
        await server.stop()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        await #expect { _ = try await LocalSocketCore.connect(path: path) } throws: { ($0 as? SocketFault)?.code == .localSocket }
    }

    @Test("What an ended process has left is replaced, also in the middle of a start")
    func stale() async throws {
        let folder = try TemporaryFolder(), path = folder.path + "/bots.sock"
        // A socket to which nobody listens any more, as after a kill.
        let abandoned = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(abandoned) }
        try #require(bind(abandoned, unixPath: path))
        try FileManager.default.createDirectory(atPath: path + ".new", withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: path + ".new/socket"))
        let server = try await LocalSocketServer.start(KeyCore(), path: path, logger: Self.logger)
        let client = try await LocalSocketCore.connect(path: path)
        #expect(try await client.send(.users(.list), as: nil) == .usersList(users: []))
        await client.close()
        await server.stop()
    }

    @Test("A path may be longer than the address of a socket")
    func longPath() async throws {
        let folder = try TemporaryFolder()
        let deep = folder.path + "/" + Array(repeating: String(repeating: "d", count: 60), count: 4).joined(separator: "/")
        try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
        let path = deep + "/bots.sock"
        try #require(path.utf8.count > SocketPath.addressLimit * 2)
        let server = try await LocalSocketServer.start(KeyCore(), path: path, logger: Self.logger)
        let client = try await LocalSocketCore.connect(path: path)
        #expect(try await client.send(.users(.list), as: nil) == .usersList(users: []))
        await client.close()
        await server.stop()
    }

    @Test("A folder in the way is an error that names the socket")
    func folderInTheWay() async throws {
        let folder = try TemporaryFolder(), path = folder.path + "/bots.sock"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        await #expect { _ = try await LocalSocketServer.start(KeyCore(), path: path, logger: Self.logger) } throws: {
            ($0 as? SocketFault)?.code == .localSocket && "\($0)".contains(path)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["bots.sock"])
    }

    @Test(
        "Lines that are no requests are answered and end nothing",
        arguments: [
            "[", "{}", "null", #"{"cmd":"/users"}"#, #"{"corrId":3,"cmd":"/users"}"#, #"{"corrId":"1"}"#, #"{"corrId":"1","events":false}"#, "\u{0}\u{1}",
            String(repeating: "[", count: 50_000),
        ])
    func hostileLines(_ line: String) async throws {
        try await withSocket { path, _ in
            let client = try RawClient(path)
            try client.write(line + "\n")
            #expect(try await client.line().contains("commandError"))
            try client.write("{\"corrId\":\"2\",\"cmd\":\"/users\"}\n")
            #expect(try await client.line().contains("\"corrId\":\"2\""))
        }
    }

    @Test("Bytes that are no text are answered, and what is no command too")
    func hostileBytes() async throws {
        try await withSocket { path, _ in
            let client = try RawClient(path)
            try client.write(bytes: [0xFF, 0xFE, 0x0A])
            #expect(try await client.line().contains("commandError"))
            try client.write("{\"corrId\":\"x\",\"cmd\":\"/nonsense\"}\n")
            #expect(try await client.line().contains("commandError"))
            try client.write("{\"corrId\":\"x\",\"cmd\":\"/users\",\"user\":1e400,\"onceAs\":[]}\n")
            _ = try await client.line()
            // A request that comes in pieces is one request.
            for byte in Array("{\"corrId\":\"3\",\"report\":\"status\"}\n".utf8) { try client.write(bytes: [byte]) }
            #expect(try await client.line().contains("\"bots\":3"))
        }
    }

    @Test("Beginnings of lines take only so much together, and other clients are served")
    func unfinishedLines() async throws {
        let folder = try TemporaryFolder(), path = folder.path + "/bots.sock"
        let server = try await LocalSocketServer.start(
            KeyCore(), path: path, logger: Self.logger, lineLimit: 1 << 16, unfinishedLimit: 100_000)
        let other = try await LocalSocketCore.connect(path: path)
        let clients = try (0..<3).map { _ in try RawClient(path) }
        for client in clients { try? client.write(String(repeating: "a", count: 50_000)) }
        await withTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { try? await client.waitForEnd() } }
            // One of them is too many.
            await group.next()
            #expect(await (try? other.send(.users(.list), as: nil)) == .usersList(users: []))
            await other.close()
            await server.stop()
        }
    }

    @Test("Clients are taken again after the system has refused one")
    func refusals() async throws {
        let folder = try TemporaryFolder(), path = folder.path + "/bots.sock"
        let server = try await LocalSocketServer.start(KeyCore(), path: path, logger: Self.logger)
        server.channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
        let client = try await LocalSocketCore.connect(path: path)
        #expect(try await client.send(.users(.list), as: nil) == .usersList(users: []))
        await client.close()
        await server.stop()
    }

    @Test("A line above the limit ends its connection and no other")
    func longLine() async throws {
        try await withSocket(lineLimit: 1000) { path, _ in
            let other = try await LocalSocketCore.connect(path: path)
            let client = try RawClient(path)
            // The connection may be closed before all of it is written.
            try? client.write(String(repeating: "a", count: 200_000))
            try await client.waitForEnd()
            #expect(try await other.send(.users(.list), as: nil) == .usersList(users: []))
            await other.close()
        }
    }

    @Test("There are only so many clients at a time, and room again when one has gone")
    func connections() async throws {
        try await withSocket(connectionLimit: 2) { path, _ in
            let clients = [try await LocalSocketCore.connect(path: path), try await LocalSocketCore.connect(path: path)]
            for client in clients { _ = try await client.send(.users(.list), as: nil) }
            let refused = try RawClient(path)
            try await refused.waitForEnd()
            #expect(try await clients[0].send(.users(.list), as: nil) == .usersList(users: []))
            await clients[1].close()
            try await eventually("there is room again") {
                guard let client = try? await LocalSocketCore.connect(path: path) else { return false }
                let isServed = (try? await client.send(.users(.list), as: nil)) != nil
                await client.close()
                return isServed
            }
            await clients[0].close()
        }
    }

    @Test("Who waits for an answer hears of the end of the process")
    func ending() async throws {
        let folder = try TemporaryFolder(), path = folder.path + "/bots.sock", core = KeyCore()
        let server = try await LocalSocketServer.start(core, path: path, logger: Self.logger)
        let client = try await LocalSocketCore.connect(path: path)
        let waiting = Task { try await client.send(.users(.setAllReceipts(true)), as: nil) }
        try await eventually("the command is there") { core.calls.count == 1 }
        await server.stop()
        await #expect { _ = try await waiting.value } throws: { ($0 as? ChatCoreError)?.code == .closed }
        await #expect { _ = try await client.send(.users(.list), as: nil) } throws: { ($0 as? ChatCoreError)?.code == .closed }
    }
}

/// A core that notes with which profile and key it was called, answers a list with an empty one, and some commands never.
private final class KeyCore: IdempotentChatCore {
    struct Call: Sendable, Hashable {
        let user: UserID?
        let key: String?
    }

    let hub = ChatEventHub()
    private let noted = Mutex<[Call]>([])
    var calls: [Call] { noted.withLock { $0 } }

    func send(_ command: ChatCommand, as user: UserID?) async throws(ChatCoreError) -> ChatResponse { try await answer(command, Call(user: user, key: nil)) }

    func send(_ command: ChatCommand, as user: UserID?, onceAs key: String) async throws(ChatCoreError) -> ChatResponse {
        try await answer(command, Call(user: user, key: key))
    }

    private func answer(_ command: ChatCommand, _ call: Call) async throws(ChatCoreError) -> ChatResponse {
        noted.withLock { $0.append(call) }
        switch command {
        case .users(.list): return .usersList(users: [])
        case .users(.showActive): throw ChatCoreError(.chat(error: .noActiveUser))
        case .users(.setAllReceipts):
            // Until the call is cancelled.
            let (never, continuation) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            continuation.finish()
            throw ChatCoreError(.cancelled, "cancelled")
        default: throw ChatCoreError(.unreachable, "there is no network")
        }
    }

    func events(bufferingUpTo limit: Int) -> ChatEvents { hub.subscribe(bufferingUpTo: limit) }
}

/// A program that writes what it likes to a socket.
private final class RawClient: Sendable {
    private let descriptor: Int32
    private let lines: AsyncStream<String>

    init(_ path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        let isConnected = withAddress(path) { connect(descriptor, $0, $1) == 0 }
        let (lines, continuation) = AsyncStream<String>.makeStream()
        self.lines = lines
        // Reading blocks, so it is not done in a task.
        Thread {
            var rest: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 4096)
            while isConnected {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                rest += buffer[..<count]
                while let end = rest.firstIndex(of: 10) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            continuation.finish()
        }.start()
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    func write(_ text: String) throws { try write(bytes: Array(text.utf8)) }

    func write(bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            sent += count
        }
    }

    /// The next line.
    func line() async throws -> String {
        try await withTimeLimit(.seconds(120), else: "no line came") { [lines] in
            for await line in lines { return line }
            throw POSIXError(.ECONNRESET)
        }
    }

    /// Returns when the other side has closed the connection.
    func waitForEnd() async throws { try await withTimeLimit(.seconds(120), else: "the connection was not closed") { [lines] in for await _ in lines {} } }
}

private func withAddress<Result>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
}

private func bind(_ descriptor: Int32, unixPath path: String) -> Bool { withAddress(path) { bind(descriptor, $0, $1) == 0 } }
