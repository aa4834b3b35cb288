import SMPTransport
import SMPWire
import TestSupport
import Testing

@Suite("Connections")
struct ConnectionTests {
    static let credential = Result { try ServerCredential.generate() }

    @Test("Client and server agree on a session and exchange blocks", arguments: CertificateAlgorithm.allCases)
    func exchange(_ algorithm: CertificateAlgorithm) async throws {
        let credential = try ServerCredential.generate(algorithm: algorithm)
        try await withListener(credential) { listener, accepted in
            let client = try await connect(to: listener, credential)
            let server = try await accepted.first()
            #expect(client.sessionID == server.sessionID)
            #expect(client.sessionID.count == 32)
            #expect(client.handshake.applicationProtocol == "smp/1")
            #expect(server.handshake.applicationProtocol == "smp/1")
            #expect(client.handshake.version == "TLSv1.3")
            #expect(client.peerChain == credential.chain)
            #expect(server.peerChain.isEmpty)

            var fromClient = server.blocks.makeAsyncIterator()
            var fromServer = client.blocks.makeAsyncIterator()
            for number in 0..<20 as Range<UInt8> {
                try await client.send(block(number))
                #expect(try await fromClient.next() == block(number))
                try await server.send(block(number + 100))
                #expect(try await fromServer.next() == block(number + 100))
            }
            await client.close()
            #expect(try await fromClient.next() == nil)
            #expect(client.end?.code == .closed)
        }
    }

    @Test("Each connection has a session of its own")
    func distinctSessions() async throws {
        let credential = try Self.credential.get()
        try await withListener(credential) { listener, _ in
            let ids = try await withThrowingTaskGroup(of: Bytes.self) { group in
                for _ in 0..<8 { group.addTask { try await connect(to: listener, credential).sessionID } }
                return try await group.reduce(into: Set<Bytes>()) { $0.insert($1) }
            }
            #expect(ids.count == 8)
            #expect(listener.connectionCount == 8)
        }
    }

    @Test("A server with another fingerprint than its address is refused, and learns that")
    func wrongFingerprint() async throws {
        let credential = try Self.credential.get()
        try await withListener(credential) { listener, accepted in
            for hash in [Bytes(repeating: 0, count: 32), credential.certificates[0].fingerprint, []] {
                let code = await connectionErrorCode {
                    _ = try await SMPTransportClient().connect(host: "127.0.0.1", port: listener.port, keyHash: hash)
                }
                #expect(code == .wrongIdentity)
                let failure = try await accepted.firstFailure()
                #expect(failure.code == .tlsFailed)
            }
        }
    }

    @Test("A server that does not offer the client's application protocol is refused")
    func wrongApplicationProtocol() async throws {
        let credential = try Self.credential.get()
        try await withListener(credential) { listener, accepted in
            var configuration = SMPTransportClient.Configuration()
            configuration.applicationProtocols = ["smp/9", "http/1.1"]
            let client = try SMPTransportClient(configuration: configuration)
            let code = await connectionErrorCode {
                _ = try await client.connect(host: "127.0.0.1", port: listener.port, keyHash: credential.fingerprint)
            }
            #expect(code == .wrongProtocol)
            let failure = try await accepted.firstFailure()
            #expect(failure.code == .wrongProtocol)
        }
    }

    @Test("A client that names no application protocol is turned away by the server")
    func noApplicationProtocol() async throws {
        let credential = try Self.credential.get()
        try await withListener(credential) { listener, accepted in
            var configuration = SMPTransportClient.Configuration()
            configuration.applicationProtocols = []
            let client = try SMPTransportClient(configuration: configuration)
            let connection = try await client.connect(
                host: "127.0.0.1", port: listener.port, keyHash: credential.fingerprint)
            let failure = try await accepted.firstFailure()
            #expect(failure.code == .wrongProtocol)
            var blocks = connection.blocks.makeAsyncIterator()
            #expect(await connectionErrorCode { _ = try await blocks.next() } == .disconnected)
        }
    }

    @Test("The server sees the certificates of a service, leaf first")
    func serviceCertificates() async throws {
        let credential = try Self.credential.get()
        let service = try ServerCredential.generate(algorithm: .ed25519)
        try await withListener(credential) { listener, accepted in
            var configuration = SMPTransportClient.Configuration()
            configuration.serviceCredential = service
            let client = try SMPTransportClient(configuration: configuration)
            let connection = try await client.connect(
                host: "127.0.0.1", port: listener.port, keyHash: credential.fingerprint)
            let server = try await accepted.first()
            #expect(server.peerChain == service.chain)
            #expect(try CertificateChain(der: server.peerChain).isIdentified(by: service.fingerprint))
            #expect(server.sessionID == connection.sessionID)
        }
    }

    @Test("A peer that does not read makes sending wait, and gets everything in order later")
    func backPressure() async throws {
        let credential = try Self.credential.get()
        try await withListener(credential) { listener, accepted in
            let client = try await connect(to: listener, credential)
            let server = try await accepted.first()
            // More than sockets and buffers hold, so that the client is stopped until the server reads.
            let count = 2_000
            let sending = Task {
                for number in 0..<count { try await client.send(block(UInt8(number % 251))) }
            }
            try await eventually("the client has to wait") { !client.isWritable }
            var received = 0
            for try await arrived in server.blocks {
                if arrived != block(UInt8(received % 251)) { Issue.record("block \(received) is not the one sent") }
                received += 1
                if received == count { break }
            }
            try await sending.value
            #expect(client.isWritable)
        }
    }

    @Test("What was handed over before closing arrives")
    func closingFlushes() async throws {
        let credential = try Self.credential.get()
        try await withListener(credential) { listener, accepted in
            let client = try await connect(to: listener, credential)
            let server = try await accepted.first()
            try client.write((0..<50).map(block))
            async let closing: Void = client.close()
            var received: [Bytes] = []
            for try await arrived in server.blocks { received.append(arrived) }
            await closing
            #expect(received == (0..<50).map(block))
        }
    }

    @Test("Only whole blocks can be sent, and nothing after the end")
    func invalidSending() async throws {
        let credential = try Self.credential.get()
        try await withListener(credential) { listener, accepted in
            let client = try await connect(to: listener, credential)
            for size in [0, 1, SMPConnection.blockSize - 1, SMPConnection.blockSize + 1] {
                #expect(await connectionErrorCode { try client.write([Bytes(repeating: 0, count: size)]) } == .invalidBlock)
            }
            await client.close()
            await client.close()
            #expect(await connectionErrorCode { try await client.send(block(1)) } == .closed)
        }
    }

    @Test("A second receiver of a connection's blocks is refused")
    func singleReceiver() async throws {
        let credential = try Self.credential.get()
        try await withListener(credential) { listener, _ in
            let client = try await connect(to: listener, credential)
            _ = client.blocks.makeAsyncIterator()
            var second = client.blocks.makeAsyncIterator()
            #expect(await connectionErrorCode { _ = try await second.next() } == .unsupported)
        }
    }

    @Test("A cancelled reader gets no block, and the connection stays open")
    func cancelledReader() async throws {
        let credential = try Self.credential.get()
        try await withListener(credential) { listener, _ in
            let client = try await connect(to: listener, credential)
            let reading = Task { () throws -> Bytes? in
                var blocks = client.blocks.makeAsyncIterator()
                return try await blocks.next()
            }
            reading.cancel()
            #expect(try await reading.value == nil)
            #expect(client.end == nil)
        }
    }

    @Test("A listener that closes ends its connections")
    func listenerCloses() async throws {
        let credential = try Self.credential.get()
        try await withListener(credential) { listener, accepted in
            let client = try await connect(to: listener, credential)
            // A client is through its handshake before the server is.
            _ = try await accepted.first()
            var blocks = client.blocks.makeAsyncIterator()
            await listener.close()
            #expect(try await blocks.next() == nil)
            #expect(listener.connectionCount == 0)
            #expect(await connectionErrorCode { _ = try await connect(to: listener, credential) } == .connectFailed)
        }
    }

    @Test("Connections above the limit are refused, and accepted again when one ends")
    func connectionLimit() async throws {
        let credential = try Self.credential.get()
        try await withListener(credential) { configuration in
            configuration.maximumConnections = 2
        } _: { listener, accepted in
            let first = try await connect(to: listener, credential)
            _ = try await connect(to: listener, credential)
            #expect(await connectionErrorCode { _ = try await connect(to: listener, credential) } == .disconnected)
            let server = try await accepted.first()
            await first.close()
            await server.close()
            _ = try await connect(to: listener, credential)
        }
    }

    @Test("Neither an impossible port nor a proxy nor a port where nobody listens gives a connection")
    func impossibleConnections() async throws {
        let client = try SMPTransportClient()
        for port in [-1, 0, 65_536] {
            #expect(
                await connectionErrorCode { _ = try await client.connect(host: "127.0.0.1", port: port, keyHash: []) }
                    == .connectFailed)
        }
    }
}
