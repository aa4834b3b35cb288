import Foundation
import ProcessSupport
import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPServer

/// A router in a process of its own while many strangers do what they should not: its memory is bounded, and an honest client is served.
///
/// 50 strangers; as many as `PARLEY_STRANGERS` says, with figures printed.
/// A sanitizer's own memory is not what is measured.
@Suite(
    .serialized, .enabled(if: ParleyProgram.isBuilt, "the executable parley was not built"),
    .enabled(if: ProcessInfo.processInfo.environment["PARLEY_SANITIZE"] == nil, "a sanitizer changes memory and time"))
struct RouterLoadTests {
    private static let asked = ProcessInfo.processInfo.environment["PARLEY_STRANGERS"].flatMap { Int($0) }
    private static let strangers = asked ?? 50
    /// Round trips of the honest client.
    private static let rounds = asked == nil ? 20 : 500
    /// What a connection may add to the router's memory, TLS and all, and what it may take besides.
    private static let (perConnection, base) = (320 << 10, 64 << 20)

    private final class Counter: Sendable {
        private let value = Mutex(0)

        var count: Int { value.withLock { $0 } }
        func add(_ count: Int) { value.withLock { $0 += count } }
    }

    /// Comes back whenever it is sent away.
    private static func flood(_ address: SMPServerAddress, _ recipient: EntityID, _ sent: Counter) async {
        let key = PrivateAuthKey.ed25519(Ed25519.generateKeyPair(SystemRandomSource()).privateKey)
        while !Task.isCancelled {
            guard let client = try? await TestClient(address) else { continue }
            let block = (0..<30).map { _ in Request(.sub, recipient, key) }
            while !Task.isCancelled, (try? await client.request(block)) != nil { sent.add(block.count) }
            await client.close()
        }
    }

    /// A router in a child process, and a client that minds its own business there.
    private final class Scene {
        let address: SMPServerAddress
        let process: ChildProcess
        private let folder: TemporaryFolder
        private let sender: TestClient
        private let recipient: TestClient
        private let queue: TestQueue
        private(set) var peak = 0
        private var latencies: [Duration] = []
        let before: Int

        init() async throws {
            folder = try TemporaryFolder(isCreated: false)
            process = try ParleyProgram.start(["server", "smp", "--data", folder.path, "--port", "0", "--json", "--fsync", "1s"])
            address = try SMPServerAddress(wireString: try #require(try await process.ready().address))
            (sender, recipient) = (try await TestClient(address), try await TestClient(address))
            queue = try await TestQueue.create(recipient)
            #expect(try await sender.request([queue.secure()]) == [.ok])
            before = try #require(ProcessFigures.residentMemory(of: process.id))
            try await exchange(5)
            latencies = []
        }

        /// Sends messages and gets them, one after another.
        func exchange(_ count: Int) async throws {
            for number in 0..<count {
                let start = ContinuousClock.now
                #expect(try await sender.request([queue.send([UInt8(truncatingIfNeeded: number)])]) == [.ok])
                let (message, _) = try queue.open(try await recipient.event().message)
                latencies.append(ContinuousClock.now - start)
                #expect(try await recipient.request([queue.acknowledge(message)]) == [.ok])
                note()
            }
        }

        func note() { peak = max(peak, ProcessFigures.residentMemory(of: process.id) ?? 0) }

        /// Ends the router, and says how it was.
        func end(_ name: String, connections: Int) async throws {
            note()
            #expect(process.isRunning)
            #expect(peak - before < base + connections * perConnection)
            #expect(await process.stop() == 0)
            guard asked != nil else { return }
            let sorted = latencies.sorted()
            func milliseconds(_ share: Double) -> String {
                let duration = sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
                return String(format: "%.1f", Double(duration.components.attoseconds) / 1e15 + Double(duration.components.seconds) * 1e3)
            }
            print(
                "\(name): router \(before >> 20) MiB before, \(peak >> 20) MiB at most; honest round trip p50 \(milliseconds(0.5)) ms, p99 \(milliseconds(0.99)) ms, longest \(milliseconds(1)) ms of \(sorted.count)"
            )
        }
    }

    /// Connects many clients, some at a time.
    private func connect(_ count: Int, to address: SMPServerAddress) async throws -> [TestClient] {
        var clients: [TestClient] = []
        for _ in 0..<count { clients.append(try await TestClient(address)) }
        return clients
    }

    @Test func clientsThatDoNotRead() async throws {
        let scene = try await Scene()
        let owner = try await TestClient(scene.address)
        let id = CorrelationID.random(SystemRandomSource())
        let link = LinkID(SystemRandomSource().bytes(24))
        let data = QueueLinkData(fixedData: [1], userData: Bytes(repeating: 2, count: 13_824))
        _ = try await TestQueue.create(
            owner, mode: .contact(link: .init(linkID: link, senderID: SenderID(QueueIDs.senderID(correlationID: id.bytes)), data: data)),
            correlationID: id)
        let clients = try await connect(Self.strangers, to: scene.address)
        scene.note()
        for client in clients {
            for _ in 0..<4 { _ = try await client.send((0..<200).map { _ in Request(.lget, link) }) }
            scene.note()
        }
        try await scene.exchange(Self.rounds)
        try await scene.end("\(Self.strangers) clients that do not read", connections: Self.strangers)
        for client in clients { await client.close() }
    }

    @Test func aRelayThatDoesNotRead() async throws {
        let scene = try await Scene()
        let fake = try await FakeRelay(.deaf)
        let clients = try await connect(max(4, Self.strangers / 10), to: scene.address)
        let bytes = Bytes(repeating: 7, count: ProxyEncryption.paddedLength)
        for client in clients {
            guard case .pkey(let relay) = try await client.request(.prxy(fake.address, nil)) else { throw TestClientError.closed }
            let command = ForwardedCommand(version: 17, key: try relay.key.verifiedX25519Key(), encryptedTransmission: bytes)
            _ = try await client.send((0..<32).map { _ in Request(.pfwd(command), EntityID(relay.sessionID)) })
            scene.note()
        }
        try await scene.exchange(Self.rounds)
        try await scene.end("\(clients.count) clients with 32 commands each for a relay that does not read", connections: clients.count)
        await fake.close()
    }

    @Test func falseRelays() async throws {
        let scene = try await Scene()
        let fake = try await FakeRelay(.mute)
        var configuration = RouterConfiguration(storage: .memory)
        configuration.port = 0
        let honest = try await SMPRouter.start(configuration)
        let attacker = try await TestClient(scene.address)
        for number in 0..<Self.strangers {
            // One listener with many names.
            let name = SMPServerAddress(
                hosts: fake.address.hosts + [.domain("n\(number).example")], port: fake.address.port, keyHash: fake.address.keyHash)
            guard case .pkey = try await attacker.request(.prxy(try #require(name), nil)) else { throw TestClientError.closed }
            if number.isMultiple(of: 50) { scene.note() }
        }
        let client = try await TestClient(scene.address)
        guard case .pkey = try await client.request(.prxy(honest.address, nil)) else { throw TestClientError.closed }
        try await scene.exchange(Self.rounds)
        try await scene.end("\(Self.strangers) false relays", connections: Self.strangers)
        await honest.stop()
        await fake.close()
    }

    @Test func wrongSignatures() async throws {
        let scene = try await Scene()
        let address = scene.address
        let owner = try await TestClient(address)
        let keys = (0..<32).map { _ in PrivateAuthKey.ed25519(Ed25519.generateKeyPair(SystemRandomSource()).privateKey) }
        let queue = try await TestQueue.create(owner, mode: .contact(link: nil), recipientKey: keys[0])
        #expect(try await owner.request(.rkey(keys.map(\.publicKey)), queue.recipient, keys[0]) == .ok)
        let sent = Counter()
        let recipient = queue.recipient
        let start = ProcessFigures.processorTime(of: scene.process.id) ?? .zero, clock = ContinuousClock.now
        let floods = (0..<8).map { _ in Task { await Self.flood(address, recipient, sent) } }
        try await eventually("the flood has come") { sent.count > 500 }
        try await scene.exchange(Self.rounds)
        let (used, time) = ((ProcessFigures.processorTime(of: scene.process.id) ?? .zero) - start, ContinuousClock.now - clock)
        for flood in floods { flood.cancel() }
        for flood in floods { await flood.value }
        #expect(try await owner.request([Request(.que, queue.recipient, keys[31])]).count == 1)
        if Self.asked != nil {
            print("wrong signatures: \(sent.count) commands with 32 keys each in \(time), processor time of the router \(used)")
        }
        try await scene.end("8 sessions that flood with wrong signatures", connections: 8)
    }
}
