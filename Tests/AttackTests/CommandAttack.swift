import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire

/// One connection to a router that sends it a few blocks of commands that were changed.
struct CommandAttack {
    private let server: SMPServerAddress
    private let relay: SMPServerAddress

    /// - Parameter relay: a router that the attacked one is asked to be a proxy to.
    init(_ server: SMPServerAddress, relay: SMPServerAddress) {
        self.server = server
        self.relay = relay
    }

    /// - Returns: the transmissions that the router answered with.
    func carryOut(_ mutator: inout Mutator) async throws -> Int {
        let connection = try await SMPTransportClient().connect(
            host: server.hosts[0].description, port: Int(server.port ?? 5223), keyHash: server.keyHash.bytes)
        var blocks = connection.blocks.makeAsyncIterator()
        var plain = BlockCipher()
        guard let first = try await blocks.next() else { return 0 }
        let handshake = SMPClientHandshake(
            versions: SMPVersion.offered, keyHash: server.keyHash, sessionKey: X25519.generateKeyPair(SystemRandomSource()).privateKey,
            isProxy: mutator.chance(1, in: 5))
        let (reply, session) = try handshake.respond(to: try plain.open(first), sessionID: connection.sessionID)
        if mutator.chance(1, in: 10) {
            // A hello that is none: the router closes, or takes it for what it says.
            try await connection.send(try plain.seal(Bytes(mutator.mutated(reply.wireBytes).prefix(16_000))))
            await connection.close()
            return 0
        }
        try await connection.send(try plain.seal(reply.wireBytes))
        var cipher = session.cipher
        var answers = 0
        do {
            for _ in 0...mutator.below(4) {
                let content = try self.content(&mutator, session)
                try await connection.send(try cipher.seal(Bytes(content.prefix(16_300))))
                // A command that can be read, so that there is an answer, or the end of the connection, to wait for.
                let ping = session.context.encode(SMPCommand.ping, correlationID: .random(SystemRandomSource()), entity: .none)
                let last = TransmissionBatcher.pack([session.context.authorized(ping, .none)]).batches[0].content
                try await connection.send(try cipher.seal(last))
                while let block = try await blocks.next() {
                    let received = session.context.decode(block: try cipher.open(block), as: SMPBrokerMessage.self)
                    answers += received.count
                    if received.contains(where: { $0.message == .success(.pong) }) { break }
                }
            }
        } catch is ConnectionError {
            // It has closed: a router may, for what it cannot read.
        }
        await connection.close()
        return answers
    }

    private func content(_ mutator: inout Mutator, _ session: SMPSessionParameters) throws -> Bytes {
        let transmissions = try (0...mutator.below(6)).map { _ in
            let (command, key) = self.command(&mutator)
            let id = CorrelationID.random(SystemRandomSource())
            let entity = mutator.chance(1, in: 2) ? EntityID.none : EntityID(mutator.bytes(24))
            let encoded = session.context.encode(command, correlationID: id, entity: entity)
            let authorization =
                try mutator.chance(1, in: 4)
                ? TransmissionAuthorization.none : CommandAuthorizer(key, serverKey: session.peerKey).authorize(encoded.authorizedData, correlationID: id)
            let bytes = session.context.authorized(encoded, authorization)
            return mutator.chance(1, in: 2) ? mutator.mutated(bytes) : bytes
        }
        let content = TransmissionBatcher.pack(transmissions).batches.first?.content ?? []
        return mutator.chance(1, in: 4) ? mutator.mutated(content) : content
    }

    private func command(_ mutator: inout Mutator) -> (SMPCommand, PrivateAuthKey) {
        let box = X25519.generateKeyPair(SystemRandomSource()), pair = Ed25519.generateKeyPair(SystemRandomSource())
        let key = mutator.chance(1, in: 2) ? PrivateAuthKey.x25519(box.privateKey) : .ed25519(pair.privateKey)
        let command: SMPCommand =
            switch mutator.below(15) {
            case 0, 1, 2:
                .new(NewQueueRequest(recipientKey: key.publicKey, encryptionKey: box.publicKey))
            case 3: .sub
            case 4: .send(MessageFlags(notification: true), mutator.bytes(mutator.pick([0, 10, 16_000])))
            case 5: .ack(MessageID(mutator.bytes(24)))
            case 6: .que
            case 7: .lset(EntityID(mutator.bytes(24)), QueueLinkData(fixedData: mutator.bytes(100), userData: mutator.bytes(100)))
            case 8: .rkey([PublicAuthKey](repeating: key.publicKey, count: 1 + mutator.below(40)))
            case 9: .prxy(relay, nil)
            case 10: .rfwd(mutator.bytes(mutator.pick([10, 16_000])))
            case 11: .lkey(key.publicKey)
            case 12: .key(key.publicKey)
            case 13: (try? SimpleXDomain(wireString: "name\(mutator.below(9)).simplex")).map { .rslv($0) } ?? .ping
            default: mutator.pick([.get, .off, .del, .lget, .ldel, .nsub, .nsubs(.unknown), .ndel, .subs(ServiceQueues(count: Int64(mutator.below(9)) - 1))])
            }
        return (command, key)
    }
}
