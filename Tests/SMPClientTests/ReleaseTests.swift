import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPClient

/// A session, and the slot that it was made for, without holding them.
private struct Remains: Sendable {
    weak let session: SMPSession?
    weak let slot: SessionSlot?
}

@Suite("What is left of a session that has ended")
struct ReleaseTests {
    /// Makes a session as the pool does, and uses it.
    private func converse(_ client: Client) async throws -> Remains {
        let answer = try await client.ping()
        #expect(answer == .pong)
        _ = await client.pool.subscribe(client.subscriptions(1...3), over: client.session)
        let slot = try #require(client.pool.slot(client.session))
        return Remains(session: try await slot.session(), slot: slot)
    }

    @Test("A session and its slot are released when the pool is closed, and the session when its connection is lost")
    func released() async throws {
        let router = try await ScriptedRouter()
        let client = try Client(router)
        let first = try await converse(client)
        await client.pool.reconnect { _ in true }
        try await eventually("the session that was reconnected is released") { first.session == nil }
        let second = try await converse(client)
        #expect(second.session != nil)
        await client.pool.close()
        try await eventually("the session of a closed pool is released") { second.session == nil }
        try await eventually("the slot of a closed pool is released") { second.slot == nil }
        await router.stop()
    }
}
