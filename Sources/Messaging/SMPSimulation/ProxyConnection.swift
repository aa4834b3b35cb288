import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization

/// A proxy's connection with the router that it passes commands on to.
final class ProxyConnection: Sendable {
    struct Lost: Error {}

    /// The responses to the proxy's clients.
    let session: RelaySession
    private let connection: SMPConnection
    private let context: TransmissionContext
    private let secret: BoxSecret
    private let waiting = Mutex<[CorrelationID: CheckedContinuation<SMPBrokerMessage?, Never>]>([:])

    private init(_ connection: SMPConnection, _ parameters: SMPSessionParameters) throws {
        guard let secret = parameters.secret, let key = parameters.certifiedKey else { throw Lost() }
        self.connection = connection
        self.secret = try BoxSecret(secret)
        context = parameters.context
        session = RelaySession(
            sessionID: parameters.context.sessionID, versions: parameters.serverVersions.intersection(SMPVersion.proxied) ?? SMPVersion.proxied,
            key: key)
    }

    static func open(_ server: SMPServerAddress) async throws -> ProxyConnection {
        let connection = try await SMPTransportClient().connect(
            host: server.hosts[0].description, port: Int(server.port ?? 5223), keyHash: server.keyHash.bytes)
        let (opened, continuation) = AsyncThrowingStream.makeStream(of: ProxyConnection.self)
        // One task reads all blocks, the router's hello first.
        Task {
            do {
                var blocks = connection.blocks.makeAsyncIterator()
                guard let hello = try await blocks.next() else { throw Lost() }
                var cipher = BlockCipher()
                let (reply, parameters) = try SMPClientHandshake(
                    keyHash: server.keyHash, sessionKey: X25519.generateKeyPair(SystemRandomSource()).privateKey, isProxy: true
                ).respond(to: try cipher.open(hello), sessionID: connection.sessionID)
                try await connection.send(try cipher.seal(reply.wireBytes))
                let proxy = try ProxyConnection(connection, parameters)
                continuation.yield(proxy)
                while let block = try? await blocks.next(), let content = try? cipher.open(block) { proxy.take(content) }
                proxy.end()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        for try await proxy in opened { return proxy }
        throw Lost()
    }

    func close() async { await connection.close() }

    /// Forwards a command, and returns the response for the client.
    func forward(_ command: ForwardedCommand, _ id: CorrelationID) async throws -> Bytes {
        let ownID = CorrelationID.random(SystemRandomSource())
        let sealed = try ForwardedTransmission(correlationID: id, command: command).seal(correlationID: ownID, sessionSecret: secret)
        let encoded = context.encode(SMPCommand.rfwd(sealed), correlationID: ownID, entity: .none)
        guard let content = TransmissionBatcher.pack(one: context.authorized(encoded, .none)) else { throw Lost() }
        // What a proxy forwards is encrypted already: its blocks are not.
        var cipher = BlockCipher()
        let block = try cipher.seal(content)
        let response = await withCheckedContinuation { continuation in
            waiting.withLock { $0[ownID] = continuation }
            do {
                try connection.write([block])
            } catch {
                answer(ownID, nil)
            }
        }
        switch response {
        case .rres(let encrypted):
            return try ForwardedResponse(opening: encrypted, correlationID: ownID, sessionSecret: secret).encryptedResponse
        case .err(let error): throw error
        default: throw Lost()
        }
    }

    private func take(_ content: Bytes) {
        for answer in context.decode(block: content, as: SMPBrokerMessage.self) {
            self.answer(answer.correlationID, try? answer.message.get())
        }
    }

    private func end() {
        let left = waiting.withLock { waiting in
            defer { waiting = [:] }
            return Array(waiting.values)
        }
        for continuation in left { continuation.resume(returning: nil) }
    }

    private func answer(_ id: CorrelationID, _ message: SMPBrokerMessage?) {
        waiting.withLock { $0.removeValue(forKey: id) }?.resume(returning: message)
    }
}
