import Logging
import NIOCore
import NIOHTTP2
import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import XFTPProtocol
import XFTPTransport

/// One connection of a client.
final class FileSession: Sendable {
    enum Phase {
        case connected
        case helloSent
        case open(XFTPSessionParameters)
    }

    struct State {
        var phase = Phase.connected
        /// Requests that are being answered.
        var active = 0
        /// Requests received before the end of the handshake.
        var attempts = 0
        var pace = RequestPace()
        /// The time of the last request, in nanoseconds of a monotonic clock.
        var lastUsed = AddressLimits.uptime()
    }

    let core: FileCore
    let connection: HTTP2Connection
    private let handshake: XFTPServerHandshake
    /// The network prefix of the client; nil for this machine itself.
    let prefix: NetworkPrefix?
    let state = Mutex(State())

    init(core: FileCore, connection: HTTP2Connection, handshake: XFTPServerHandshake) {
        self.core = core
        self.connection = connection
        self.handshake = handshake
        prefix = connection.channel.remoteAddress.flatMap(IPAddress.init)?.limitedPrefix
    }

    /// Answers requests until the connection ends.
    func run() async {
        core.count(\.sessionsOpened)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.watch() }
            await withDiscardingTaskGroup { requests in
                do {
                    for try await stream in connection.requests {
                        guard let place = begin() else {
                            requests.addTask { await Self.refuse(stream) }
                            continue
                        }
                        requests.addTask {
                            await self.connection.answering { await self.answer(stream) }
                            self.end(place)
                        }
                    }
                } catch {
                    core.logger.debug("a connection broke", metadata: ["reason": "\(error)"])
                }
            }
            group.cancelAll()
        }
        connection.beginClosing()
    }

    /// Ends the connection if the client does not complete the handshake in time, or is silent for too long.
    private func watch() async {
        let (handshake, idle) = (core.configuration.handshakeTimeout, core.configuration.idleTimeout)
        let began = AddressLimits.uptime()
        let step = min(max(min(handshake, idle ?? handshake) / 2, .milliseconds(5)), .seconds(60))
        while (try? await Task.sleep(for: step)) != nil {
            let now = AddressLimits.uptime()
            let isOver = state.withLock { state in
                guard case .open = state.phase else { return Duration.nanoseconds(now - began) > handshake }
                return state.active == 0 && idle.map { Duration.nanoseconds(now - state.lastUsed) > $0 } ?? false
            }
            if isOver { return connection.beginClosing() }
        }
    }

    private func answer(_ stream: HTTP2Stream) async {
        let isDone: Void? = await within(core.configuration.transferTimeout) { [self] in
            do {
                try await stream.executeThenClose { inbound, outbound in
                    var body = HTTP2Body(inbound)
                    try await serve(&body, outbound)
                    await body.untilClosed()
                }
            } catch {
                core.logger.debug("a request failed", metadata: ["reason": "\(error)"])
            }
        }
        if isDone == nil { core.logger.debug("a request took too long") }
    }

    private func serve(_ body: inout HTTP2Body, _ outbound: HTTP2Writer) async throws {
        let block = try await body.bytes(XFTPLimits.blockSize)
        switch state.withLock({ $0.phase }) {
        case .open(let parameters):
            try await awaitTurn()
            try await serve(block, &body, outbound, parameters.context)
        case .connected, .helloSent: try await shakeHands(block, outbound)
        }
    }

    // MARK: Handshake

    private func shakeHands(_ block: Bytes, _ outbound: HTTP2Writer) async throws {
        let isSecond = state.withLock { if case .helloSent = $0.phase { true } else { false } }
        do {
            if isSecond {
                let parameters = try handshake.accept(block)
                state.withLock { $0.phase = .open(parameters) }
                connection.finishHandshake()
                return try await outbound.send(headers: [(":status", "200")], isEnd: true)
            }
            guard block.isEmpty else { throw XFTPErrorType.handshake }
            let hello = try handshake.hello()
            state.withLock { $0.phase = .helloSent }
            try await reply(hello, outbound)
        } catch let error as XFTPErrorType {
            try await reply(try XFTPBlock.pad(error.wireBytes), outbound)
        }
    }

    private func reply(_ block: Bytes, isEnd: Bool = true, _ outbound: HTTP2Writer) async throws {
        try await outbound.send(headers: [(":status", "200")], isEnd: false)
        try await outbound.send(block, isEnd: isEnd)
    }

    // MARK: Commands

    private func serve(_ block: Bytes, _ body: inout HTTP2Body, _ outbound: HTTP2Writer, _ context: TransmissionContext) async throws {
        let transmission: ReceivedTransmission<XFTPCommand>
        do throws(XFTPErrorType) {
            transmission = try XFTPBlock.decode(block, in: context)
        } catch {
            return try await reply(.error(error), .none, .none, context, outbound)
        }
        let (entity, id) = (transmission.entity, transmission.correlationID)
        do {
            guard case .success(let command) = transmission.message else {
                guard case .failure(let error) = transmission.message else { return }
                throw XFTPErrorType(error)
            }
            try await execute(command, transmission, &body) { response, reader in
                guard let reader else { return try await reply(response, entity, id, context, outbound) }
                let block = try XFTPBlock.encode(response, entity: entity, correlationID: id, in: context)
                try await reply(block, isEnd: false, outbound)
                try await send(reader, outbound)
            }
        } catch let error as XFTPErrorType {
            try await reply(.error(await core.settled(error)), entity, id, context, outbound)
        }
    }

    private func reply(
        _ response: XFTPResponse, _ entity: EntityID, _ id: CorrelationID, _ context: TransmissionContext, _ outbound: HTTP2Writer
    ) async throws {
        try await reply(try XFTPBlock.encode(response, entity: entity, correlationID: id, in: context), outbound)
    }

    /// Executes a command.
    ///
    /// - Parameter answer: sends the response, and the chunk that follows it.
    private func execute(
        _ command: XFTPCommand, _ transmission: ReceivedTransmission<XFTPCommand>, _ body: inout HTTP2Body,
        _ answer: (XFTPResponse, ChunkReader?) async throws -> Void
    ) async throws {
        let entity = transmission.entity
        // Nobody would read further bytes of the client, and all of them would be kept until the end of the answer.
        if case .put = command {} else if try await body.next() != nil { throw XFTPErrorType.size }
        let response: XFTPResponse
        switch command {
        case .ping: response = .pong
        case .new(let info, let recipients, let basicAuth):
            try check(transmission, info.senderKey)
            guard core.configuration.allowsNewFiles else {
                core.count(\.authorizationFailures)
                throw XFTPErrorType.auth
            }
            guard core.accepts(basicAuth) else {
                charge(AddressLimits.wrongPasswordCost)
                throw XFTPErrorType.auth
            }
            response = try await core.create(info, recipients, from: prefix)
        case .add(let recipients):
            _ = try sender(transmission)
            response = try await core.add(recipients, to: entity, from: prefix)
        case .put:
            response = try await core.upload(from: prefix) { try await receive(entity, try sender(transmission), &body) }
        case .delete:
            _ = try sender(transmission)
            response = try await core.delete(entity)
        case .acknowledge:
            _ = try recipient(transmission)
            response = try await core.acknowledge(entity)
        case .get(let key):
            return try await core.download(from: prefix) {
                let (id, file) = try recipient(transmission)
                let (response, reader) = try await core.download(id, file, for: key)
                core.count(\.filesDownloaded)
                core.count(\.bytesDownloaded, UInt64(file.info.size))
                try await answer(response, reader)
            }
        }
        try await answer(response, nil)
    }

    // MARK: Authorisation

    /// - Throws: ``XFTPErrorType`` `auth`.
    private func check(_ transmission: ReceivedTransmission<XFTPCommand>, _ key: PublicAuthKey?) throws(XFTPErrorType) {
        // A refusal takes the same time for missing chunks as for existing ones.
        let verifier = CommandVerifier(key ?? Self.nobody, sessionKey: handshake.sessionKey)
        let isValid = verifier.isValid(
            transmission.authorization, for: transmission.authorizedData, correlationID: transmission.correlationID)
        guard isValid, key != nil else {
            charge(1)
            throw .auth
        }
    }

    private static let nobody = PublicAuthKey.ed25519(Ed25519.generateKeyPair(SystemRandomSource()).publicKey)

    private func sender(_ transmission: ReceivedTransmission<XFTPCommand>) throws(XFTPErrorType) -> StoredFile {
        let file = core.shared.withLock { $0.store.file(sender: transmission.entity) }
        try check(transmission, file?.info.senderKey)
        guard let file else { throw .auth }
        if let info = file.blocked { throw .blocked(info) }
        return file
    }

    private func recipient(_ transmission: ReceivedTransmission<XFTPCommand>) throws(XFTPErrorType) -> (EntityID, StoredFile) {
        let found = core.shared.withLock { $0.store.file(recipient: transmission.entity) }
        try check(transmission, found?.key)
        guard let found else { throw .auth }
        if let info = found.file.blocked { throw .blocked(info) }
        return (found.id, found.file)
    }

    // MARK: Chunks

    private func receive(_ id: EntityID, _ file: StoredFile, _ body: inout HTTP2Body) async throws(XFTPErrorType) -> XFTPResponse {
        let info = file.info
        switch try await core.begin(id, file) {
        case .known:
            do { try await drain(&body, upTo: Int(info.size)) } catch { throw .size }
            return .ok
        case .new(let upload):
            do {
                var left = Int(info.size)
                var piece = Bytes()
                while true {
                    try await body.read(min(ChunkWriter.pieceSize, left + 1), into: &piece)
                    if piece.isEmpty { break }
                    guard piece.count <= left else { throw XFTPErrorType.size }
                    left -= piece.count
                    try await core.write(piece, upload)
                }
                guard left == 0 else { throw XFTPErrorType.size }
            } catch {
                core.abandon(upload)
                throw error as? XFTPErrorType ?? .timeout
            }
            return try await core.finish(upload)
        }
    }

    /// Reads and discards the rest of the client's bytes, up to a limit.
    private func drain(_ body: inout HTTP2Body, upTo limit: Int) async throws {
        var left = limit
        while let piece = try await body.next() {
            left -= piece.readableBytes
            guard left >= 0 else { throw XFTPErrorType.size }
        }
    }

    private func send(_ reader: ChunkReader, _ outbound: HTTP2Writer) async throws {
        var next = try await core.onThread { try reader.next() }
        while let piece = next {
            next = try await core.onThread { try reader.next() }
            try await outbound.send(piece, isEnd: next == nil)
        }
    }
}
