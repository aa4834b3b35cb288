import NIOCore
import NIOHTTP2
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import XFTPClient
import XFTPProtocol
import XFTPTransport

/// A file router that shakes hands as it should, and answers what a test tells it to.
final class ScriptedFileRouter: Sendable {
    /// The connection of a request and what was sent on it.
    struct Request: Sendable {
        let command: XFTPCommand
        let correlationID: CorrelationID
        let entity: EntityID
        let context: TransmissionContext

        /// The block of an answer.
        func block(_ response: XFTPResponse, entity: EntityID? = nil, correlationID: CorrelationID? = nil, in context: TransmissionContext? = nil) throws
            -> Bytes
        {
            try XFTPBlock.encode(response, entity: entity ?? self.entity, correlationID: correlationID ?? self.correlationID, in: context ?? self.context)
        }

        /// A block that holds these transmissions.
        func block(transmissions: [Bytes]) throws -> Bytes {
            try XFTPBlock.pad([UInt8(transmissions.count)] + transmissions.flatMap { LargeBytes($0).wireBytes })
        }
    }

    /// Answers a request: the body of the request is read after its block, the answer's fields are sent already.
    typealias Script = @Sendable (Request, inout HTTP2Body, HTTP2Writer) async throws -> Void

    /// The parts of the handshake that a router can get wrong.
    struct Handshake: Sendable {
        /// The answer to the first request, made of the right one.
        var hello: @Sendable (Bytes) throws -> Bytes = { $0 }
        /// The body of the answer to the second request.
        var consent: @Sendable () throws -> Bytes = { [] }
    }

    /// The results of the handshake of a connection.
    private final class Agreement: Sendable {
        let parameters = Mutex<XFTPSessionParameters?>(nil)
    }

    private let listener: SMPTransportListener
    private let keyHash: KeyHash
    /// Resolved by the end of the first connection.
    let firstEnd: AsyncStream<Void>

    private init(_ listener: SMPTransportListener, _ keyHash: KeyHash, _ firstEnd: AsyncStream<Void>) {
        (self.listener, self.keyHash, self.firstEnd) = (listener, keyHash, firstEnd)
    }

    func address(hosts: [TransportHost] = [.ipv4(127, 0, 0, 1)], keyHash other: KeyHash? = nil) throws -> XFTPServerAddress {
        guard let address = XFTPServerAddress(hosts: hosts, port: UInt16(listener.port), keyHash: other ?? keyHash) else {
            throw ConnectionError(.unsupported, "no host")
        }
        return address
    }

    static func start(handshake: Handshake = Handshake(), _ script: @escaping Script) async throws -> ScriptedFileRouter {
        let credential = try ServerCredential.generate(algorithm: .ed25519)
        let keyHash = KeyHash(credential.fingerprint)
        var configuration = SMPTransportListener.Configuration(credential: credential)
        (configuration.host, configuration.port, configuration.applicationProtocols) = ("127.0.0.1", 0, ["xftp/1"])
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        let listener = try await SMPTransportListener.start(configuration, open: HTTP2Connection.open(isClient: false)) { connection, _ in
            Task {
                try? await serve(connection, credential, keyHash, handshake, script)
                ended.yield()
            }
        }
        return ScriptedFileRouter(listener, keyHash, ends)
    }

    func stop() async { await listener.close() }

    private static func serve(
        _ connection: HTTP2Connection, _ credential: ServerCredential, _ keyHash: KeyHash, _ handshake: Handshake, _ script: @escaping Script
    ) async throws {
        let session = try XFTPServerHandshake(
            sessionID: connection.handshake.sessionID, keyHash: keyHash, sessionKey: X25519.generateKeyPair(SystemRandomSource()).privateKey,
            certificateChain: credential.chain, leafKey: try credential.leafKey())
        let agreed = Agreement()
        try await withThrowingDiscardingTaskGroup { group in
            var number = 0
            for try await stream in connection.requests {
                number += 1
                let isFirst = number == 1
                group.addTask {
                    // What a test makes fail fails for one request.
                    try? await stream.executeThenClose { inbound, outbound in
                        var body = HTTP2Body(inbound)
                        let block = try await body.bytes(XFTPLimits.blockSize)
                        try await outbound.send(headers: [(":status", "200")], isEnd: false)
                        if isFirst {
                            try await outbound.send(try handshake.hello(try session.hello()), isEnd: true)
                        } else if let parameters = agreed.parameters.withLock({ $0 }) {
                            let received: ReceivedTransmission<XFTPCommand> = try XFTPBlock.decode(block, in: parameters.context)
                            let request = Request(
                                command: try received.message.get(), correlationID: received.correlationID, entity: received.entity,
                                context: parameters.context)
                            try await script(request, &body, outbound)
                        } else {
                            let accepted = try session.accept(block)
                            agreed.parameters.withLock { $0 = accepted }
                            try await outbound.send(try handshake.consent(), isEnd: true)
                        }
                        await body.untilClosed()
                    }
                }
            }
        }
    }
}

/// Runs a body with a session with a router, and ends both.
func withScriptedRouter(_ script: @escaping ScriptedFileRouter.Script, _ body: (XFTPSession) async throws -> Void) async throws {
    let router = try await ScriptedFileRouter.start(script)
    do {
        let session = try await XFTPConnector().connect(try router.address())
        try await body(session)
        await session.close()
    } catch {
        await router.stop()
        throw error
    }
    await router.stop()
}

/// The error of what must fail; nil if it does not.
func clientError(_ body: () async throws -> Void) async -> XFTPClientError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? XFTPClientError
    }
}
