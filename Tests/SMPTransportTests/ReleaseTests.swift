import NIOCore
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPTransport

/// What a connection holds, without holding it.
///
/// Unchecked: its references are set on the connection's event loop before it is handed on, and only read after.
private final class Remains: @unchecked Sendable {
    private weak var connection: SMPConnection?
    private weak var handler: OpenSSLHandler?
    private weak var session: TLSSession?
    private weak var wire: WireBuffers?
    private weak var blocks: BlockHandler?
    private weak var delegate: Echo?

    init(_ connection: SMPConnection, _ delegate: Echo) async throws {
        let channel = connection.channel
        (self.connection, self.delegate) = (connection, delegate)
        try await channel.eventLoop.submit { [self] in
            let handler = try channel.pipeline.syncOperations.handler(type: OpenSSLHandler.self)
            self.handler = handler
            blocks = try channel.pipeline.syncOperations.handler(type: BlockHandler.self)
            session = handler.session
            wire = handler.session.wire
        }.get()
    }

    /// What is still there.
    var names: [String] {
        [
            ("connection", connection != nil), ("handler", handler != nil), ("session", session != nil), ("wire", wire != nil),
            ("blocks", blocks != nil), ("delegate", delegate != nil),
        ].filter(\.1).map(\.0)
    }
}

/// Answers every block with the same block.
private final class Echo: SMPConnectionDelegate {
    let received = Mutex(0)

    func connection(_ connection: SMPConnection, received block: Bytes) {
        received.withLock { $0 += 1 }
        try? connection.write([block])
    }

    func connectionReceivedAllForNow(_: SMPConnection) {}
    func connection(_: SMPConnection, isWritable _: Bool) {}
    func connection(_: SMPConnection, ended _: ConnectionError) {}
}

@Suite("What is left of a connection that has ended")
struct ReleaseTests {
    enum End: CaseIterable { case client, server, listener, abrupt }

    /// Makes a connection, lets a block go to and fro, and ends it; what held it is out of scope when this returns.
    private func converse(_ listener: SMPTransportListener, _ accepted: Accepted, _ credential: ServerCredential, _ end: End) async throws -> [Remains] {
        let client = try await connect(to: listener, credential)
        let server = try await accepted.first()
        let (echo, counter) = (Echo(), Echo())
        try server.start(echo)
        try client.start(counter)
        let remains = [try await Remains(client, counter), try await Remains(server, echo)]
        try client.write([block(1)])
        try await eventually("the echo") { counter.received.withLock { $0 } > 0 }
        switch end {
        case .client: await client.close()
        case .server: await server.close()
        case .listener: await listener.close()
        case .abrupt:
            // The socket alone, without a goodbye of TLS.
            try await client.channel.eventLoop.submit {
                client.channel.pipeline.fireErrorCaught(ConnectionError(.disconnected, "gone"))
            }.get()
        }
        return remains
    }

    @Test("Nothing of it stays in memory, whoever ends it: connection, handlers, TLS session and buffers", arguments: End.allCases)
    func released(_ end: End) async throws {
        let credential = try ServerCredential.generate()
        try await withListener(credential) { listener, accepted in
            for _ in 0..<(end == .listener ? 1 : 5) {
                let remains = try await converse(listener, accepted, credential, end)
                for (side, remains) in zip(["client", "server"], remains) {
                    try await eventually("the \(side)'s end of the connection is released: \(remains.names)") { remains.names.isEmpty }
                }
            }
        }
    }
}
