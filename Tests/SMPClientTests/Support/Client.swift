import AsyncPrimitives
import SMPCrypto
import SMPProtocol
import SMPWire
import TestSupport

@testable import SMPClient

/// A pool whose clock a test moves, and its sessions with one router.
struct Client {
    let clock = ManualClock()
    let pool: SMPClientPool
    let session: TransportSessionKey
    let random = SeededRandomSource(seed: 1)

    init(_ router: ScriptedRouter, _ change: (inout SMPClientConfiguration) -> Void = { _ in }) throws {
        try self.init(router.address, change)
    }

    init(_ address: SMPServerAddress, _ change: (inout SMPClientConfiguration) -> Void = { _ in }) throws {
        var configuration = SMPClientConfiguration()
        configuration.retry.jitter = 0
        change(&configuration)
        pool = try SMPClientPool(configuration: configuration, clock: clock)
        session = TransportSessionKey(userID: 1, server: address)
    }

    func key() -> PrivateAuthKey { .x25519(X25519.generateKeyPair(random).privateKey) }

    func subscriptions(_ numbers: ClosedRange<UInt8>) -> [QueueSubscription] {
        numbers.map { QueueSubscription(queue: queueID($0), authKey: key()) }
    }

    func ping() async throws(SMPClientError) -> SMPBrokerMessage {
        try await pool.send(SMPRequest(command: .ping), over: session)
    }
}

/// Runs `body` with a router and a pool, and closes both.
func withRouter(
    versions: VersionRange = SMPVersion.offered, _ script: @escaping ScriptedRouter.Script = ScriptedRouter.obliging,
    _ change: (inout SMPClientConfiguration) -> Void = { _ in }, _ body: (ScriptedRouter, Client) async throws -> Void
) async throws {
    let router = try await ScriptedRouter(versions: versions, script)
    let client = try Client(router, change)
    do {
        try await body(router, client)
    } catch {
        await client.pool.close()
        await router.stop()
        throw error
    }
    await client.pool.close()
    await router.stop()
}
