import NIOCore
import NIOPosix
package import SMPCrypto
package import SMPProtocol
import SMPTransport
package import SMPWire
import XFTPProtocol
import XFTPTransport

/// A connection with a file router whose handshake is over. Its commands may overlap.
package final class XFTPSession: Sendable {
    package let server: XFTPServerAddress
    private let requests: XFTPRequests
    private let parameters: XFTPSessionParameters
    private let random: any RandomSource

    init(server: XFTPServerAddress, requests: XFTPRequests, parameters: XFTPSessionParameters, random: any RandomSource) {
        self.server = server
        self.requests = requests
        self.parameters = parameters
        self.random = random
    }

    /// The version of the protocol that was agreed on.
    package var version: UInt16 { parameters.version }
    /// False when the connection has ended, or takes no more commands: those that are under way go on then.
    package var isOpen: Bool { requests.isOpen }

    /// Closes the connection. Returns when its socket is closed; may be called again.
    package func close() async { await requests.connection.close() }

    /// Calls a function when the connection has ended.
    package func whenClosed(_ body: @escaping @Sendable () -> Void) { requests.connection.channel.closeFuture.whenComplete { _ in body() } }

    // MARK: Commands

    /// - Throws: ``XFTPClientError``.
    package func ping() async throws(XFTPClientError) {
        let response = try await ask(.ping, .none, nil)
        guard response == .pong else { throw Self.unexpected(response) }
    }

    /// Announces a chunk.
    ///
    /// - Parameters:
    ///   - key: authorises the sender's commands; its public key is announced.
    ///   - size: one of ``ChunkPlan/sizes``.
    ///   - digest: SHA-256 of the chunk.
    ///   - recipients: 1 to ``XFTPLimits/recipientsPerCommand``.
    /// - Returns: the ids of the chunk for its sender and for the recipients, in the order of their keys.
    /// - Throws: ``XFTPClientError``.
    package func create(
        key: PrivateAuthKey, size: UInt32, digest: Bytes, recipients: [PublicAuthKey], basicAuth: BasicAuth? = nil
    ) async throws(XFTPClientError) -> (sender: SenderID, recipients: [RecipientID]) {
        try Self.check(recipients)
        let info = FileInfo(senderKey: key.publicKey, size: size, digest: digest)
        let response = try await ask(.new(info, recipients: recipients, basicAuth: basicAuth), .none, key)
        guard case .senderIDs(let sender, let ids) = response, ids.count == recipients.count else { throw Self.unexpected(response) }
        return (sender, ids)
    }

    /// Adds recipients to a chunk.
    ///
    /// - Parameter recipients: 1 to ``XFTPLimits/recipientsPerCommand``.
    /// - Returns: their ids, in the order of their keys.
    /// - Throws: ``XFTPClientError``.
    package func add(recipients: [PublicAuthKey], to id: SenderID, key: PrivateAuthKey) async throws(XFTPClientError) -> [RecipientID] {
        try Self.check(recipients)
        let response = try await ask(.add(recipients: recipients), id, key)
        guard case .recipientIDs(let ids) = response, ids.count == recipients.count else { throw Self.unexpected(response) }
        return ids
    }

    /// Uploads a chunk that was announced. One that has been uploaded already is left as it is, and that is no error. If the router answers
    /// before all of it is on its way, the session takes no more commands, and ends with those that are under way.
    ///
    /// - Throws: ``XFTPClientError``.
    package func upload(_ chunk: ChunkSource, to id: SenderID, key: PrivateAuthKey) async throws(XFTPClientError) {
        let response = try await ask(.put, id, key, chunk: chunk)
        guard response == .ok else { throw Self.unexpected(response) }
    }

    /// Deletes a chunk.
    ///
    /// - Throws: ``XFTPClientError``.
    package func delete(_ id: SenderID, key: PrivateAuthKey) async throws(XFTPClientError) {
        let response = try await ask(.delete, id, key)
        guard response == .ok else { throw Self.unexpected(response) }
    }

    /// Gives up the right to download a chunk.
    ///
    /// - Throws: ``XFTPClientError``.
    package func acknowledge(_ id: RecipientID, key: PrivateAuthKey) async throws(XFTPClientError) {
        let response = try await ask(.acknowledge, id, key)
        guard response == .ok else { throw Self.unexpected(response) }
    }

    /// Downloads a chunk into a file, in the place of what is there. The file is not flushed. When this throws there is no file.
    ///
    /// - Parameters:
    ///   - size: bytes of the chunk.
    ///   - digest: SHA-256 of the chunk.
    /// - Throws: ``XFTPClientError``.
    package func download(
        _ id: RecipientID, key: PrivateAuthKey, to path: String, size: UInt32, digest: Bytes
    ) async throws(XFTPClientError) {
        _ = try await receive(id, key, path, size, digest)
    }

    /// Downloads a small chunk.
    ///
    /// - Parameters:
    ///   - size: bytes of the chunk, which are in memory.
    ///   - digest: SHA-256 of the chunk.
    /// - Throws: ``XFTPClientError``.
    package func download(_ id: RecipientID, key: PrivateAuthKey, size: UInt32, digest: Bytes) async throws(XFTPClientError) -> Bytes {
        try await receive(id, key, nil, size, digest)
    }

    /// - Returns: the chunk, if it is not for a file.
    private func receive(
        _ id: RecipientID, _ key: PrivateAuthKey, _ path: String?, _ size: UInt32, _ digest: Bytes
    ) async throws(XFTPClientError) -> Bytes {
        let (privateKey, publicKey) = { ($0.privateKey, $0.publicKey) }(X25519.generateKeyPair(random))
        let (block, correlationID) = try encode(.get(publicKey), id, key)
        let context = parameters.context
        return try await requests.send(block, limit: requests.limit(bytes: Int(size))) { body throws(XFTPClientError) in
            let response = try await Self.response(&body, correlationID, context)
            guard case .file(let serverKey, let nonce) = response else { throw Self.unexpected(response) }
            guard let secret = try? BoxSecret(privateKey, with: serverKey) else {
                throw XFTPClientError(.response(.crypto), "the router's key gives no secret")
            }
            let receiver: ChunkReceiver
            do throws(FileFormatError) {
                receiver = try ChunkReceiver(path: path, size: size, secret: secret, nonce: nonce)
            } catch {
                throw XFTPClientError(error)
            }
            do throws(XFTPClientError) {
                try await Self.receive(&body, receiver, digest)
            } catch {
                receiver.discard()
                throw error
            }
            return receiver.content()
        }
    }

    private static func receive(_ body: inout HTTP2Body, _ receiver: ChunkReceiver, _ digest: Bytes) async throws(XFTPClientError) {
        var piece = Bytes()
        while true {
            do throws(ConnectionError) {
                try await body.read(ChunkReceiver.pieceSize, into: &piece)
            } catch {
                throw XFTPClientError(error)
            }
            guard !piece.isEmpty else { return try receiver.finish(digest: digest) }
            try receiver.decrypt(&piece)
            if receiver.isForDisk { try await onThread { [piece] () throws(XFTPClientError) in try receiver.write(piece) } }
        }
    }

    /// Does what blocks on a thread for that.
    private static func onThread(_ body: @escaping @Sendable () throws(XFTPClientError) -> Void) async throws(XFTPClientError) {
        do {
            try await NIOThreadPool.singleton.runIfActive { try body() }
        } catch {
            throw error as? XFTPClientError ?? XFTPClientError(.cancelled, "the download was cancelled", cause: error)
        }
    }

    // MARK: Requests

    private func ask(
        _ command: XFTPCommand, _ entity: EntityID, _ key: PrivateAuthKey?, chunk: ChunkSource? = nil
    ) async throws(XFTPClientError) -> XFTPResponse {
        let (block, correlationID) = try encode(command, entity, key)
        let context = parameters.context
        return try await requests.send(block, chunk: chunk, limit: requests.limit(bytes: chunk?.size ?? 0)) { body throws(XFTPClientError) in
            try await Self.response(&body, correlationID, context)
        }
    }

    private func encode(_ command: XFTPCommand, _ entity: EntityID, _ key: PrivateAuthKey?) throws(XFTPClientError) -> (Bytes, CorrelationID) {
        let correlationID = CorrelationID.random(random)
        do throws(TransportError) {
            let authorizer: CommandAuthorizer? = if let key { try CommandAuthorizer(key, serverKey: parameters.serverKey) } else { nil }
            let block = try XFTPBlock.encode(
                command, entity: entity, correlationID: correlationID, authorizer: authorizer, in: parameters.context)
            return (block, correlationID)
        } catch {
            throw XFTPClientError(.transport(error), "\(command.name) cannot be sent: \(error)")
        }
    }

    private static func response(
        _ body: inout HTTP2Body, _ correlationID: CorrelationID, _ context: TransmissionContext
    ) async throws(XFTPClientError) -> XFTPResponse {
        let block: Bytes
        do throws(ConnectionError) {
            block = try await body.bytes(XFTPLimits.blockSize)
        } catch {
            throw XFTPClientError(error)
        }
        let transmission: ReceivedTransmission<XFTPResponse>
        do throws(XFTPErrorType) {
            transmission = try XFTPBlock.decode(block, in: context)
        } catch {
            throw XFTPClientError(.response(error), "the router's answer is no block")
        }
        switch transmission.message {
        case .failure(let error): throw XFTPClientError(.response(XFTPErrorType(error)), "the router's answer cannot be read: \(error)")
        case .success(.error(let error)): throw XFTPClientError(.protocol(error), "the router has refused: \(error)")
        case .success(let response):
            guard transmission.correlationID == correlationID else {
                throw XFTPClientError(.response(.session), "the router answers something else")
            }
            return response
        }
    }

    private static func check(_ recipients: [PublicAuthKey]) throws(XFTPClientError) {
        guard (1...XFTPLimits.recipientsPerCommand).contains(recipients.count) else {
            throw XFTPClientError(.invalidRequest, "a command names 1 to \(XFTPLimits.recipientsPerCommand) recipients, not \(recipients.count)")
        }
    }

    private static func unexpected(_ response: XFTPResponse) -> XFTPClientError {
        XFTPClientError(.unexpectedResponse(response.name), "the router answers \(response.name), which is no answer to the command")
    }
}
