import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport
import SMPProtocol
import SMPWire
import TestSupport

/// `parley server smp`, `parley run` with two bots on that router, and `parley api` on a router that is an attacker's.
final class Victims: Sendable {
    let folder: ScratchFolder
    let router: ChildProcess
    let bots: ChildProcess
    let server: SMPServerAddress
    /// The short link of a bot.
    let link: ConnectionShortLink

    static func answer(to text: String) -> String { "answer to \(text)" }

    init() async throws {
        folder = try ScratchFolder("parley-attack")
        let router = try ParleyProgram.start(
            ["server", "smp", "--data", folder("router"), "--host", "127.0.0.1", "--port", "0", "--json"], log: folder("router.log"))
        self.router = router
        let address = try await router.ready().address ?? ""
        server = try SMPServerAddress(wireString: address)
        try folder.write(
            """
            parley: 1
            profiles:
              echo:
                name: Echo
                address: { accept: automatic, welcome: "Hello." }
                rules:
                  - { when: { command: square }, then: { reply: "no" } }
                  - { when: { message: text }, then: { send: "\(Self.answer(to: "{{ text }}"))" } }

            """, to: "bots.yaml")
        bots = try ParleyProgram.start(
            ["run", folder("bots.yaml"), "--data", folder("bots"), "--server", address, "--json"], log: folder("bots.log"))
        let ready = try await bots.ready()
        guard let text = ready.profiles?.first?.shortAddress else { throw PeerError(.launch, "the bot has no address") }
        link = try ConnectionShortLink(wireString: text)
    }

    /// - Throws: if a process has ended.
    func checkAlive(after what: String) throws {
        for process in [router, bots] where !process.isRunning {
            throw PeerError(.ended, "\(process.name) has ended after \(what): \(process.logTail())")
        }
    }

    /// Stops them as a person does.
    ///
    /// - Returns: their exit codes.
    func stop() async -> [Int32] { [await bots.stop(), await router.stop()] }
}

/// `parley api` as a victim: it is told by commands to talk to routers and to open links that are an attacker's.
final class CommandedVictim: Sendable {
    let process: ChildProcess
    private let socket: ChatSocket
    private let answers: Mailbox<JSONValue>

    /// - Parameter server: the router of its own queues.
    init(in folder: ScratchFolder, named name: String, server: String) async throws {
        let port = try LoopbackPort.free()
        process = try ParleyProgram.start(
            ["api", "--port", "\(port.number)", "--data", folder(name), "--server", server], in: folder.path, log: folder("\(name).log"))
        try await LoopbackPort.waitUntilOpen(port.number, by: process, within: .seconds(60))
        let answers = Mailbox<JSONValue>(label: { "\($0["corrId"] ?? .null)" })
        self.answers = answers
        socket = try await ChatSocket.connect(
            port: port.number, receive: { if $0["corrId"]?.stringValue != nil { answers.put($0) } },
            closed: { answers.finish(PeerError(.ended, "the socket is closed")) })
    }

    /// Gives a command and waits for its answer, whatever it is.
    @discardableResult
    func send(_ command: String, id: Int, within limit: Duration = .seconds(240)) async throws -> JSONValue {
        let request: JSONValue = ["corrId": .string("\(id)"), "cmd": .string(command)]
        try await socket.send(request.text)
        return try await answers.first("the answer to \(command.prefix(60))", within: limit) { $0["corrId"]?.stringValue == "\(id)" ? $0 : nil }
    }

    func stop() async -> Int32 {
        await socket.close()
        return await process.stop()
    }
}
